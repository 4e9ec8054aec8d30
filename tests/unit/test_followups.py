from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.followups import stand_alone, topic_of


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What is Isaac Sim?", "Isaac Sim"),
        ("What are services in ROS 2?", "services in ROS 2"),
        ("How fast can the Unitree G1 walk?", "Unitree G1"),
        ("What does NITROS do?", "NITROS"),
        ("Which states does a lifecycle node have?", "lifecycle node"),
        ("Why?", ""),
    ],
)
def test_the_topic_of_a_question_is_what_it_is_about(question: str, topic: str) -> None:
    assert topic_of(question) == topic


@pytest.mark.parametrize(
    ("before", "question", "complete"),
    [
        (
            "What is Isaac Sim?",
            "How do I use it for synthetic data?",
            "How do I use Isaac Sim for synthetic data?",
        ),
        (
            "What is OpenVLA?",
            "Which dataset was it trained on?",
            "Which dataset was OpenVLA trained on?",
        ),
        (
            "What is impedance control?",
            "What is the opposite of it?",
            "What is the opposite of impedance control?",
        ),
        (
            "How fast can the Unitree G1 walk?",
            "How long does its battery last?",
            "How long does Unitree G1's battery last?",
        ),
    ],
)
def test_a_pronoun_is_replaced_by_the_topic(before: str, question: str, complete: str) -> None:
    assert stand_alone(question, topic_of(before), before) == complete


def test_the_last_question_can_be_asked_of_another_thing() -> None:
    before = "How fast can the Unitree G1 walk?"
    assert (
        stand_alone("What about the Spot?", "Unitree G1", before) == "How fast can the Spot walk?"
    )


def test_the_last_question_can_be_asked_of_another_place() -> None:
    assert stand_alone("And in Python?", "node", "What is a node?") == "What is a node in Python?"


def test_a_plea_for_more_keeps_the_topic() -> None:
    assert "costmap" in stand_alone("Tell me more", "costmap", "What is a costmap?")


@pytest.mark.parametrize(
    "question",
    [
        "How do I tune a PID controller?",
        "What is a diffusion policy and how is it trained?",
        "Is it possible to run Gazebo headless?",
        "What does this book say about URDF?",
    ],
)
def test_a_question_with_a_topic_of_its_own_is_left_alone(question: str) -> None:
    assert stand_alone(question, "Isaac Sim", "What is Isaac Sim?") == question


def test_without_a_topic_nothing_is_put_in() -> None:
    assert stand_alone("How does it work?", "", "") == "How does it work?"


@given(st.text(max_size=80), st.text(max_size=20), st.text(max_size=80))
def test_any_text_can_follow_any_text(question: str, topic: str, before: str) -> None:
    assert isinstance(stand_alone(question, topic, before), str)
    assert isinstance(topic_of(question), str)


@pytest.mark.parametrize(
    ("question", "complete"),
    [
        ("How do I install it?", "How do I install Isaac Sim?"),
        ("How does that work?", "How does Isaac Sim work?"),
        ("And its limits?", "What is Isaac Sim's limits?"),
    ],
)
def test_a_verb_before_the_pronoun_is_nothing_it_could_mean(question: str, complete: str) -> None:
    assert stand_alone(question, "Isaac Sim", "What is Isaac Sim?") == complete


@pytest.mark.parametrize(
    ("question", "previous", "whole"),
    [
        ("What about Gazebo?", "How do I install ROS 2?", "How do I install Gazebo?"),
        ("And a camera?", "How far can a lidar see?", "How far can a camera see?"),
        ("What about behaviour trees?", "How do I send a goal?", "What about behaviour trees?"),
        ("Who invented it?", "What is a PID controller?", "Who invented PID controller?"),
    ],
)
def test_a_fragment_takes_the_place_of_a_thing_and_never_of_a_verb(
    question: str, previous: str, whole: str
) -> None:
    assert stand_alone(question, topic_of(previous), previous) == whole

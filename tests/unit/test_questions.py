from __future__ import annotations

import pytest

from bythebook.questions import QuestionKind, analyse
from bythebook.terms import stem


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is a node?", QuestionKind.DEFINITION),
        ("what exactly is a VLA?", QuestionKind.DEFINITION),
        ("Explain inverse kinematics", QuestionKind.DEFINITION),
        ("What does QoS stand for?", QuestionKind.DEFINITION),
        ("How do I create a package?", QuestionKind.HOW_TO),
        ("Which steps start Gazebo?", QuestionKind.HOW_TO),
        ("What is the difference between a topic and a service?", QuestionKind.COMPARISON),
        ("Is lidar better than a camera?", QuestionKind.COMPARISON),
        ("topics vs services", QuestionKind.COMPARISON),
        ("How many joints has a humanoid?", QuestionKind.QUANTITY),
        ("At what rate does the controller run?", QuestionKind.QUANTITY),
        ("What is the maximum torque?", QuestionKind.QUANTITY),
        ("Why do robots fall?", QuestionKind.REASON),
        ("What causes drift?", QuestionKind.REASON),
        ("Which command lists the topics?", QuestionKind.COMMAND),
        ("What do I type to build it?", QuestionKind.COMMAND),
        ("Does the robot use DDS?", QuestionKind.GENERAL),
    ],
)
def test_the_wording_of_a_question_tells_its_kind(question: str, kind: QuestionKind) -> None:
    assert analyse(question).kind is kind


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is a node?", "node"),
        ("What is the zero moment point when a robot walks?", "zero moment point"),
        ("what exactly is a VLA?", "VLA"),
        ("What does QoS stand for?", "QoS"),
        ("Define the term 'digital twin'.", "digital twin"),
        ("What is meant by Physical AI?", "Physical AI"),
        ("Explain inverse kinematics to me", "inverse kinematics"),
    ],
)
def test_a_definition_names_the_thing_to_be_defined(question: str, subject: str) -> None:
    assert analyse(question).subject == subject


def test_only_a_definition_has_a_subject() -> None:
    assert analyse("Why do robots fall?").subject == ""


def test_terms_are_what_the_question_is_about() -> None:
    assert analyse("How do Robots walk?").terms == {stem("robots"): "robots", stem("walk"): "walk"}


@pytest.mark.parametrize("question", ["?", "...", "what", "é", "what is ?"])
def test_a_question_with_little_in_it_is_still_taken_apart(question: str) -> None:
    assert analyse(question).text == question

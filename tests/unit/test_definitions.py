from __future__ import annotations

import pytest

from bythebook.definitions import MENTIONS, STATES, definition_strength
from bythebook.lexicon import Lexicon
from bythebook.types import BlockKind
from bythebook.units import units_of
from tests.builders import CODE, P, make_focus, make_passage


def strength(question: str, sentence: str, kind: BlockKind = P, book: str = "") -> float:
    focus = make_focus(question, Lexicon.of([sentence, book]))
    return definition_strength(focus, units_of(make_passage((kind, sentence)))[0])


@pytest.mark.parametrize(
    "sentence",
    [
        "A node is a process that computes.",
        "Nodes are processes that compute.",
        "In ROS 2, a node is a process.",
        "Node: a process that computes.",
        "A node (also called a process) is a running program.",
    ],
)
def test_a_sentence_that_says_what_the_thing_is_defines_it(sentence: str) -> None:
    assert strength("What is a node?", sentence) == STATES


@pytest.mark.parametrize(
    "sentence",
    [
        "The driver starts a node, a process that computes.",
        "Such a process is called a node.",
        "A node is usually written in Python.",
    ],
)
def test_a_sentence_that_tells_it_in_passing_is_weaker(sentence: str) -> None:
    assert strength("What is a node?", sentence) == MENTIONS


@pytest.mark.parametrize(
    "sentence",
    ["The driver starts a node and waits.", "A topic is a named channel.", "Robots have nodes."],
)
def test_a_sentence_that_only_uses_the_word_defines_nothing(sentence: str) -> None:
    assert strength("What is a node?", sentence) == 0.0


def test_a_sentence_that_spells_the_subject_out_defines_it() -> None:
    sentence = "Robots use the zero moment point (ZMP), a point on the ground."
    assert strength("What is ZMP?", sentence) == STATES


def test_the_subject_is_found_under_its_other_name() -> None:
    sentence = "The zero moment point is a point on the ground."
    book = "The zero moment point (ZMP) is used."
    assert strength("What is ZMP?", sentence, book=book) == STATES


def test_code_defines_nothing() -> None:
    assert strength("What is a node?", "node is None", CODE) == 0.0


def test_a_question_without_a_subject_has_no_definition() -> None:
    assert strength("Why does a node crash?", "A node is a process.") == 0.0

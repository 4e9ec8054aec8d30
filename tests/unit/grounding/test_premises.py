from __future__ import annotations

import pytest

from bythebook.grounding.premises import contradicting, premise_of

TCP = "TCP is slower than UDP because it resends what was lost."


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Why is UDP slower than TCP?", TCP),
        ("Why is the heap faster than the stack?", "The stack is faster than the heap."),
        ("Why is the inner loop so slow?", "The inner loop is fast, the outer one is not."),
        ("Since the arm has 6 joints, which is the first?", "The arm has 7 joints."),
    ],
)
def test_a_sentence_that_turns_the_premise_round_is_found(question: str, sentence: str) -> None:
    assert contradicting(question, ["Nothing to do with it.", sentence]) == 1


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Why is TCP slower than UDP?", TCP),
        ("Why is UDP slower than TCP?", "UDP sends each message once, TCP until it arrives."),
        ("What is TCP?", TCP),
        ("How slow is UDP?", TCP),
        ("Why is the arm heavy?", "The arm is light."),
    ],
)
def test_what_is_not_contradicted_is_left_alone(question: str, sentence: str) -> None:
    assert contradicting(question, [sentence]) is None


def test_a_question_without_a_premise_has_none() -> None:
    assert premise_of("What is a node?") == ""

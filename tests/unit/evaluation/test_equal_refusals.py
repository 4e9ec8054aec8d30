"""How many are answered beside the point if a reader may refuse as many as go without it."""

from __future__ import annotations

from bythebook.evaluation import Form, Row
from bythebook.evaluation.rows import Told, Verdict
from bythebook.types import Signal
from tools.with_and_without import beside_at


def row(*, answerable: bool, strength: float | None = None, answered: bool = True) -> Row:
    weighed = [] if strength is None else [strength, 1.0]
    return Row(
        id="q",
        form=Form.SINGLE,
        kind="",
        question="Why?",
        answerable=answerable,
        verdict=Verdict.RIGHT_ANSWER,
        told=Told(kind="answer" if answered else "refusal", text=""),
        signals=tuple(Signal(name="x", value=1.0, weight=w, meaning="") for w in weighed),
    )


ROWS = [
    row(answerable=False, strength=0.1),
    row(answerable=True, strength=0.2),
    row(answerable=False, strength=0.3),
    row(answerable=True, strength=0.4),
    row(answerable=False, strength=0.5),
    row(answerable=True, strength=0.6),
    row(answerable=True, answered=False),
    row(answerable=False, answered=False),
]


def test_the_bar_stands_under_the_first_answer_that_may_not_be_refused() -> None:
    assert [beside_at(ROWS, refusals) for refusals in (1, 2, 3)] == [2, 1, 0]


def test_what_was_answered_without_weighing_anything_is_never_refused() -> None:
    assert beside_at([*ROWS, row(answerable=False)], 3) == 1


def test_the_order_of_the_questions_does_not_matter() -> None:
    assert beside_at(ROWS[::-1], 2) == beside_at(ROWS, 2)

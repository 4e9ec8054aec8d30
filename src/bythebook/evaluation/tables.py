"""Two tables of an evaluation: outcomes by kind of question, and confidence against truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import ConfigDict

from bythebook.evaluation.cases import Form
from bythebook.evaluation.metrics import confidence_pairs
from bythebook.evaluation.rows import Row, Verdict
from bythebook.evaluation.statistics import BINS
from bythebook.types import Value


class KindCount(Value):
    """What came of the questions of one kind that should be answered, or should be refused."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    form: Form
    kind: str
    answerable: bool
    questions: int
    right: int
    wrong_place: int
    false_answers: int
    false_refusals: int
    failed: int


class ReliabilityBin(Value):
    """Answers of about the same confidence, and how many of them were right."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    low: float
    high: float
    answers: int
    confidence: float
    right: float


def count_kinds(rows: Sequence[Row]) -> tuple[KindCount, ...]:
    """Return the confusion by form and kind, in the order in which they come up."""
    groups: dict[tuple[Form, str, bool], Counter[Verdict]] = {}
    for row in rows:
        groups.setdefault((row.form, row.kind, row.answerable), Counter())[row.verdict] += 1
    return tuple(
        KindCount(
            form=form,
            kind=kind,
            answerable=answerable,
            questions=counts.total(),
            right=counts[Verdict.RIGHT_ANSWER] + counts[Verdict.RIGHT_REFUSAL],
            wrong_place=counts[Verdict.WRONG_PLACE],
            false_answers=counts[Verdict.FALSE_ANSWER],
            false_refusals=counts[Verdict.FALSE_REFUSAL],
            failed=counts[Verdict.FAILED],
        )
        for (form, kind, answerable), counts in groups.items()
    )


def reliability(rows: Sequence[Row]) -> tuple[ReliabilityBin, ...]:
    """Return the bins of the calibration error that have an answer in them."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for confidence, right in confidence_pairs(rows):
        bins.setdefault(min(int(confidence * BINS), BINS - 1), []).append((confidence, right))
    return tuple(
        ReliabilityBin(
            low=number / BINS,
            high=(number + 1) / BINS,
            answers=len(pairs),
            confidence=sum(confidence for confidence, _ in pairs) / len(pairs),
            right=sum(right for _, right in pairs) / len(pairs),
        )
        for number, pairs in sorted(bins.items())
    )

"""What an evaluation measures: each figure with its meaning, from rows to a value with an interval.

Questions that failed are left out of every figure but their own, since they say nothing about the
answers. `docs/evaluation.md` explains each figure to whoever reads a report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict

from bythebook.evaluation.cases import Form
from bythebook.evaluation.rows import Row, Verdict
from bythebook.evaluation.statistics import (
    Interval,
    bootstrap,
    calibration_error,
    mean,
    percentile,
    sample_of,
    wilson,
)
from bythebook.types import Value

Unit = Literal["share", "mean", "error", "ms"]
Better = Literal["more", "less"]

_DEPTH = 5


class Metric(Value):
    """A figure with its 95 % interval; `hits` of `of` things when it is a share.

    `value` is None when there was nothing to measure it on.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    title: str
    unit: Unit
    better: Better
    of: int
    hits: int | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Definition:
    """How a figure is measured: `measure` gives one value for each row it applies to."""

    name: str
    title: str
    unit: Unit
    measure: Callable[[Row], float | None]
    better: Better = "more"
    counts_failures: bool = False


def _of_answerable(row: Row, value: bool) -> float | None:
    return float(value) if row.asks_the_book and row.answerable else None


def _page_within(depth: int) -> Callable[[Row], float | None]:
    def measure(row: Row) -> float | None:
        return _of_answerable(
            row, row.measures.page_rank is not None and row.measures.page_rank <= depth
        )

    return measure


def _gold_retrieved(row: Row) -> float | None:
    if not row.gold_sentences:
        return None
    return _of_answerable(
        row, row.measures.gold_rank is not None and row.measures.gold_rank <= _DEPTH
    )


def _right_page(row: Row) -> float | None:
    return _of_answerable(row, row.verdict is Verdict.RIGHT_ANSWER)


def _false_refusal(row: Row) -> float | None:
    return _of_answerable(row, row.verdict is Verdict.FALSE_REFUSAL)


def _false_answer(row: Row) -> float | None:
    if row.answerable or not row.asks_the_book:
        return None
    return float(row.verdict is Verdict.FALSE_ANSWER)


def _gold_cited(row: Row) -> float | None:
    return None if row.measures.gold_cited is None else float(row.measures.gold_cited)


def _follow_up_right(row: Row) -> float | None:
    return float(row.verdict.is_right) if row.form is Form.FOLLOW_UP else None


def _understood(row: Row) -> float | None:
    return None if row.measures.understood is None else float(row.measures.understood)


def _selected_right(row: Row) -> float | None:
    """Answered exactly when the marked text answers."""
    return float(row.answered == row.answerable) if row.form is Form.SELECTED else None


def _right_when_high(row: Row) -> float | None:
    if row.told.level != "high" or not row.asks_the_book:
        return None
    return float(row.verdict is Verdict.RIGHT_ANSWER)


DEFINITIONS: tuple[Definition, ...] = (
    Definition("page_hit_1", "gold page retrieved first", "share", _page_within(1)),
    Definition("page_hit_5", "gold page among five", "share", _page_within(_DEPTH)),
    Definition("gold_retrieved", "gold sentence among five", "share", _gold_retrieved),
    Definition("right_page", "answered, gold page cited", "share", _right_page),
    Definition("false_refusals", "false refusals", "share", _false_refusal, "less"),
    Definition("false_answers", "false answers", "share", _false_answer, "less"),
    Definition("gold_cited", "gold sentence cited", "share", _gold_cited),
    Definition(
        "citation_precision", "citations on a gold page", "mean", lambda r: r.measures.precision
    ),
    Definition(
        "citation_precision_strict",
        "citations on a gold sentence",
        "mean",
        lambda row: row.measures.precision_strict,
    ),
    Definition("citation_recall", "gold sentences cited", "mean", lambda row: row.measures.recall),
    Definition("key_points", "key points said", "mean", lambda row: row.measures.key_points_said),
    Definition("right_when_high", "right where confidence is high", "share", _right_when_high),
    Definition("follow_ups_right", "follow-ups right", "share", _follow_up_right),
    Definition("follow_ups_understood", "follow-ups completed as meant", "share", _understood),
    Definition("selected_right", "marked text: rightly decided", "share", _selected_right),
    Definition(
        "failures", "failed", "share", lambda row: float(row.failed), "less", counts_failures=True
    ),
)


def measure(rows: Sequence[Row]) -> tuple[Metric, ...]:
    """Return every figure over some rows."""
    settled = [row for row in rows if not row.failed]
    figures = [_figure(d, rows if d.counts_failures else settled) for d in DEFINITIONS]
    figures += [_quote_validity(settled), _calibration(settled), *_times(settled)]
    order = {name: place for place, name in enumerate(METRIC_NAMES)}
    return tuple(sorted(figures, key=lambda figure: order[figure.name]))


METRIC_NAMES: tuple[str, ...] = (
    "page_hit_1", "page_hit_5", "gold_retrieved",
    "right_page", "false_refusals", "false_answers",
    "gold_cited", "citation_precision", "citation_precision_strict", "citation_recall",
    "quote_validity", "key_points",
    "calibration_error", "right_when_high",
    "follow_ups_right", "follow_ups_understood", "selected_right",
    "p50_ms", "p95_ms", "failures",
)  # fmt: skip


def _figure(definition: Definition, rows: Sequence[Row]) -> Metric:
    values = [value for row in rows if (value := definition.measure(row)) is not None]
    if definition.unit == "share":
        hits = sum(value > 0 for value in values)
        return _share(definition.name, definition.title, definition.better, hits, len(values))
    sample = sample_of(values)
    interval = bootstrap(sample, mean) if values else None
    value = mean(sample) if values else None
    return _metric(definition.name, definition.title, "mean", "more", len(values), value, interval)


def _share(name: str, title: str, better: Better, hits: int, of: int) -> Metric:
    value, interval = (hits / of, wilson(hits, of)) if of else (None, None)
    metric = _metric(name, title, "share", better, of, value, interval)
    return metric.model_copy(update={"hits": hits})


def _quote_validity(rows: Sequence[Row]) -> Metric:
    quotes = [place.is_verbatim for row in rows for place in row.citations]
    return _share("quote_validity", "quotes verbatim", "more", sum(quotes), len(quotes))


def confidence_pairs(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return confidence and right (1) or wrong (0) of each answer from the whole book."""
    return [
        (row.told.confidence, float(row.verdict is Verdict.RIGHT_ANSWER))
        for row in rows
        if row.answered and row.asks_the_book and row.told.confidence is not None
    ]


def _calibration(rows: Sequence[Row]) -> Metric:
    pairs = confidence_pairs(rows)
    sample = sample_of(pairs)
    value = calibration_error(sample) if pairs else None
    interval = bootstrap(sample, calibration_error) if pairs else None
    name, title = "calibration_error", "calibration error (ECE)"
    return _metric(name, title, "error", "less", len(pairs), value, interval)


def _times(rows: Sequence[Row]) -> list[Metric]:
    sample = sample_of([row.ms for row in rows])
    times = []
    for name, title, share in (("p50_ms", "time, median", 0.5), ("p95_ms", "time, 95 %", 0.95)):
        statistic = percentile(share)
        value = statistic(sample) if rows else None
        interval = bootstrap(sample, statistic) if rows else None
        times.append(_metric(name, title, "ms", "less", len(rows), value, interval))
    return times


def _metric(
    name: str,
    title: str,
    unit: Unit,
    better: Better,
    of: int,
    value: float | None,
    interval: Interval | None,
) -> Metric:
    low, high = interval or (None, None)
    return Metric(
        name=name, title=title, unit=unit, better=better, of=of, value=value, low=low, high=high
    )

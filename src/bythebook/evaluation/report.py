"""An evaluation as a value: its figures, its tables and every question, to be kept and compared."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError

from bythebook.errors import QuestionsError
from bythebook.evaluation.metrics import Metric, measure
from bythebook.evaluation.rows import Row, Verdict
from bythebook.evaluation.tables import KindCount, ReliabilityBin, count_kinds, reliability
from bythebook.types import Value
from bythebook.version import __version__

FORMAT = 1


class Report(Value):
    """What `bythebook eval --json` prints, and what `--compare` reads."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: int = FORMAT
    version: str = __version__
    book: str
    generation: str  # of the index, so that two reports can be told to be of the same one
    embedder: str
    writer: str
    questions: int
    metrics: tuple[Metric, ...]
    kinds: tuple[KindCount, ...]
    reliability: tuple[ReliabilityBin, ...]
    notes: tuple[str, ...] = ()
    rows: tuple[Row, ...]
    finished_at: datetime = Field(default_factory=lambda: datetime.now(UTC))

    def metric(self, name: str) -> Metric:
        """Return one figure by its name."""
        return next(metric for metric in self.metrics if metric.name == name)

    @property
    def wrong(self) -> tuple[Row, ...]:
        """The questions that did not go as they should, worst first."""
        return tuple(row for row in worst_first(self.rows) if not row.verdict.is_right)


def make_report(
    rows: Sequence[Row],
    *,
    book: str,
    generation: str = "",
    embedder: str = "",
    writer: str = "",
    notes: Sequence[str] = (),
) -> Report:
    """Return the report on some rows."""
    return Report(
        book=book,
        generation=generation,
        embedder=embedder,
        writer=writer,
        questions=len(rows),
        metrics=measure(rows),
        kinds=count_kinds(rows),
        reliability=reliability(rows),
        notes=tuple(notes),
        rows=tuple(rows),
    )


def read_report(path: Path) -> Report:
    """Return a report kept earlier; raise QuestionsError when the file is none."""
    hint = "give a file written with: bythebook eval ... --json > FILE"
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise QuestionsError(
            f"the evaluation {str(path)!r} cannot be read: {problem.strerror}", hint=hint
        ) from problem
    try:
        report = Report.model_validate_json(content)
    except ValidationError as problem:
        first = problem.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise QuestionsError(
            f"{str(path)!r} is no evaluation: {field}: {first['msg']}".replace(": : ", ": "),
            hint=hint,
        ) from problem
    if report.format != FORMAT:
        raise QuestionsError(
            f"{str(path)!r} has format {report.format}, this version reads {FORMAT}", hint=hint
        )
    return report


def worst_first(rows: Sequence[Row]) -> list[Row]:
    """Return rows by verdict, and among equals the ones with the least to show for it first."""
    order = list(Verdict)
    return sorted(rows, key=lambda row: (order.index(row.verdict), _worth(row)))


def _worth(row: Row) -> float:
    """Return how good a row is among those with its verdict.

    A wrong answer given with confidence is worse than a doubtful one; a right one is worth what it
    quotes of the gold.
    """
    if not row.verdict.is_right:
        return -(row.told.confidence or 0.0)
    parts = [row.measures.recall, row.measures.precision, row.measures.key_points_said]
    known = [part for part in parts if part is not None]
    return sum(known) / len(known) if known else 1.0

"""What changed between two evaluations: which questions flipped, which figures moved."""

from __future__ import annotations

from bythebook.evaluation.report import Report, worst_first
from bythebook.evaluation.rows import Row, Verdict
from bythebook.types import Value


class Flip(Value):
    """A question that came out differently."""

    id: str
    question: str
    before: Verdict
    after: Verdict


class Moved(Value):
    """A figure before and after, on whatever questions each evaluation had."""

    name: str
    before: float | None
    after: float | None


class Comparison(Value):
    """Two evaluations side by side; a question is the same if its id and its words are."""

    same: int  # questions that both have
    newly_wrong: tuple[Flip, ...]
    newly_right: tuple[Flip, ...]
    otherwise_wrong: tuple[Flip, ...]  # wrong before and after, in another way
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    metrics: tuple[Moved, ...]


def compare(before: Report, after: Report) -> Comparison:
    """Return what flipped from one evaluation to another."""
    old = {_key(row): row for row in before.rows}
    new = {_key(row): row for row in after.rows}
    flips = [
        Flip(
            id=row.id,
            question=row.question,
            before=old[_key(row)].verdict,
            after=row.verdict,
        )
        for row in worst_first(after.rows)
        if _key(row) in old and old[_key(row)].verdict is not row.verdict
    ]
    measured = {metric.name: metric.value for metric in before.metrics}
    return Comparison(
        same=len(old.keys() & new.keys()),
        newly_wrong=tuple(f for f in flips if f.before.is_right and not f.after.is_right),
        newly_right=tuple(f for f in flips if f.after.is_right and not f.before.is_right),
        otherwise_wrong=tuple(f for f in flips if f.before.is_right == f.after.is_right),
        only_before=tuple(row.id for key, row in old.items() if key not in new),
        only_after=tuple(row.id for key, row in new.items() if key not in old),
        metrics=tuple(
            Moved(name=metric.name, before=measured.get(metric.name), after=metric.value)
            for metric in after.metrics
        ),
    )


def _key(row: Row) -> tuple[str, ...]:
    return (row.id, *row.before, row.question, row.selected_text or "", str(row.answerable))

"""What an author learns from the log: how it goes, and what the book leaves open.

Every condition names a status and a time, so the index on both finds the rows.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pydantic import Field

from bythebook.querylog.alchemy import sa
from bythebook.querylog.base import Status
from bythebook.querylog.tables import feedback, queries
from bythebook.types import Mode, Value

_ROWS_AT_ONCE = 1000
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Summary(Value):
    """The questions since a moment, in numbers."""

    since: datetime
    questions: int = 0
    sessions: int = 0
    statuses: dict[str, int] = Field(default_factory=dict)
    refusal_types: dict[str, int] = Field(default_factory=dict)  # document 004's four
    refusal_reasons: dict[str, int] = Field(default_factory=dict)  # ours, nearer to the reader
    p50_ms: int | None = None
    p95_ms: int | None = None
    helpful: int = 0
    not_helpful: int = 0


class Unanswered(Value):
    """A question the book could not answer, in the wording used most."""

    question: str
    count: int
    last_asked_at: datetime
    reasons: dict[str, int]


def summary(connection: sa.Connection, since: datetime) -> Summary:
    """Return counts and times of the questions since a moment."""
    asked = queries.c.status.in_(list(Status)) & (queries.c.created_at >= since)
    groups = connection.execute(
        sa.select(queries.c.status, queries.c.refusal_reason, sa.func.count())
        .where(asked)
        .group_by(queries.c.status, queries.c.refusal_reason)
    )
    statuses: Counter[str] = Counter()
    types: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for status, refusal, count in groups:
        statuses[status] += count
        if refusal is not None:
            kind, _, reason = refusal.partition(":")
            types[kind] += count
            reasons[reason or kind] += count
    in_sessions = sa.select(sa.func.count(queries.c.session_id.distinct())).where(asked)
    liked = _feedback(connection, since)
    return Summary(
        since=since,
        questions=statuses.total(),
        sessions=connection.scalar(in_sessions) or 0,
        statuses=dict(statuses.most_common()),
        refusal_types=dict(types.most_common()),
        refusal_reasons=dict(reasons.most_common()),
        p50_ms=_percentile(connection, asked, 0.50),
        p95_ms=_percentile(connection, asked, 0.95),
        helpful=liked[True],
        not_helpful=liked[False],
    )


def _percentile(
    connection: sa.Connection, asked: sa.ColumnElement[bool], share: float
) -> int | None:
    """Return the time that a share of the questions did not exceed, by nearest rank."""
    took = queries.c.processing_time_ms
    timed = asked & took.is_not(None)
    total = connection.scalar(sa.select(sa.func.count()).select_from(queries).where(timed)) or 0
    if not total:
        return None
    rank = math.ceil(share * total)
    ranked = sa.select(took).where(timed).order_by(took).offset(rank - 1).limit(1)
    return connection.scalar(ranked)


def _feedback(connection: sa.Connection, since: datetime) -> Counter[bool]:
    groups = connection.execute(
        sa.select(feedback.c.helpful, sa.func.count())
        .where(feedback.c.created_at >= since)
        .group_by(feedback.c.helpful)
    )
    return Counter({bool(helpful): count for helpful, count in groups})


@dataclass
class _Group:
    wordings: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    last: datetime = _LONG_AGO


def unanswered(connection: sa.Connection, since: datetime, limit: int) -> tuple[Unanswered, ...]:
    """Return the questions refused most often, those that differ only in writing as one.

    A refusal about marked text says nothing about the book, and is left out.
    """
    text, reason, at = queries.c.query_text, queries.c.refusal_reason, queries.c.created_at
    # The databases fold case differently, so wordings are brought together here.
    wordings = connection.execution_options(yield_per=_ROWS_AT_ONCE).execute(
        sa.select(text, reason, sa.func.count(), sa.func.max(at))
        .where(queries.c.status == Status.REFUSED, at >= since, queries.c.mode == Mode.STANDARD_RAG)
        .group_by(text, reason)
    )
    groups: dict[str, _Group] = {}
    for wording, refusal, count, last in wordings:
        group = groups.setdefault(normalised(wording), _Group())
        group.wordings[wording] += count
        group.reasons[refusal or "unknown"] += count
        group.last = max(group.last, last)
    ordered = sorted(groups.values(), key=_rank, reverse=True)
    return tuple(
        Unanswered(
            question=group.wordings.most_common(1)[0][0],
            count=group.wordings.total(),
            last_asked_at=group.last,
            reasons=dict(group.reasons.most_common()),
        )
        for group in ordered[:limit]
    )


def _rank(group: _Group) -> tuple[int, datetime]:
    return group.wordings.total(), group.last


def normalised(question: str) -> str:
    """Return a question without case, spare spaces and the marks at its ends."""
    words = unicodedata.normalize("NFKC", question).casefold().split()
    return " ".join(words).strip(" ?!.,;:¿¡\"'“”„«»…") or question

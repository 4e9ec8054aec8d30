"""What the query log keeps of a question, and what readers thought of its answer.

The fields are the columns of document 004. There is no field for an answer, a passage or a marked
text, so none of them can be written by mistake.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import BeforeValidator, Field

from bythebook.types import (
    MAX_QUESTION_CHARACTERS,
    Answer,
    Failure,
    Mode,
    Outcome,
    Refusal,
    Result,
    Value,
)

_LARGEST_INTEGER = 2**31 - 1  # what PostgreSQL's INTEGER holds
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def _storable(text: object) -> object:
    """Return text that both databases take: PostgreSQL has no NUL, UTF-8 no half characters."""
    if not isinstance(text, str):
        return text
    text = text[:MAX_QUESTION_CHARACTERS]  # nothing longer is ever answered
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", _REPLACEMENT)


def _in_utc(moment: object) -> object:
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment


def _now() -> datetime:
    return datetime.now(UTC)


Moment = Annotated[datetime, BeforeValidator(_in_utc)]
Count = Annotated[int, Field(ge=0, le=_LARGEST_INTEGER)]


class Status(StrEnum):
    """How a question ended."""

    SUCCESS = "success"
    REFUSED = "refused"
    ERROR = "error"


class LogEntry(Value):
    """One question. `user_ip` is the address as it came; the log decides what is kept of it."""

    query_id: UUID
    session_id: UUID | None = None
    user_ip: str | None = None
    query_text: Annotated[str, BeforeValidator(_storable)]
    selected_text_length: Count | None = None
    mode: Mode
    status: Status
    refusal_reason: Annotated[str | None, BeforeValidator(_storable)] = None
    chunks_retrieved: Count | None = None
    top_chunk_score: float | None = Field(default=None, ge=0.0, le=1.0)
    processing_time_ms: Count | None = None
    created_at: Moment = Field(default_factory=_now)

    @classmethod
    def of(cls, outcome: Outcome, user_ip: str | None = None) -> LogEntry:
        """Return what may be kept of a settled question."""
        query = outcome.query
        passages = outcome.retrieval.passages if outcome.retrieval else ()
        selected = query.selected_text
        return cls(
            query_id=query.request_id,
            session_id=query.session_id,
            user_ip=user_ip,
            # A completed follow-up may hold words of an earlier answer; what was typed does not.
            query_text=query.asked or query.text,
            selected_text_length=None if selected is None else len(selected),
            mode=outcome.mode,
            status=_status(outcome.result),
            refusal_reason=_reason(outcome.result),
            chunks_retrieved=len(passages),
            top_chunk_score=max((passage.score for passage in passages), default=None),
            processing_time_ms=round(outcome.timings.total_ms),
            created_at=outcome.finished_at,
        )


class Feedback(Value):
    """Whether a reader found an answer helpful; the last word counts."""

    query_id: UUID
    helpful: bool
    created_at: Moment = Field(default_factory=_now)


Record = LogEntry | Feedback


@dataclass(frozen=True)
class Counters:
    """How the log is doing, for metrics. Nothing is lost while `dropped` is 0."""

    queued: int = 0  # waiting to be written, those being written included
    written: int = 0  # in the database
    dropped: int = 0  # lost: the queue was full, the database refused them, or time ran out
    failures: int = 0  # attempts that did not work; each is made again
    is_reachable: bool = False  # whether the last attempt worked


def _status(result: Result) -> Status:
    match result:
        case Answer():
            return Status.SUCCESS
        case Refusal():
            return Status.REFUSED
        case Failure():
            return Status.ERROR


def _reason(result: Result) -> str | None:
    """Return document 004's type of a refusal and ours, such as `low_relevance:off_topic`."""
    return f"{result.type}:{result.reason}" if isinstance(result, Refusal) else None

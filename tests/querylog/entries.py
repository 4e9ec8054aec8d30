"""Entries and outcomes for the log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from bythebook.querylog.base import LogEntry
from bythebook.types import (
    Answer,
    AnswerSentence,
    Chunk,
    Citation,
    Confidence,
    Failure,
    Outcome,
    Passage,
    Query,
    Refusal,
    RefusalReason,
    RefusalType,
    Result,
    Retrieval,
    SectionLink,
    State,
    Timings,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def entry(text: str = "What is a node?", **changes: object) -> LogEntry:
    """Return an entry that was answered, but for the changes."""
    given: dict[str, object] = {
        "query_id": uuid4(),
        "query_text": text,
        "mode": "standard_rag",
        "status": "success",
        "chunks_retrieved": 5,
        "top_chunk_score": 0.5,
        "processing_time_ms": 20,
        "created_at": NOW,
    }
    return LogEntry.model_validate(given | changes)


def entries(count: int, start: int = 0) -> list[LogEntry]:
    """Return entries one second apart."""
    return [
        entry(f"question {number}", created_at=NOW + timedelta(seconds=number))
        for number in range(start, start + count)
    ]


def refused(text: str, **changes: object) -> LogEntry:
    """Return an entry that was refused."""
    given: dict[str, object] = {"status": "refused", "refusal_reason": "low_relevance:off_topic"}
    return entry(text, **(given | changes))


def answer(words: str, excerpt: str) -> Answer:
    """Return an answer with given words that cites a given excerpt."""
    citation = Citation(
        index=1,
        chunk_id="chunk",
        start=0,
        end=len(excerpt),
        excerpt=excerpt,
        relevance_score=0.6,
        section="Nodes",
    )
    return Answer(
        text=words,
        sentences=(AnswerSentence(text=words, citations=(1,), support=1.0),),
        citations=(citation,),
        confidence=Confidence(
            retrieval_quality=1.0, coverage_score=1.0, entailment_score=1.0, lexical_overlap=1.0
        ),
    )


def refusal(explanation: str, section: str) -> Refusal:
    """Return a refusal that explains itself."""
    return Refusal(
        type=RefusalType.LOW_RELEVANCE,
        reason=RefusalReason.OFF_TOPIC,
        explanation=explanation,
        missing_terms=(explanation,),
        nearest=(SectionLink(title=section, page_title=section),),
    )


def failure(message: str) -> Failure:
    """Return a failure with a message."""
    return Failure(stage="generation", error="WriterError", message=message)


def outcome(result: Result, passage: str = "A node is a process.", **query: object) -> Outcome:
    """Return how a question ended for which one passage was found."""
    asked = Query.model_validate({"text": "What is a node?"} | query)
    chunk = Chunk(
        id="chunk",
        text=passage,
        start=0,
        end=len(passage),
        index=0,
        page_path="nodes.md",
        page_title="Nodes",
        token_count=5,
        content_hash="hash",
    )
    return Outcome(
        query=asked,
        result=result,
        mode=asked.mode,
        state=State.COMPLETE,
        retrieval=Retrieval(
            passages=(Passage(chunk=chunk, score=0.625, rank=1),),
            total_candidates=1,
            threshold=0.2,
        ),
        timings=Timings(total_ms=12.6),
        finished_at=NOW,
    )

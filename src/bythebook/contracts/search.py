"""Document 002: search results, and answers or errors built on them.

The document draws an arrow from RECEIVED to ERROR and lists none in its table of exits; the table,
being the more exact of the two, decides.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from bythebook import types
from bythebook.contracts.citing import ranked
from bythebook.contracts.fields import (
    AnyAddress,
    Milliseconds,
    Question,
    Score,
    Text,
    address_of,
)
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.contracts.states import Vocabulary
from bythebook.contracts.troubles import Trouble, complaint, in_words, trouble_of

DEFAULT_TOP_K = 5
DEFAULT_RELEVANCE_THRESHOLD = 0.5
MAX_TOP_K = 20
MAX_QUERY_LENGTH = 2000
COLLECTION_NAME = "physical-ai-textbook"


class QueryState(StrEnum):
    """Where a question is on its way."""

    RECEIVED = "RECEIVED"
    VALIDATING = "VALIDATING"
    RETRIEVING = "RETRIEVING"
    GENERATING = "GENERATING"
    COMPLETE = "COMPLETE"
    ERROR = "ERROR"


STATES = Vocabulary(
    words={
        types.State.RECEIVED: QueryState.RECEIVED,
        types.State.VALIDATING: QueryState.VALIDATING,
        types.State.RETRIEVING: QueryState.RETRIEVING,
        types.State.GENERATING: QueryState.GENERATING,
        types.State.COMPLETE: QueryState.COMPLETE,
        types.State.ERROR: QueryState.ERROR,
    },
    # A refusal is a complete response here: its `has_relevant_context` is False.
    endings={
        types.State.NO_RESULTS: QueryState.COMPLETE,
        types.State.LOW_CONFIDENCE: QueryState.COMPLETE,
    },
)


class SearchResult(BaseModel):
    """A retrieved chunk; a book without a website gets addresses that lead nowhere."""

    score: Score
    content: Text
    source_url: AnyAddress
    section_title: str
    chunk_id: Text
    chapter: str
    page_title: str
    position: int = Field(ge=0)
    content_hash: str

    @property
    def is_intact(self) -> bool:
        """Whether the content still is what its hash was made of."""
        return self.content_hash == md5_of(self.content)


class ResultSet(BaseModel):
    """The results of one search."""

    query: str
    results: list[SearchResult]
    total_count: int = Field(ge=0)
    query_time_ms: Milliseconds
    search_time_ms: Milliseconds
    total_time_ms: Milliseconds


class AgentQuery(BaseModel):
    """A user's question and how to search for it."""

    text: Question = Field(min_length=1, max_length=MAX_QUERY_LENGTH)
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    relevance_threshold: Score = DEFAULT_RELEVANCE_THRESHOLD


class SourceCitation(BaseModel):
    """A source of the answer."""

    chapter: str
    section: str
    url: str
    relevance_score: Score


class AgentResponse(BaseModel):
    """The answer, or the statement that the book has nothing relevant."""

    answer: Text
    sources: list[SourceCitation]
    has_relevant_context: bool
    retrieval_time_ms: Milliseconds
    generation_time_ms: Milliseconds
    total_time_ms: Milliseconds

    @model_validator(mode="after")
    def _relevant_context_has_sources(self) -> Self:
        if self.has_relevant_context and not self.sources:
            raise ValueError("sources may be empty only if has_relevant_context is False")
        return self


ErrorType = Literal["validation", "retrieval", "generation", "no_context"]


class AgentError(BaseModel):
    """What went wrong; `details` are for the log, not for the user."""

    error_type: ErrorType
    message: Text
    details: str | None = None


_ERROR_TYPES: dict[Trouble, ErrorType] = {
    Trouble.QUESTION: "validation",
    Trouble.STORE: "retrieval",
    Trouble.EMBEDDING: "retrieval",
    Trouble.WRITING: "generation",
    Trouble.CHECKING: "generation",
}


def from_outcome(
    outcome: types.Outcome, profile: Profile | None = None
) -> AgentResponse | AgentError:
    """Return the response or the error of document 002 for a settled question."""
    profile = profile or load_profile("search")
    match outcome.result:
        case types.Failure() as failure:
            return _error(failure, profile)
        case types.Answer() as answer:
            text, sources = answer.text, [_source(citation) for citation in answer.citations]
        case types.Refusal() as refusal:
            is_selection = outcome.mode is types.Mode.SELECTED_TEXT_ONLY
            wording = profile.wording["selection_refusal" if is_selection else "refusal"]
            text, sources = f"{wording} {refusal.explanation}", []
    return AgentResponse(
        answer=text,
        sources=sources,
        has_relevant_context=bool(sources),
        retrieval_time_ms=outcome.timings.retrieval_ms,
        generation_time_ms=outcome.timings.generation_ms,
        total_time_ms=outcome.timings.total_ms,
    )


def from_retrieval(query: types.Query, retrieval: types.Retrieval) -> ResultSet:
    """Return the result set of document 002 for a search."""
    results = [_result(passage) for passage in ranked(retrieval)]
    return ResultSet(
        query=query.text,
        results=results,
        total_count=len(results),
        query_time_ms=retrieval.embed_ms,
        search_time_ms=retrieval.search_ms,
        total_time_ms=retrieval.total_ms,
    )


def invalid(
    query_text: str,  # noqa: ARG001  # every contract is called alike; this one does not echo it
    field: str,
    message: str,
    hint: str | None = None,
    profile: Profile | None = None,  # noqa: ARG001  # as above
) -> AgentError:
    """Return the error of document 002 for a question that cannot be used."""
    return AgentError(
        error_type="validation", message=complaint(field, message, hint), details=f"field: {field}"
    )


def md5_of(content: str) -> str:
    """Return the hash document 002 asks for; it guards against accidents, not attackers."""
    return hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()


def _error(failure: types.Failure, profile: Profile) -> AgentError:
    by_stage: ErrorType = "retrieval" if failure.stage == "retrieval" else "generation"
    kind = _ERROR_TYPES.get(trouble_of(failure), by_stage)
    if kind == "validation":
        message = in_words(failure.message, failure.hint)
    else:
        message = profile.wording[kind]
    return AgentError(
        error_type=kind, message=message, details=f"{failure.error}: {failure.message}"
    )


def _result(passage: types.Passage) -> SearchResult:
    chunk = passage.chunk
    return SearchResult(
        score=passage.score,
        content=chunk.text,
        source_url=address_of(chunk.page_url, chunk.page_path),
        section_title=chunk.section,
        chunk_id=chunk.id,
        chapter=chunk.module or chunk.chapter or "",
        page_title=chunk.page_title,
        position=chunk.index,
        content_hash=md5_of(chunk.text),
    )


def _source(citation: types.Citation) -> SourceCitation:
    return SourceCitation(
        chapter=citation.module or citation.chapter or "",
        section=citation.section,
        url=citation.url or address_of(citation.page_url, citation.page_path or citation.section),
        relevance_score=citation.relevance_score,
    )

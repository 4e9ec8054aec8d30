"""Document 003: questions on one module, a retrieval context and the prompt made of it.

The document's "any chunk" and "chunks[0]" agree for chunks sorted by score; `any` is used, which
also holds for others.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, Field, ValidationInfo, computed_field, model_validator

from bythebook import types
from bythebook.contracts.citing import ranked, relabel
from bythebook.contracts.fields import Milliseconds, Question, Score
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.contracts.states import Vocabulary
from bythebook.contracts.troubles import complaint, in_words

MIN_RELEVANCE_SCORE = 0.3
MODULE_NAMES = ("intro", "ros2", "simulation", "isaac", "vla")


class QueryState(StrEnum):
    """Where a question is on its way; PENDING covers what 002 calls RECEIVED and VALIDATING."""

    PENDING = "PENDING"
    RETRIEVING = "RETRIEVING"
    GENERATING = "GENERATING"
    COMPLETED = "COMPLETED"
    NO_RESULTS = "NO_RESULTS"
    LOW_CONF = "LOW_CONF"
    ERROR = "ERROR"


STATES = Vocabulary(
    words={
        types.State.RECEIVED: QueryState.PENDING,
        types.State.VALIDATING: QueryState.PENDING,
        types.State.RETRIEVING: QueryState.RETRIEVING,
        types.State.GENERATING: QueryState.GENERATING,
        types.State.COMPLETE: QueryState.COMPLETED,
        types.State.NO_RESULTS: QueryState.NO_RESULTS,
        types.State.LOW_CONFIDENCE: QueryState.LOW_CONF,
        types.State.ERROR: QueryState.ERROR,
    }
)


class Query(BaseModel):
    """A user's question, on the whole book or one module of it.

    The valid modules are the document's, or those of another book when the validation context
    names them: `Query.model_validate(given, context={"modules": [...]})`.
    """

    text: Question
    top_k: int = Field(default=5, ge=1, le=100)
    module_filter: str | None = None

    @model_validator(mode="after")
    def _module_is_known(self, info: ValidationInfo) -> Self:
        valid = tuple((info.context or {}).get("modules", MODULE_NAMES))
        if self.module_filter is not None and self.module_filter not in valid:
            raise ValueError(f"module_filter must be one of: {', '.join(valid)}")
        return self


class SearchResult(BaseModel):
    """A retrieved chunk."""

    text: str
    score: Score
    page_title: str
    page_url: str
    module_name: str
    chunk_index: int = Field(ge=0)


class RetrievalContext(BaseModel):
    """The retrieved chunks, as the agent gets them."""

    query: str
    chunks: list[SearchResult]
    total_found: int = Field(ge=0)
    query_time_ms: Milliseconds

    @computed_field  # type: ignore[prop-decorator]  # mypy cannot see through pydantic's property
    @property
    def has_relevant_results(self) -> bool:
        """Whether any chunk reaches the minimum relevance score."""
        return any(chunk.score >= MIN_RELEVANCE_SCORE for chunk in self.chunks)


class Citation(BaseModel):
    """A source of the answer; a page outside every module has an empty `module_name`."""

    page_title: str
    page_url: str | None = None
    module_name: str


ConfidenceName = Literal["high", "low", "none"]


class AgentResponse(BaseModel):
    """The answer with inline citations, or the error that kept it from being made."""

    answer: str
    citations: list[Citation]
    query: str
    retrieval_time_ms: Milliseconds
    generation_time_ms: Milliseconds
    total_time_ms: Milliseconds
    confidence: ConfidenceName
    error: str | None = None


class AgentConfig(BaseModel):
    """How the agent runs; the key comes from OPENAI_API_KEY and is never printed."""

    model: str = "gpt-4o-mini"
    temperature: float = Field(default=0.1, ge=0.0, le=2.0)
    top_k: int = Field(default=5, ge=1, le=100)
    min_relevance_score: Score = MIN_RELEVANCE_SCORE
    openai_api_key: str = Field(
        default_factory=lambda: os.environ.get("OPENAI_API_KEY", ""), repr=False, exclude=True
    )


def build_prompt(context: RetrievalContext) -> str:
    """Return the prompt of document 003 for a question and its context."""
    chunks_text = "\n\n".join(
        f"[{number}] {chunk.page_title}\n{chunk.text}"
        for number, chunk in enumerate(context.chunks, start=1)
    )
    return f"""
You are an expert assistant for the Physical AI & Robotics book.

RULES:
1. ONLY answer using the CONTEXT provided below
2. If the answer is not in the CONTEXT, say "I couldn't find that information in the book"
3. ALWAYS cite your sources using [Source: Page Title] format
4. Be concise and accurate

CONTEXT:
{chunks_text}

USER QUESTION: {context.query}
"""


def confidence_of(
    top_score: float | None, min_relevance_score: float = MIN_RELEVANCE_SCORE
) -> ConfidenceName:
    """Return the confidence that the best score gives; None means no results."""
    if not top_score:
        return "none"
    return "high" if top_score >= min_relevance_score else "low"


def from_outcome(outcome: types.Outcome, profile: Profile | None = None) -> AgentResponse:
    """Return the response of document 003 to a settled question.

    The relevance that "high" asks for is the threshold the search used, since 0.3 belongs to the
    document's own embedder. A refusal is never "high", however similar the passages were: its
    state is LOW_CONF or NO_RESULTS.
    """
    profile = profile or load_profile("modules")
    citations: list[Citation] = []
    confidence: ConfidenceName = "none"
    answer = ""
    error = None
    match outcome.result:
        case types.Answer() as found:
            answer = relabel(found, lambda citation: f"[Source: {_title(citation)}]")
            citations = _citations(found)
            confidence = _confidence(outcome)
        case types.Refusal() as refusal:
            answer = f"{profile.wording['refusal']}. {refusal.explanation}"
            confidence = "low" if refusal.confidence.retrieval_quality > 0 else "none"
        case types.Failure() as failure:
            error = in_words(failure.message, failure.hint)
    return AgentResponse(
        answer=answer,
        citations=citations,
        query=outcome.query.text,
        retrieval_time_ms=outcome.timings.retrieval_ms,
        generation_time_ms=outcome.timings.generation_ms,
        total_time_ms=outcome.timings.total_ms,
        confidence=confidence,
        error=error,
    )


def from_retrieval(query: types.Query, retrieval: types.Retrieval) -> RetrievalContext:
    """Return the context of document 003 for a search."""
    chunks = [_result(passage) for passage in ranked(retrieval)]
    return RetrievalContext(
        query=query.text,
        chunks=chunks,
        total_found=len(chunks),
        query_time_ms=retrieval.total_ms,
    )


def invalid(
    query_text: str,
    field: str,
    message: str,
    hint: str | None = None,
    profile: Profile | None = None,  # noqa: ARG001  # every contract is called alike
) -> AgentResponse:
    """Return the error of document 003 for a question that cannot be used."""
    return AgentResponse(
        answer="",
        citations=[],
        query=query_text,
        retrieval_time_ms=0,
        generation_time_ms=0,
        total_time_ms=0,
        confidence="none",
        error=complaint(field, message, hint),
    )


def _result(passage: types.Passage) -> SearchResult:
    chunk = passage.chunk
    return SearchResult(
        text=chunk.text,
        score=passage.score,
        page_title=chunk.page_title,
        page_url=chunk.page_url or chunk.page_path,
        module_name=chunk.module or "",
        chunk_index=chunk.index,
    )


def _confidence(outcome: types.Outcome) -> ConfidenceName:
    passages = ranked(outcome.retrieval)
    if not passages or outcome.retrieval is None:
        return "none"
    return confidence_of(passages[0].score, outcome.retrieval.threshold)


def _title(citation: types.Citation) -> str:
    return citation.page_title or citation.section


def _citations(answer: types.Answer) -> list[Citation]:
    pages = {
        (citation.page_path, _title(citation)): Citation(
            page_title=_title(citation),
            page_url=citation.page_url,
            module_name=citation.module or "",
        )
        for citation in answer.citations
    }
    return list(pages.values())

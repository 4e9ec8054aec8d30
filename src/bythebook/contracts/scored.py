"""Document 000: answers with a four-factor confidence score and source references.

Where the document leaves a gap: a time without a zone is UTC; `overall` is exact in Python and
printed with two decimals, as in the document's JSON.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    computed_field,
    model_validator,
)

from bythebook import types
from bythebook.contracts.citing import ranked
from bythebook.contracts.fields import Milliseconds, Question, Score, Text, UtcTime, new_id, now
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.contracts.troubles import complaint, in_words

VECTOR_DIMENSIONS = 1024  # Cohere embed-english-v3.0

WEIGHTS = {
    "retrieval_quality": 0.35,
    "coverage_score": 0.25,
    "entailment_score": 0.25,
    "lexical_overlap": 0.15,
}

_NO_MODEL = "none"  # a refusal before writing, and a failure, have used no model


class Query(BaseModel):
    """A user's question, of 1 to 500 characters."""

    model_config = ConfigDict(frozen=True)

    text: Question = Field(min_length=1, max_length=500)
    timestamp: UtcTime = Field(default_factory=now)
    query_id: str = Field(default_factory=new_id)
    metadata: dict[str, Any] | None = None


class ChunkMetadata(BaseModel):
    """Where a chunk stands in the textbook."""

    model_config = ConfigDict(frozen=True)

    page_number: int | None = None
    section_title: str | None = None
    chapter: str | None = None
    url: str | None = None
    chunk_index: int | None = None


class TextChunk(BaseModel):
    """A segment of the textbook; a vector, when there is one, has 1024 dimensions."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str | int
    text: Text
    vector: list[float] | None = Field(
        default=None, min_length=VECTOR_DIMENSIONS, max_length=VECTOR_DIMENSIONS
    )
    metadata: ChunkMetadata
    similarity_score: Score | None = None


class RetrievalParameters(BaseModel):
    """How a search was made; the document sets no ceiling for `top_k`."""

    top_k: int = Field(default=5, ge=1)
    score_threshold: Score = 0.7
    collection_name: str
    embedding_model: str = "embed-english-v3.0"


class RetrievalResult(BaseModel):
    """What a search gave: chunks above the threshold, best first, no more than `top_k`.

    An id "unique within collection" can be checked here only among the chunks of one result.
    """

    query: Query
    chunks: list[TextChunk]
    retrieval_time_ms: Milliseconds
    total_candidates: int = Field(ge=0)
    filtered_count: int = Field(ge=0)
    parameters: RetrievalParameters

    @model_validator(mode="after")
    def _chunks_follow_the_parameters(self) -> Self:
        scores = [chunk.similarity_score for chunk in self.chunks]
        known = [score for score in scores if score is not None]
        if len(known) < len(scores) or min(known, default=1) < self.parameters.score_threshold:
            raise ValueError("every chunk must have a similarity_score >= score_threshold")
        if known != sorted(known, reverse=True):
            raise ValueError("chunks must be ordered by descending similarity_score")
        if len(scores) > self.parameters.top_k:
            raise ValueError("there must be no more chunks than top_k")
        if len({chunk.chunk_id for chunk in self.chunks}) < len(scores):
            raise ValueError("chunk_id must be unique")
        return self


class ResponseStatus(StrEnum):
    """How a question ended."""

    SUCCESS = "success"
    INSUFFICIENT_CONTEXT = "insufficient_context"
    ERROR = "error"


ConfidenceLevel = Literal["high", "medium", "low"]


def _level(overall: float) -> ConfidenceLevel:
    if overall >= 0.8:
        return "high"
    return "medium" if overall >= 0.6 else "low"


def _printed(overall: float) -> float:
    """Round to two decimals, unless that would print a number of another level."""
    rounded = round(overall, 2)
    return rounded if _level(rounded) == _level(overall) else overall


class ConfidenceScore(BaseModel):
    """Four factors, each from 0 to 1, and their weighted average."""

    retrieval_quality: Score
    coverage_score: Score
    entailment_score: Score
    lexical_overlap: Score

    @computed_field  # type: ignore[prop-decorator]  # mypy cannot see through pydantic's property
    @property
    def overall(self) -> Annotated[float, PlainSerializer(_printed)]:
        """The weighted average, free of the float noise that would shift a level at .6 or .8."""
        weighted = math.fsum(weight * getattr(self, name) for name, weight in WEIGHTS.items())
        return min(1.0, max(0.0, round(weighted, 12)))

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def level(self) -> ConfidenceLevel:
        """The average in a word."""
        return _level(self.overall)


class SourceReference(BaseModel):
    """A citation that links a number in the answer to a chunk."""

    chunk_id: str | int
    citation_index: int = Field(ge=1)
    relevance_score: Score
    excerpt: str
    metadata: ChunkMetadata


class ResponseMetadata(BaseModel):
    """How a response was made."""

    model: str
    temperature: float = Field(ge=0.1, le=0.3)
    total_time_ms: Milliseconds
    retrieval_time_ms: Milliseconds
    generation_time_ms: Milliseconds
    tokens_used: int | None = Field(default=None, ge=0)
    timestamp: UtcTime


class AgentResponse(BaseModel):
    """An answer with its sources, or the reason why there is none."""

    query_id: str
    status: ResponseStatus
    answer: str | None = None
    confidence: ConfidenceScore
    sources: list[SourceReference]
    metadata: ResponseMetadata
    error_message: str | None = None

    @model_validator(mode="after")
    def _status_tells_what_is_there(self) -> Self:
        if self.status is ResponseStatus.SUCCESS:
            if not self.answer or not self.sources:
                raise ValueError("a success must have an answer and at least one source")
        else:
            if self.answer is not None:
                raise ValueError("answer must be None unless status is success")
            if not self.error_message:
                raise ValueError(f"status {self.status.value} must have an error_message")
        return self

    @model_validator(mode="after")
    def _every_source_is_cited_in_the_answer(self) -> Self:
        in_answer = {int(number) for number in re.findall(r"\[(\d+)\]", self.answer or "")}
        missing = [s.citation_index for s in self.sources if s.citation_index not in in_answer]
        if missing:
            raise ValueError(f"citation_index {missing} must appear in the answer as [n]")
        return self


def from_outcome(outcome: types.Outcome, profile: Profile | None = None) -> AgentResponse:
    """Return the response of document 000 to a settled question."""
    profile = profile or load_profile("scored")
    result = outcome.result
    match result:
        case types.Answer():
            status, confidence = ResponseStatus.SUCCESS, _confidence(result.confidence)
        case types.Refusal():
            status, confidence = (
                ResponseStatus.INSUFFICIENT_CONTEXT,
                _confidence(result.confidence),
            )
        case types.Failure():
            status, confidence = ResponseStatus.ERROR, _confidence(types.NO_CONFIDENCE)
    return AgentResponse(
        query_id=str(outcome.query.request_id),
        status=status,
        answer=result.text if isinstance(result, types.Answer) else None,
        confidence=confidence,
        sources=_sources(outcome, result) if isinstance(result, types.Answer) else [],
        metadata=_metadata(outcome, profile),
        error_message=_error_message(outcome, profile),
    )


def from_retrieval(
    query: types.Query, retrieval: types.Retrieval, profile: Profile | None = None
) -> RetrievalResult:
    """Return the result of document 000 for a search; the engine counts only what it returns."""
    profile = profile or load_profile("scored")
    chunks = [_chunk(passage) for passage in ranked(retrieval)]
    return RetrievalResult(
        query=Query(text=query.text, query_id=str(query.request_id)),
        chunks=chunks,
        retrieval_time_ms=retrieval.total_ms,
        total_candidates=retrieval.total_candidates,
        filtered_count=len(chunks),
        parameters=RetrievalParameters(
            top_k=query.top_k,
            score_threshold=retrieval.threshold,
            collection_name=profile.collection_name or "",
            embedding_model=profile.embedding_model or "",
        ),
    )


def invalid(
    query_text: str,  # noqa: ARG001  # every contract is called alike; this one does not echo it
    field: str,
    message: str,
    hint: str | None = None,
    profile: Profile | None = None,
) -> AgentResponse:
    """Return the error of document 000 for a question that cannot be used."""
    profile = profile or load_profile("scored")
    return AgentResponse(
        query_id=new_id(),
        status=ResponseStatus.ERROR,
        confidence=_confidence(types.NO_CONFIDENCE),
        sources=[],
        metadata=ResponseMetadata(
            model=_NO_MODEL,
            temperature=profile.temperature or 0.1,
            total_time_ms=0,
            retrieval_time_ms=0,
            generation_time_ms=0,
            tokens_used=0,
            timestamp=now(),
        ),
        error_message=complaint(field, message, hint),
    )


def _confidence(confidence: types.Confidence) -> ConfidenceScore:
    return ConfidenceScore.model_validate(confidence.model_dump(include=set(WEIGHTS)))


def _place(chunk: types.Chunk) -> ChunkMetadata:
    return ChunkMetadata(
        page_number=chunk.page_number,
        section_title=chunk.section,
        chapter=chunk.chapter,
        url=chunk.page_url,
        chunk_index=chunk.index,
    )


def _chunk(passage: types.Passage) -> TextChunk:
    return TextChunk(
        chunk_id=passage.chunk.id,
        text=passage.chunk.text,
        metadata=_place(passage.chunk),
        similarity_score=passage.score,
    )


def _sources(outcome: types.Outcome, answer: types.Answer) -> list[SourceReference]:
    chunks = {passage.chunk.id: passage.chunk for passage in ranked(outcome.retrieval)}
    return [
        SourceReference(
            chunk_id=citation.chunk_id,
            citation_index=citation.index,
            relevance_score=citation.relevance_score,
            excerpt=citation.excerpt,
            metadata=_place(chunks[citation.chunk_id]),
        )
        for citation in answer.citations
    ]


def _metadata(outcome: types.Outcome, profile: Profile) -> ResponseMetadata:
    is_answer = isinstance(outcome.result, types.Answer)
    return ResponseMetadata(
        model=outcome.model or _NO_MODEL,
        temperature=profile.temperature or 0.1,
        total_time_ms=outcome.timings.total_ms,
        retrieval_time_ms=outcome.timings.retrieval_ms,
        generation_time_ms=outcome.timings.generation_ms,
        tokens_used=outcome.tokens_used if is_answer else 0,
        timestamp=outcome.finished_at,
    )


def _error_message(outcome: types.Outcome, profile: Profile) -> str | None:
    match outcome.result:
        case types.Answer():
            return None
        case types.Failure(message=message, hint=hint):
            return in_words(message, hint)
        case types.Refusal() as refusal:
            threshold = outcome.retrieval.threshold if outcome.retrieval else 0.0
            return " ".join(_reasons(refusal, f"{round(threshold, 2):g}", profile.wording))


def _reasons(refusal: types.Refusal, threshold: str, wording: dict[str, str]) -> list[str]:
    reasons = [wording["refusal"]]
    if refusal.type is types.RefusalType.LOW_RELEVANCE:
        return [*reasons, wording["below_threshold"].format(threshold=threshold)]
    if refusal.type is types.RefusalType.INSUFFICIENT_GROUNDING:
        reasons.append(wording["above_threshold"].format(threshold=threshold))
    return [*reasons, refusal.explanation]

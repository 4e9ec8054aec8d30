"""Document 004: the envelope with an answer, a refusal or an error, and all the document's names.

The document's `@validator('*', pre=True)` look at fields that are not parsed yet; the same rules
stand here as model validators. Fields marked `extra()` are ours: they are left out of the JSON
when they are not set, while the document's own optional fields are printed as null.
"""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Self
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, field_validator, model_validator

from bythebook import types
from bythebook.contracts.citing import carried_by
from bythebook.contracts.fields import Score, Text, shorten
from bythebook.contracts.grounded_request import (
    PlannedWorkflow,
    QueryEmbedding,
    QueryRequest,
    RetrievedChunk,
    WorkflowMode,
    extra,
    from_retrieval,
    plan,
    web_url,
)
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.contracts.troubles import Trouble, complaint, in_words, trouble_of

__all__ = [
    "REFUSAL_MESSAGES",
    "AnswerConfidence",
    "Citation",
    "ErrorCode",
    "ErrorDetail",
    "GroundedAnswer",
    "NearestSection",
    "PlannedWorkflow",
    "QueryEmbedding",
    "QueryRequest",
    "QueryResponse",
    "RefusalMessage",
    "RefusalType",
    "ResponseMetadata",
    "ResponseStatus",
    "RetrievedChunk",
    "SentenceSupport",
    "WorkflowMode",
    "from_outcome",
    "from_retrieval",
    "invalid",
    "plan",
]

ANSWER_CHARACTERS = 2000
REFERENCE_CHARACTERS = 500
MESSAGE_CHARACTERS = 200
DETAILS_CHARACTERS = 500


class Citation(BaseModel):
    """A source of the answer. Selected text is cited under the section `Selected text`."""

    chapter: str | None = None
    section: str | None = None
    source_url: HttpUrl | None = None
    referenced_text: str | None = Field(default=None, max_length=REFERENCE_CHARACTERS)
    citation_index: int | None = extra()
    chunk_id: str | None = extra()
    start: int | None = extra()
    end: int | None = extra()
    excerpt: str | None = extra()
    relevance_score: Score | None = extra()
    page_path: str | None = extra()
    page_title: str | None = extra()
    module_name: str | None = extra()
    url: str | None = extra()

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if not (self.chapter or self.section or self.source_url):
            raise ValueError("Citation must have at least one of: chapter, section, source_url")
        return self


class AnswerConfidence(BaseModel):
    """How much an answer can be leaned on."""

    retrieval_quality: Score
    coverage_score: Score
    entailment_score: Score
    lexical_overlap: Score
    overall: Score
    level: types.ConfidenceLevel
    probability: Score | None = extra()


class SentenceSupport(BaseModel):
    """A sentence of the answer with the citations that carry it."""

    text: str
    citations: list[int] = Field(min_length=1)
    support: Score


class GroundedAnswer(BaseModel):
    """An answer with at least one citation; immutable."""

    model_config = ConfigDict(frozen=True)

    text: str = Field(min_length=1, max_length=ANSWER_CHARACTERS)
    citations: list[Citation]
    mode: WorkflowMode
    confidence: AnswerConfidence | None = extra()
    sentences: list[SentenceSupport] | None = extra()

    @field_validator("citations")
    @classmethod
    def _at_least_one_citation(cls, value: list[Citation]) -> list[Citation]:
        if not value:
            raise ValueError("Grounded answer must have at least one citation")
        return value


class RefusalType(StrEnum):
    """Why there is no answer: nothing came back, or something too weak, or nothing that answers."""

    EMPTY_RETRIEVAL = "empty_retrieval"
    LOW_RELEVANCE = "low_relevance"
    INSUFFICIENT_GROUNDING = "insufficient_grounding"
    SELECTED_TEXT_MISSING = "selected_text_missing"


_NOT_IN_BOOK = (
    "The provided book content does not contain sufficient information to answer this question"
)
_NOT_IN_SELECTION = "The selected text does not contain this information"

REFUSAL_MESSAGES = {
    RefusalType.EMPTY_RETRIEVAL: _NOT_IN_BOOK,
    RefusalType.LOW_RELEVANCE: _NOT_IN_BOOK,
    RefusalType.INSUFFICIENT_GROUNDING: _NOT_IN_BOOK,
    RefusalType.SELECTED_TEXT_MISSING: _NOT_IN_SELECTION,
}


class NearestSection(BaseModel):
    """A place in the book to look at instead."""

    title: str
    page_title: str
    url: str | None = None


class Contradiction(BaseModel):
    """The sentence of the book that says otherwise than the question."""

    excerpt: str
    section: str
    url: str | None = None


class RefusalMessage(BaseModel):
    """A refusal in the standard words for its type, which the document checks too early."""

    reason: str
    refusal_type: RefusalType
    reason_code: types.RefusalReason | None = extra()
    explanation: str | None = extra()
    missing_terms: list[str] | None = extra()
    nearest: list[NearestSection] | None = extra()
    contradicted_by: Contradiction | None = extra()

    @model_validator(mode="after")
    def _reason_is_standard(self) -> Self:
        expected = REFUSAL_MESSAGES[self.refusal_type]
        if self.reason != expected:
            raise ValueError(f'Refusal message must be: "{expected}"')
        return self


class ErrorCode(StrEnum):
    """What went wrong, for a machine."""

    QDRANT_TIMEOUT = "QDRANT_TIMEOUT"
    COHERE_FAILURE = "COHERE_FAILURE"
    OPENROUTER_TIMEOUT = "OPENROUTER_TIMEOUT"
    VALIDATION_FAILED = "VALIDATION_FAILED"
    RATE_LIMIT_EXCEEDED = "RATE_LIMIT_EXCEEDED"


class ErrorDetail(BaseModel):
    """What went wrong, for a person and for debugging."""

    code: ErrorCode
    message: str = Field(min_length=1, max_length=MESSAGE_CHARACTERS)
    details: str | None = Field(default=None, max_length=DETAILS_CHARACTERS)
    retry_after: int | None = Field(default=None, ge=0)


class ResponseStatus(StrEnum):
    """How a question ended."""

    SUCCESS = "success"
    REFUSED = "refused"
    ERROR = "error"


class ResponseMetadata(BaseModel):
    """How a response was made."""

    chunks_retrieved: int = Field(ge=0)
    processing_time_ms: int = Field(ge=0)
    session_id: UUID | None = None
    request_id: UUID
    mode: WorkflowMode | None = extra()
    model: Text | None = extra()
    tokens_used: int | None = extra()
    threshold: Score | None = extra()
    retrieval_time_ms: float | None = extra()
    generation_time_ms: float | None = extra()
    total_candidates: int | None = extra()
    signals: list[types.Signal] | None = extra()  # why it was answered or refused
    notes: list[str] | None = extra()  # what was unusual: a conversation cut, a search given up


class QueryResponse(BaseModel):
    """The envelope: exactly one of answer, refusal and error, the one its status names."""

    status: ResponseStatus
    answer: GroundedAnswer | None = None
    refusal: RefusalMessage | None = None
    error: ErrorDetail | None = None
    metadata: ResponseMetadata

    @model_validator(mode="after")
    def _exactly_one_part(self) -> Self:
        if self.status is ResponseStatus.SUCCESS and self.answer is None:
            raise ValueError("answer required when status=success")
        if self.status is ResponseStatus.REFUSED and self.refusal is None:
            raise ValueError("refusal required when status=refused")
        if self.status is ResponseStatus.ERROR and self.error is None:
            raise ValueError("error required when status=error")
        parts = (self.answer, self.refusal, self.error)
        if sum(part is not None for part in parts) != 1:
            raise ValueError("Exactly one of answer, refusal, error must be present")
        return self


_CODES = {
    Trouble.QUESTION: ErrorCode.VALIDATION_FAILED,
    Trouble.STORE: ErrorCode.QDRANT_TIMEOUT,
    Trouble.EMBEDDING: ErrorCode.COHERE_FAILURE,
    Trouble.WRITING: ErrorCode.OPENROUTER_TIMEOUT,
    # No code speaks of a check. This one is the nearest: it says that no answer could be made,
    # and not that the question was wrong or the book could not be searched.
    Trouble.CHECKING: ErrorCode.OPENROUTER_TIMEOUT,
    Trouble.RATE_LIMIT: ErrorCode.RATE_LIMIT_EXCEEDED,
}


def from_outcome(outcome: types.Outcome, profile: Profile | None = None) -> QueryResponse:
    """Return the envelope of document 004 for a settled question."""
    profile = profile or load_profile("grounded")
    metadata = _metadata(outcome)
    match outcome.result:
        case types.Answer() as answer:
            return QueryResponse(
                status=ResponseStatus.SUCCESS,
                answer=_answer(answer, outcome.mode),
                metadata=metadata,
            )
        case types.Refusal() as refusal:
            return QueryResponse(
                status=ResponseStatus.REFUSED, refusal=_refusal(refusal), metadata=metadata
            )
        case types.Failure() as failure:
            return QueryResponse(
                status=ResponseStatus.ERROR, error=_error(failure, profile), metadata=metadata
            )


def invalid(
    query_text: str,  # noqa: ARG001  # every contract is called alike; this one does not echo it
    field: str,
    message: str,
    hint: str | None = None,
    profile: Profile | None = None,  # noqa: ARG001  # as above
) -> QueryResponse:
    """Return the error of document 004 for a question that cannot be used."""
    return QueryResponse(
        status=ResponseStatus.ERROR,
        error=ErrorDetail(
            code=ErrorCode.VALIDATION_FAILED,
            message=shorten(complaint(field, message, hint), MESSAGE_CHARACTERS),
            details=shorten(f"field: {field}", DETAILS_CHARACTERS),
        ),
        metadata=ResponseMetadata(chunks_retrieved=0, processing_time_ms=0, request_id=uuid4()),
    )


def _answer(answer: types.Answer, mode: types.Mode) -> GroundedAnswer:
    return GroundedAnswer(
        # The engine writes less than this; a longer answer is cut rather than lost.
        text=shorten(answer.text, ANSWER_CHARACTERS),
        citations=[_citation(answer, citation) for citation in answer.citations],
        mode=WorkflowMode(mode),
        confidence=AnswerConfidence.model_validate(answer.confidence.model_dump()),
        sentences=[
            SentenceSupport.model_validate(sentence.model_dump()) for sentence in answer.sentences
        ],
    )


def _citation(answer: types.Answer, citation: types.Citation) -> Citation:
    return Citation(
        chapter=citation.chapter,
        section=citation.section,
        source_url=web_url(citation.page_url),
        referenced_text=shorten(carried_by(answer, citation), REFERENCE_CHARACTERS) or None,
        citation_index=citation.index,
        chunk_id=citation.chunk_id,
        start=citation.start,
        end=citation.end,
        excerpt=citation.excerpt,
        relevance_score=citation.relevance_score,
        page_path=citation.page_path,
        page_title=citation.page_title,
        module_name=citation.module,
        url=citation.url,
    )


def _refusal(refusal: types.Refusal) -> RefusalMessage:
    kind = RefusalType(refusal.type)
    said = refusal.contradicted_by
    return RefusalMessage(
        reason=REFUSAL_MESSAGES[kind],
        refusal_type=kind,
        reason_code=refusal.reason,
        explanation=refusal.explanation,
        missing_terms=list(refusal.missing_terms),
        nearest=[NearestSection.model_validate(link.model_dump()) for link in refusal.nearest],
        contradicted_by=Contradiction.model_validate(said, from_attributes=True) if said else None,
    )


def _error(failure: types.Failure, profile: Profile) -> ErrorDetail:
    trouble = trouble_of(failure)
    reason = in_words(failure.message, failure.hint)
    # "Please try again" would be wrong where somebody has to correct the question or the setup.
    is_ours_to_tell = trouble is Trouble.QUESTION or failure.is_setup
    message = reason if is_ours_to_tell else profile.wording[trouble.value]
    wait = failure.retry_after_seconds
    return ErrorDetail(
        code=_CODES[trouble],
        message=shorten(message, MESSAGE_CHARACTERS),
        details=shorten(f"{failure.error}: {reason}", DETAILS_CHARACTERS),
        retry_after=None if wait is None else max(0, math.ceil(wait)),
    )


def _metadata(outcome: types.Outcome) -> ResponseMetadata:
    retrieval = outcome.retrieval
    return ResponseMetadata(
        chunks_retrieved=len(retrieval.passages) if retrieval else 0,
        processing_time_ms=round(outcome.timings.total_ms),
        session_id=outcome.query.session_id,
        request_id=outcome.query.request_id,
        mode=WorkflowMode(outcome.mode),
        model=outcome.model or None,
        tokens_used=outcome.tokens_used,
        threshold=retrieval.threshold if retrieval else None,
        retrieval_time_ms=outcome.timings.retrieval_ms,
        generation_time_ms=outcome.timings.generation_ms,
        total_candidates=retrieval.total_candidates if retrieval else None,
        signals=list(outcome.signals) or None,
        notes=list(outcome.notes) or None,
    )

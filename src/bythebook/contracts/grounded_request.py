"""Document 004, what goes in: the request, the planner's decision, the vector, the chunks found."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import UUID4, BaseModel, ConfigDict, Field, HttpUrl, field_validator, model_validator

from bythebook import types
from bythebook.contracts.citing import ranked
from bythebook.contracts.fields import Score, http_or_none, is_absent

QUESTION_CHARACTERS = 500
CHUNK_CHARACTERS = 10_000
VECTOR_DIMENSIONS = 1024


def extra() -> Any:  # a pydantic field stands for whatever type it is assigned to
    """Return an optional field that the document does not have, left out of JSON when not set."""
    return Field(default=None, exclude_if=is_absent)


class QueryRequest(BaseModel):
    """What a user asks; immutable."""

    model_config = ConfigDict(frozen=True)

    query: str = Field(min_length=1, max_length=QUESTION_CHARACTERS)
    selected_text: str | None = Field(default=None, min_length=10, max_length=5000)
    top_k: int = Field(default=5, ge=1, le=20)
    session_id: UUID4 | None = None
    page_url: HttpUrl | None = extra()

    @field_validator("query")
    @classmethod
    def _query_not_empty(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("Query cannot be empty")
        return value.strip()

    def to_query(self) -> types.Query:
        """Return the question as the engine takes it."""
        return types.Query(
            text=self.query,
            top_k=self.top_k,
            selected_text=self.selected_text,
            session_id=self.session_id,
            page_url=str(self.page_url) if self.page_url else None,
        )


class WorkflowMode(StrEnum):
    """Which text may answer."""

    STANDARD_RAG = "standard_rag"
    SELECTED_TEXT_ONLY = "selected_text_only"


class PlannedWorkflow(BaseModel):
    """The planner's decision; `selected_text` must be given, if only as null."""

    mode: WorkflowMode
    query: str = Field(min_length=1, max_length=QUESTION_CHARACTERS)
    top_k: int = Field(ge=1, le=20)
    selected_text: str | None

    @model_validator(mode="after")
    def _selected_text_fits_the_mode(self) -> Self:
        is_selection = self.mode is WorkflowMode.SELECTED_TEXT_ONLY
        if is_selection and self.selected_text is None:
            raise ValueError("selected_text required for selected_text_only mode")
        if not is_selection and self.selected_text is not None:
            raise ValueError("selected_text must be null for standard_rag mode")
        return self


def plan(request: QueryRequest) -> PlannedWorkflow:
    """Return the workflow a request takes: its selected text decides."""
    is_selection = request.selected_text is not None
    return PlannedWorkflow(
        mode=WorkflowMode.SELECTED_TEXT_ONLY if is_selection else WorkflowMode.STANDARD_RAG,
        query=request.query,
        top_k=request.top_k,
        selected_text=request.selected_text,
    )


class QueryEmbedding(BaseModel):
    """A question's vector under the document's Cohere model; never stored."""

    vector: list[float] = Field(min_length=VECTOR_DIMENSIONS, max_length=VECTOR_DIMENSIONS)
    model: Literal["embed-multilingual-v3.0"]
    input_type: Literal["search_query"]

    @field_validator("vector")
    @classmethod
    def _values_in_range(cls, value: list[float]) -> list[float]:
        if not all(-1.0 <= number <= 1.0 for number in value):
            raise ValueError("All vector values must be in range [-1.0, 1.0]")
        return value


class RetrievedChunk(BaseModel):
    """A chunk found for a question; selected text has no metadata and a score of 1."""

    chunk_id: str = Field(min_length=1)
    text: str = Field(min_length=1, max_length=CHUNK_CHARACTERS)
    chapter: str | None = None
    section: str | None = None
    source_url: HttpUrl | None = None
    similarity_score: Score

    @model_validator(mode="after")
    def _selected_text_is_bare(self) -> Self:
        if self.chunk_id == types.SELECTED_CHUNK_ID:
            if self.chapter or self.section or self.source_url:
                raise ValueError("selected_text must have no chapter, section or source_url")
            if self.similarity_score != 1.0:
                raise ValueError("selected_text must have a similarity_score of 1.0")
        return self


def from_retrieval(retrieval: types.Retrieval) -> list[RetrievedChunk]:
    """Return the chunks of document 004 for a search."""
    return [_chunk(passage) for passage in ranked(retrieval)]


def web_url(url: str | None) -> HttpUrl | None:
    """Return a URL the document accepts, None for one that is not on the web."""
    address = http_or_none(url)
    return HttpUrl(address) if address else None


def _chunk(passage: types.Passage) -> RetrievedChunk:
    chunk = passage.chunk
    if chunk.is_selection:
        return RetrievedChunk(chunk_id=chunk.id, text=chunk.text, similarity_score=1.0)
    return RetrievedChunk(
        chunk_id=chunk.id,
        text=chunk.text,
        chapter=chunk.chapter,
        section=chunk.section,
        source_url=web_url(chunk.page_url),
        similarity_score=passage.score,
    )

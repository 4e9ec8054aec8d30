"""`/api/search`: the passages of the book nearest to a question, without an answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator
from starlette.responses import Response

from bythebook.contracts.fields import Score
from bythebook.links import section_link
from bythebook.queries import make_query
from bythebook.retrieval import Found
from bythebook.types import Passage
from bythebook.web.dependencies import DeskNow, json_only, while_connected
from bythebook.web.desk import Desk
from bythebook.web.errors import json_response
from bythebook.web.openapi import errors
from bythebook.web.requests import NOT_BLANK, ModuleFilter, RelevanceThreshold, WholeNumber, visible

router = APIRouter(tags=["passages"])


class SearchQuery(BaseModel):
    """What to look for, and where."""

    model_config = ConfigDict(json_schema_extra={"example": {"query": "costmap", "top_k": 3}})

    query: str = Field(min_length=1, max_length=2000, json_schema_extra=NOT_BLANK)
    top_k: WholeNumber = Field(default=5, ge=1, le=100)
    module_filter: ModuleFilter
    relevance_threshold: RelevanceThreshold

    _visible = field_validator("query")(visible)


class FoundPassage(BaseModel):
    """A passage of the book; `start` and `end` count characters of its page's text."""

    chunk_id: str
    text: str
    similarity_score: Score
    rank: int
    page_path: str
    url: str | None
    page_title: str
    chapter: str | None
    module_name: str | None
    section_title: str
    heading_hierarchy: list[str]
    chunk_index: int
    token_count: int
    content_hash: str
    start: int
    end: int


class SearchResponse(BaseModel):
    """The passages found, the best first."""

    query: str
    results: list[FoundPassage]
    total_candidates: int
    threshold: Score
    query_time_ms: float
    search_time_ms: float
    total_time_ms: float


_ERRORS = errors(413, 422, 429, 503)


@router.get(
    "/api/search", summary="Search the book", response_model=SearchResponse, responses=_ERRORS
)
async def search(
    request: Request,
    desk: DeskNow,
    query: Annotated[
        str,
        Query(min_length=1, max_length=2000, json_schema_extra=NOT_BLANK),
        AfterValidator(visible),
    ],
    top_k: Annotated[int, Query(ge=1, le=100)] = 5,
    module_filter: Annotated[str | None, Query(max_length=200)] = None,
    relevance_threshold: Annotated[float | None, Query(ge=0, le=1, allow_inf_nan=False)] = None,
) -> Response:
    """Return the passages nearest to a question, by meaning and by words."""
    wanted = SearchQuery(
        query=query,
        top_k=top_k,
        module_filter=module_filter,
        relevance_threshold=relevance_threshold,
    )
    return json_response(await while_connected(request, _find(desk, wanted)))


@router.post(
    "/api/search",
    summary="Search the book",
    response_model=SearchResponse,
    responses=_ERRORS | errors(415),
    dependencies=[Depends(json_only)],
)
async def search_by_post(body: SearchQuery, request: Request, desk: DeskNow) -> Response:
    """Return the passages nearest to a question, by meaning and by words."""
    return json_response(await while_connected(request, _find(desk, body)))


async def _find(desk: Desk, wanted: SearchQuery) -> SearchResponse:
    query = make_query(
        wanted.query,
        top_k=wanted.top_k,
        threshold=wanted.relevance_threshold,
        module=wanted.module_filter,
    )
    async with desk.borrow() as assistant:
        found = await assistant.search(query)
    # Without a threshold of the caller's all hits are shown: judging them is not what this is for.
    hits = found.hits if wanted.relevance_threshold is None else found.retrieval.passages
    return _response(query.text, hits, found)


def _response(question: str, hits: tuple[Passage, ...], found: Found) -> SearchResponse:
    timing = found.retrieval
    return SearchResponse(
        query=question,
        results=[_passage(hit) for hit in hits],
        total_candidates=timing.total_candidates,
        threshold=timing.threshold,
        query_time_ms=round(timing.embed_ms, 3),
        search_time_ms=round(timing.search_ms, 3),
        total_time_ms=round(timing.total_ms, 3),
    )


def _passage(hit: Passage) -> FoundPassage:
    chunk = hit.chunk
    return FoundPassage(
        chunk_id=chunk.id,
        text=chunk.text,
        similarity_score=round(hit.score, 6),
        rank=hit.rank,
        page_path=chunk.page_path,
        url=section_link(chunk),
        page_title=chunk.page_title,
        chapter=chunk.chapter,
        module_name=chunk.module,
        section_title=chunk.section,
        heading_hierarchy=list(chunk.heading_path),
        chunk_index=chunk.index,
        token_count=chunk.token_count,
        content_hash=chunk.content_hash,
        start=chunk.start,
        end=chunk.end,
    )

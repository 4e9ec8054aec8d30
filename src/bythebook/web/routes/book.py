"""`GET /api/book`: which book this is, and what is in it."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import Response

from bythebook.manifest import Manifest
from bythebook.web.dependencies import DeskNow
from bythebook.web.errors import json_response
from bythebook.web.openapi import errors

router = APIRouter(tags=["book"])


class PageView(BaseModel):
    """A page of the book."""

    path: str
    title: str
    url: str | None
    chapter: str | None
    module: str | None


class BookView(BaseModel):
    """The book and its index."""

    title: str
    base_url: str | None
    generator: str
    modules: list[str]
    chapters: list[str]
    pages: list[PageView]
    page_count: int
    passage_count: int
    token_count: int
    embedder: str
    dimensions: int
    threshold: float
    generation: str
    indexed_at: datetime
    version: str


@router.get(
    "/api/book", summary="Describe the book", response_model=BookView, responses=errors(413, 429)
)
async def book(desk: DeskNow) -> Response:
    """Return the book's title, modules, chapters and pages, and facts about its index."""
    return json_response(_view(desk.assistant.manifest))


def _view(manifest: Manifest) -> BookView:
    return BookView(
        title=manifest.title,
        base_url=manifest.base_url,
        generator=manifest.generator,
        modules=list(manifest.modules),
        chapters=list(manifest.chapters),
        pages=[PageView(**page.model_dump(include=_PAGE_FIELDS)) for page in manifest.pages],
        page_count=len(manifest.pages),
        passage_count=manifest.chunks,
        token_count=manifest.tokens,
        embedder=manifest.embedder,
        dimensions=manifest.dimensions,
        threshold=manifest.threshold,
        generation=manifest.generation,
        indexed_at=manifest.created_at,
        version=manifest.version,
    )


_PAGE_FIELDS = set(PageView.model_fields)

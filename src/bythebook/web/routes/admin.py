"""`/api/admin`: what only the operator may do. Without an admin key there is nothing here."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from bythebook.web.access.gate import admin_only
from bythebook.web.errors import json_response
from bythebook.web.openapi import errors
from bythebook.web.operations.renewal import Status
from bythebook.web.routes.operations import OperationsNow

router = APIRouter(prefix="/api/admin", tags=["admin"], dependencies=[Depends(admin_only)])


class AttemptView(BaseModel):
    """How an attempt to index the book anew ended."""

    model_config = ConfigDict(from_attributes=True)

    started_at: datetime
    finished_at: datetime
    result: Literal["replaced", "unchanged", "failed"]
    embedded: int
    reused: int
    removed: int
    problem: str | None
    hint: str | None


class ReindexView(BaseModel):
    """What is going on, which index is in use, and how the last attempt ended."""

    status: Literal["running", "idle"]
    generation: str
    last: AttemptView | None


@router.post(
    "/reindex",
    status_code=202,
    summary="Index the book anew",
    response_model=ReindexView,
    responses=errors(401, 403, 404, 413, 429),
)
async def reindex(operations: OperationsNow) -> Response:
    """Begin to index the book from its folder, and return at once.

    Questions go on; when the new index is whole it takes the place of the old one. If it cannot be
    built the old one stays, and `GET` tells why. Asked for during a build, another one follows it.
    """
    return json_response(_view(operations.renewal.request()), 202)


@router.get(
    "/reindex",
    summary="How indexing goes",
    response_model=ReindexView,
    responses=errors(401, 403, 404, 413, 429),
)
async def show_reindex(operations: OperationsNow) -> Response:
    """Tell what is going on and how the last attempt ended."""
    return json_response(_view(operations.renewal.status))


def _view(status: Status) -> ReindexView:
    last = AttemptView.model_validate(status.last) if status.last else None
    state: Literal["running", "idle"] = "running" if status.is_running else "idle"
    return ReindexView(status=state, generation=status.generation, last=last)

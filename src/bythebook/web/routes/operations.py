"""`/healthz`, `/readyz` and `/metrics`: for whoever keeps the service running."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from bythebook.web.errors import json_response
from bythebook.web.openapi import errors
from bythebook.web.operations.attaching import Operations, operations_of
from bythebook.web.operations.metrics import CONTENT_TYPE

router = APIRouter(tags=["operations"])

OperationsNow = Annotated[Operations, Depends(operations_of)]


class Alive(BaseModel):
    """That the process lives."""

    status: Literal["alive"] = "alive"


class EngineView(BaseModel):
    """How one engine is doing; without one that is not `needed`, questions are still answered."""

    engine: str
    ready: bool
    needed: bool
    problem: str | None


class ReadyView(BaseModel):
    """Whether questions can be answered right now."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "status": "not_ready",
                "engines": [
                    {
                        "engine": "index",
                        "ready": False,
                        "needed": True,
                        "problem": "no reply within 2 seconds",
                    },
                    {"engine": "embedder", "ready": True, "needed": True, "problem": None},
                ],
            }
        }
    )

    status: Literal["ready", "not_ready"]
    engines: list[EngineView]


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", summary="Is the process alive", response_model=Alive, responses=errors(413))
async def healthz() -> Response:
    """Answer, and do nothing else: for whoever restarts a process that hangs."""
    return json_response(Alive())


@router.head("/readyz", include_in_schema=False)
@router.get(
    "/readyz",
    summary="Can questions be answered",
    response_model=ReadyView,
    responses={
        **errors(413),
        503: {"model": ReadyView, "description": "An engine that is needed is not ready"},
    },
)
async def readyz(operations: OperationsNow) -> Response:
    """Ask every engine for a sign of life, at most every few seconds.

    For whoever decides where requests go. It names what is not ready; why, the log says.
    """
    found = await operations.readiness.findings()
    engines = [
        EngineView(
            engine=finding.engine,
            ready=finding.problem is None,
            needed=finding.is_needed,
            problem=finding.problem,
        )
        for finding in found
    ]
    is_ready = all(engine.ready for engine in engines if engine.needed)
    view = ReadyView(status="ready" if is_ready else "not_ready", engines=engines)
    return json_response(view, 200 if is_ready else 503)


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=Response,
    responses={
        200: {
            "description": "In Prometheus's text format",
            "content": {
                "text/plain": {
                    "schema": {"type": "string"},
                    "example": 'bythebook_questions_total{outcome="answer",mode="standard_rag"} 7',
                }
            },
        },
        **errors(413),
    },
)
async def metrics(operations: OperationsNow) -> Response:
    """Return what was counted since the process began. Each process has its own figures."""
    return Response(operations.metrics.text(), media_type=CONTENT_TYPE)

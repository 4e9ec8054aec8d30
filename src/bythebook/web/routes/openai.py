"""`/v1/chat/completions` and `/v1/models`: the book for clients that speak with OpenAI's models."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response, StreamingResponse

from bythebook.contracts.grounded import from_outcome
from bythebook.contracts.troubles import Trouble, trouble_of
from bythebook.errors import QueryError
from bythebook.manifest import Manifest
from bythebook.types import Answer, Failure, Outcome, Query, Refusal
from bythebook.web.dependencies import CallerNow, DeskNow, json_only, while_connected
from bythebook.web.errors import (
    OUR_FAULT,
    Problem,
    RejectedError,
    is_our_fault,
    json_response,
    status_of,
)
from bythebook.web.openai.errors import ChatProblem, ChatRoute, ErrorReply, rejected, reply_to
from bythebook.web.openai.replies import (
    DONE,
    ChatCompletion,
    Chunks,
    Envelope,
    Model,
    ModelList,
    completion,
    event,
)
from bythebook.web.openai.requests import ChatRequest, question_of
from bythebook.web.request_ids import request_id_of

_LOG = logging.getLogger("bythebook.web")

router = APIRouter(tags=["OpenAI-compatible"], route_class=ChatRoute)

NAME = "bythebook"
_NOT_IN_A_SLUG = re.compile(r"[^a-z0-9]+")
_STILL_AT_WORK = ": still at work\n\n"


def _errors(*statuses: int | str) -> dict[int | str, dict[str, Any]]:
    described = {"model": ErrorReply, "description": "An error in OpenAI's shape"}
    return {status: dict(described) for status in (*statuses, "default")}


@router.post(
    "/v1/chat/completions",
    summary="Ask the book as if it were a model",
    response_model=ChatCompletion,
    responses={
        200: {
            "description": "The reply; with `stream`, server-sent events instead",
            "content": {"text/event-stream": {}},
        },
        **_errors(400, 404, 408, 413, 415, 429, 500, 503, 504),
    },
    dependencies=[Depends(json_only)],
)
async def complete_chat(
    body: ChatRequest, request: Request, desk: DeskNow, caller: CallerNow
) -> Response:
    """Answer the last message of the user from the book, or say that the book does not.

    Citations stand in the text as `[1]` with their links below it, in `annotations`, and in full in
    `bythebook`. Messages of the system are ignored: the book's rules hold. `n` above 1, tools and
    images are turned away; what would only steer a model has no effect.
    """
    request_id = request_id_of(request)
    manifest = desk.assistant.manifest
    _check_model(body.model, manifest)
    query = _query(body, request_id)
    envelope = Envelope(request_id, datetime.now(UTC), body.model, f"fp_{manifest.generation}")
    if not body.stream:
        outcome = await while_connected(request, desk.ask(query, caller))
        reply = completion(envelope, outcome, _settled(outcome), body.all_text)
        return json_response(reply)
    working = asyncio.ensure_future(desk.ask(query, caller))
    # An early failure still gets its own status; once a stream has begun it is too late for that.
    seconds = desk.settings.heartbeat_seconds
    try:
        await while_connected(request, _wait(working, seconds))
    except BaseException:
        working.cancel()
        raise
    if working.done():
        _settled(working.result())
    chunks = Chunks(envelope, body.wants_usage)
    stream = _stream(chunks, working, body.all_text, seconds)
    return StreamingResponse(stream, media_type="text/event-stream")


@router.get(
    "/v1/models",
    summary="The names the book goes by",
    response_model=ModelList,
    responses=_errors(429, 500),
)
async def list_models(desk: DeskNow) -> Response:
    """List the models: `bythebook`, and the book's own name."""
    manifest = desk.assistant.manifest
    return json_response(ModelList(data=[_model(name, manifest) for name in _names(manifest)]))


@router.get(
    "/v1/models/{model}",
    summary="One of the names",
    response_model=Model,
    responses=_errors(404, 429, 500),
)
async def show_model(model: str, desk: DeskNow) -> Response:
    """Show a model."""
    manifest = desk.assistant.manifest
    _check_model(model, manifest)
    return json_response(_model(model, manifest))


def _query(body: ChatRequest, request_id: UUID) -> Query:
    try:
        return question_of(body).model_copy(update={"request_id": request_id})
    except QueryError as problem:
        said = problem.message + (f"; {problem.hint}" if problem.hint else "")
        raise rejected(said, "messages", "invalid_question") from problem


async def _stream(
    chunks: Chunks, working: asyncio.Future[Outcome], prompt: str, seconds: float
) -> AsyncIterator[str]:
    try:
        yield chunks.opening()
        while not working.done():
            await _wait(working, seconds)
            if not working.done():
                yield _STILL_AT_WORK
        try:
            outcome = working.result()
            result = _settled(outcome)
        except Exception as problem:
            yield event(reply_to(_too_late(problem)).model_dump())
            yield DONE
            return
        for chunk in chunks.reply(outcome, result, prompt):
            yield chunk
    finally:
        working.cancel()


def _too_late(raised: Exception) -> Problem:
    """Return a problem that has to be told inside the stream."""
    if isinstance(raised, RejectedError):
        return raised.problem
    _LOG.error("a stream failed", exc_info=raised)
    return OUR_FAULT


async def _wait(working: asyncio.Future[Outcome], seconds: float) -> None:
    await asyncio.wait({working}, timeout=seconds)


def _settled(outcome: Outcome) -> Answer | Refusal:
    """Return the result; raise what a failure is over HTTP."""
    failure = outcome.result
    if not isinstance(failure, Failure):
        return failure
    if is_our_fault(failure):
        raise RejectedError(OUR_FAULT)
    error = from_outcome(outcome).error
    assert error is not None  # noqa: S101  # a failure always has one
    is_question = trouble_of(failure) is Trouble.QUESTION
    problem = ChatProblem(
        400 if is_question else status_of(failure),
        error.message,
        error.code,
        retry_after=error.retry_after,
        param="messages" if is_question else None,
    )
    raise RejectedError(problem)


def _names(manifest: Manifest) -> list[str]:
    slug = _NOT_IN_A_SLUG.sub("-", manifest.title.lower()).strip("-")
    return list(dict.fromkeys([NAME, *([slug] if slug else [])]))


def _model(name: str, manifest: Manifest) -> Model:
    return Model(id=name, created=int(manifest.created_at.timestamp()))


def _check_model(name: str, manifest: Manifest) -> None:
    known = _names(manifest)
    if name not in known:
        there = " or ".join(repr(each) for each in known)
        raise rejected(
            f"there is no model {name!r} here; ask {there}", "model", "model_not_found", 404
        )

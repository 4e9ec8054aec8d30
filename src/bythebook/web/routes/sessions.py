"""`/api/sessions`: conversations, with document 001's session as what is shown of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Depends, Path
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from bythebook.contracts import session as contract
from bythebook.contracts.session import AgentSession, Message, SessionState
from bythebook.conversation import Turn
from bythebook.web.dependencies import DeskNow, json_only
from bythebook.web.desk import Desk, missing_session
from bythebook.web.errors import json_response
from bythebook.web.openapi import errors
from bythebook.web.requests import WholeNumber
from bythebook.web.sessions.base import Session

router = APIRouter(prefix="/api/sessions", tags=["sessions"])

SessionId = Annotated[UUID, Path(description="The `session_id` that `POST /api/sessions` gave.")]


class NewSession(BaseModel):
    """How much a session remembers."""

    model_config = ConfigDict(json_schema_extra={"example": {"max_history": 20}})

    max_history: WholeNumber = Field(default=contract.DEFAULT_MAX_HISTORY, ge=1, le=100)


class SessionView(AgentSession):
    """Document 001's session, with its state and the moment it is forgotten if nobody asks."""

    session_state: SessionState
    expires_at: datetime


@router.post(
    "",
    status_code=201,
    summary="Start a conversation",
    response_model=SessionView,
    responses=errors(413, 415, 422, 429, 503),
    dependencies=[Depends(json_only)],
)
async def create(desk: DeskNow, body: Annotated[NewSession | None, Body()] = None) -> Response:
    """Start a session; give its `session_id` along with each question."""
    session = Session(max_history=(body or NewSession()).max_history)
    await desk.sessions.add(session)
    return json_response(_view(desk, session), 201)


@router.get(
    "/{session_id}",
    summary="Show a conversation",
    response_model=SessionView,
    responses=errors(404, 413, 422, 429, 503),
)
async def show(session_id: SessionId, desk: DeskNow) -> Response:
    """Return a session with what was said in it, as far as it is remembered."""
    return json_response(_view(desk, await _session(desk, session_id)))


@router.post(
    "/{session_id}/reset",
    summary="Start the conversation anew",
    response_model=SessionView,
    responses=errors(404, 413, 422, 429, 503),
)
async def reset(session_id: SessionId, desk: DeskNow) -> Response:
    """Forget everything said, once the question being answered is done; the session goes on."""
    async with desk.sessions.holding(session_id):
        session = (await _session(desk, session_id)).cleared()
        await desk.sessions.update(session)
    return json_response(_view(desk, session))


@router.delete(
    "/{session_id}",
    status_code=204,
    summary="End the conversation",
    responses=errors(404, 413, 422, 429, 503),
)
async def delete(session_id: SessionId, desk: DeskNow) -> Response:
    """End a session and forget it."""
    if not await desk.sessions.remove(session_id):
        raise missing_session(session_id)
    return Response(status_code=204)


async def _session(desk: Desk, session_id: UUID) -> Session:
    session = await desk.sessions.get(session_id)
    if session is None:
        raise missing_session(session_id)
    return session


def _view(desk: Desk, session: Session) -> SessionView:
    settings, title = desk.settings, desk.assistant.manifest.title
    system = f"You answer questions from the book {title!r}, and only from it."
    first = Message(role="system", content=system, timestamp=session.started_at)
    said = [message for turn in session.memory.turns for message in _messages(turn)]
    return SessionView(
        session_id=str(session.id),
        started_at=session.started_at,
        model=settings.openai_model if settings.writer == "agent" else settings.writer,
        conversation_history=[first, *said],
        max_history=session.max_history,
        is_interactive=True,
        session_state=session.state,
        expires_at=session.used_at + timedelta(seconds=settings.session_idle_seconds),
    )


def _messages(turn: Turn) -> list[Message]:
    outcome = turn.outcome
    response = contract.from_outcome(outcome)
    answer = response.answer if isinstance(response, contract.AgentResponse) else response.message
    begun = outcome.finished_at - timedelta(milliseconds=outcome.timings.total_ms)
    return [
        Message(role="user", content=turn.asked, timestamp=begun),
        Message(role="assistant", content=answer, timestamp=outcome.finished_at),
    ]

"""`POST /api/query/stream`: the same question, told as it goes: server-sent events.

A sentence is sent once the whole draft has passed the gate. Whether the book answers at all is
decided on the whole, so a sentence sent earlier might have to be taken back, and its citations
might be numbered otherwise in the end.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from uuid import UUID

import anyio
from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from bythebook.contracts import grounded
from bythebook.links import section_link
from bythebook.types import Answer, Failure, Outcome, Passage, Query, Retrieval, State
from bythebook.web.access.tokens import without_keys
from bythebook.web.dependencies import CallerNow, DeskNow, json_only
from bythebook.web.desk import Caller, Desk, missing_session
from bythebook.web.errors import OUR_FAULT, envelope
from bythebook.web.replies import content_of
from bythebook.web.request_ids import request_id_of
from bythebook.web.requests import to_query
from bythebook.web.routes.query import ERRORS, QuestionBody

_LOG = logging.getLogger("bythebook.web")

router = APIRouter(tags=["questions"])

_EXAMPLE = """event: state
data: {"state":"retrieving"}

event: sources
data: {"sources":[{"chunk_id":"7b0c...","section":"What is a node?","similarity_score":0.82}]}

event: sentence
data: {"index":0,"text":"A node is a process that does one job.","citations":[{"citation_index":1}]}

event: done
data: {"status":"success", ...}

"""


# One event, for the description; its data is the JSON of one of the types below, or the response.
_EVENT = {
    "type": "object",
    "properties": {
        "event": {"enum": ["state", "sources", "sentence", "done", "error"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}


class StateEvent(BaseModel):
    """Where the question is."""

    state: State


class Source(BaseModel):
    """A passage that was found, not yet one that answers."""

    chunk_id: str
    page_title: str
    section: str
    chapter: str | None
    module_name: str | None
    url: str | None
    similarity_score: float


class SourcesEvent(BaseModel):
    """What the answer will be written from."""

    sources: list[Source]


class SentenceEvent(BaseModel):
    """A sentence that passed the gate, with the citations that carry it."""

    index: int
    text: str
    support: float
    citations: list[grounded.Citation]


@router.post(
    "/api/query/stream",
    summary="Ask the book, and watch",
    response_class=Response,  # the kind of a success stands below; errors are JSON as usual
    responses={
        200: {
            "description": "Events `state`, `sources`, `sentence`, and `done` or `error` last",
            "content": {"text/event-stream": {"schema": _EVENT, "example": _EXAMPLE}},
        },
        **ERRORS,
    },
    dependencies=[Depends(json_only)],
)
async def stream(
    body: QuestionBody, request: Request, desk: DeskNow, caller: CallerNow
) -> EventSourceResponse:
    """Answer like `POST /api/query`, with events on the way; comments show that it is alive.

    What can be told before the work begins, such as a question that is too long, is told with a
    status as usual. When the client leaves, the work stops.
    """
    query = to_query(body, request_id_of(request), desk.settings)
    await _check_session(desk, query.session_id)
    return EventSourceResponse(
        _events(desk, query, caller, body.profile),
        ping=desk.settings.heartbeat_seconds,
        sep="\n",
        # A stream that is running when the service ends may finish.
        shutdown_event=anyio.Event(),
        shutdown_grace_period=desk.settings.shutdown_seconds,
    )


async def _check_session(desk: Desk, session_id: UUID | None) -> None:
    if session_id is not None and await desk.sessions.get(session_id) is None:
        raise missing_session(session_id)


async def _events(
    desk: Desk, query: Query, caller: Caller, profile: str
) -> AsyncIterator[ServerSentEvent]:
    try:
        async with aclosing(desk.stream(query, caller)) as steps:
            async for step in steps:
                match step:
                    case State():
                        yield _event("state", StateEvent(state=step))
                    case Retrieval():
                        yield _event("sources", _sources(step.passages))
                    case Outcome():
                        for event in _told(step, profile):
                            yield event
    except Exception:
        # The status has been sent long ago; the reader still gets a sentence.
        _LOG.exception("stream %s failed", query.request_id)
        yield _event("error", envelope(OUR_FAULT, query.request_id))


def _told(outcome: Outcome, profile: str) -> list[ServerSentEvent]:
    result = outcome.result
    sentences = _sentences(outcome) if isinstance(result, Answer) else []
    name = "error" if isinstance(result, Failure) else "done"
    last = _event(name, content_of(outcome, profile))
    return [*(_event("sentence", sentence) for sentence in sentences), last]


def _sentences(outcome: Outcome) -> list[SentenceEvent]:
    answer = grounded.from_outcome(outcome).answer
    if answer is None or answer.sentences is None:
        return []
    return [
        SentenceEvent(
            index=index,
            text=sentence.text,
            support=sentence.support,
            citations=[answer.citations[number - 1] for number in sentence.citations],
        )
        for index, sentence in enumerate(answer.sentences)
    ]


def _sources(passages: Sequence[Passage]) -> SourcesEvent:
    return SourcesEvent(
        sources=[
            Source(
                chunk_id=passage.chunk.id,
                page_title=passage.chunk.page_title,
                section=passage.chunk.section,
                chapter=passage.chunk.chapter,
                module_name=passage.chunk.module,
                url=section_link(passage.chunk),
                similarity_score=round(passage.score, 6),
            )
            for passage in passages
        ]
    )


def _event(name: str, data: BaseModel) -> ServerSentEvent:
    text = data.model_dump_json()
    return ServerSentEvent(without_keys(text) if name == "error" else text, event=name, sep="\n")

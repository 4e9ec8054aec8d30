"""`POST /api/query`: one question, one checked answer, refusal or error."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request
from starlette.responses import Response

from bythebook.contracts import grounded, modules, scored, search, session
from bythebook.contracts.session_errors import SessionError
from bythebook.web.dependencies import CallerNow, DeskNow, json_only, while_connected
from bythebook.web.openapi import ANSWERED, REFUSED, errors, examples
from bythebook.web.replies import reply
from bythebook.web.request_ids import request_id_of
from bythebook.web.requests import AnyRequest, to_query

router = APIRouter(tags=["questions"])

AnyResponse = (
    grounded.QueryResponse
    | scored.AgentResponse
    | session.AgentResponse
    | SessionError
    | search.AgentResponse
    | search.AgentError
    | modules.AgentResponse
)

# Errors come in the shape of the contract asked for, too.
ERRORS = errors(404, 413, 415) | errors(422, 429, 503, 504, model=AnyResponse)

QuestionBody = Annotated[
    AnyRequest,
    Body(
        openapi_examples={
            "question": {"value": {"query": "What is a costmap?"}},
            "about marked text": {
                "value": {
                    "query": "What are topics?",
                    "selected_text": "Nodes in ROS 2 communicate via topics",
                }
            },
            "another contract": {"value": {"query": "What is a node?", "profile": "scored"}},
        }
    ),
]


@router.post(
    "/api/query",
    summary="Ask the book",
    response_model=AnyResponse,
    response_description="An answer with its citations, or a refusal with its reason",
    responses={
        200: {
            "content": {
                "application/json": {"examples": examples(answered=ANSWERED, refused=REFUSED)}
            }
        },
        **ERRORS,
    },
    dependencies=[Depends(json_only)],
)
async def query(body: QuestionBody, request: Request, desk: DeskNow, caller: CallerNow) -> Response:
    """Answer from the book, or refuse.

    `profile` chooses one of the five published contracts for limits and response. A `session_id`
    from `POST /api/sessions` makes the question part of that conversation.
    """
    asked = to_query(body, request_id_of(request), desk.settings)
    outcome = await while_connected(request, desk.ask(asked, caller))
    return reply(outcome, body.profile)

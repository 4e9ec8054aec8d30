"""Errors the way OpenAI's clients read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bythebook.contracts.troubles import in_words
from bythebook.web.errors import SHAPES, Problem, RejectedError

PATH = "/v1/"


@dataclass(frozen=True)
class ChatProblem(Problem):
    """A problem with the two things more that OpenAI's errors tell."""

    param: str | None = None
    reason: str | None = None  # what OpenAI calls the code


class ErrorBody(BaseModel):
    """What went wrong."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class ErrorReply(BaseModel):
    """An error in OpenAI's shape."""

    error: ErrorBody = Field(
        examples=[
            {
                "message": "'n' is 2; the book has one answer to a question.",
                "type": "invalid_request_error",
                "param": "n",
                "code": "unsupported_value",
            }
        ]
    )


_REASONS = {
    401: "invalid_api_key",
    404: "not_found",
    408: "request_timeout",
    413: "request_too_large",
    429: "rate_limit_exceeded",
}
_TYPES = {401: "authentication_error", 403: "permission_error", 429: "requests"}


def reply_to(problem: Problem, request_id: UUID | None = None) -> ErrorReply:
    """Return a problem in OpenAI's shape."""
    del request_id  # the header has it
    usual = "server_error" if problem.status >= 500 else "invalid_request_error"
    param, reason = None, _REASONS.get(problem.status)
    if isinstance(problem, ChatProblem):
        param, reason = problem.param, problem.reason or reason
    return ErrorReply(
        error=ErrorBody(
            message=problem.message,
            type=_TYPES.get(problem.status, usual),
            param=param,
            code=reason,
        )
    )


SHAPES[PATH] = reply_to


def rejected(message: str, param: str, reason: str | None = None, status: int = 400) -> Exception:
    """Return what is raised for a request that cannot be used."""
    problem = ChatProblem(status, in_words(message), param=param, reason=reason)
    return RejectedError(problem)


class ChatRoute(APIRoute):
    """A route that turns away what it cannot read with 400, as OpenAI does."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        usual = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await usual(request)
            except RequestValidationError as problem:
                raise _invalid(problem.errors()[0]) from problem
            except HTTPException as problem:
                if problem.status_code != 400:
                    raise
                said = "the body could not be read; send JSON in UTF-8"
                raise rejected(said, "body", "invalid_json") from problem

        return handle


def _invalid(error: Mapping[str, Any]) -> Exception:
    if error["type"] == "json_invalid":
        reason = error.get("ctx", {}).get("error", "it ends too early")
        return rejected(f"the body is not valid JSON: {reason}", "body", "invalid_json")
    # FastAPI puts where it looked first, and pydantic the branches of a union it tried.
    places = [str(place) for place in error["loc"][1:] if not _BRANCH.match(str(place))]
    param = ".".join(places) or "body"
    said = str(error["msg"]).removeprefix("Value error, ")
    return rejected(f"{param}: {said}", param, "invalid_value")


_BRANCH = re.compile(r"str$|list\[|function-")  # "stream" is none

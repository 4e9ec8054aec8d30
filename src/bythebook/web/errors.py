"""Every error in one shape: document 004's envelope, whatever went wrong and wherever.

A surface with a shape of its own, such as OpenAI's, enters it into `SHAPES` under its path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bythebook.contracts import registry
from bythebook.contracts.fields import shorten
from bythebook.contracts.grounded import (
    DETAILS_CHARACTERS,
    MESSAGE_CHARACTERS,
    ErrorCode,
    ErrorDetail,
    QueryResponse,
    ResponseMetadata,
    ResponseStatus,
    from_outcome,
)
from bythebook.contracts.profiles import DEFAULT_PROFILE, PROFILE_NAMES
from bythebook.contracts.troubles import HTTP_STATUS, Trouble, complaint, in_words, trouble_of
from bythebook.errors import (
    BythebookError,
    QueryError,
    RedisAwayError,
    RunError,
    SessionMissingError,
    SetupError,
)
from bythebook.types import Failure, Outcome, Query, State
from bythebook.web.access.tokens import without_keys
from bythebook.web.request_ids import HEADER, request_id_of
from bythebook.web.requests import PROFILE_ERROR

# No code of document 004 speaks of a fault of our own. As for a check that could not run, this one
# says that no answer could be made, and not that the question was wrong.
FAULT = ErrorCode.OPENROUTER_TIMEOUT


@dataclass(frozen=True)
class Problem:
    """What went wrong with a request, before it gets a shape."""

    status: int
    message: str
    code: ErrorCode = ErrorCode.VALIDATION_FAILED
    details: str | None = None
    retry_after: int | None = None


class RejectedError(BythebookError):
    """A request is turned away; raised by routes and what stands before them."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


Shape = Callable[[Problem, UUID], BaseModel]
SHAPES: dict[str, Shape] = {}  # by the beginning of the path


OUR_FAULT = Problem(500, "The service could not handle this request. Please try again.", FAULT)

TOO_SLOW = Problem(408, "The body did not arrive in time. Send the request again.")

# Only sessions fail for want of Redis; everything else finds another way.
SESSIONS_AWAY = Problem(
    503,
    "Conversations cannot be reached at the moment. Try again, or ask without a session_id.",
    ErrorCode.QDRANT_TIMEOUT,  # of document 004's codes the one for a store that is away
)

_BY_STATUS = {
    400: Problem(422, "The body could not be read. Send JSON in UTF-8."),
    404: Problem(404, "There is nothing at this address. See /openapi.json for what there is."),
    405: Problem(405, "This address does not take this method. See /openapi.json."),
    415: Problem(415, "The body is not JSON. Send it with Content-Type: application/json."),
}


def too_large(limit: int) -> Problem:
    """Return what is said of a body that is too large."""
    return Problem(413, f"The body is larger than {limit:,} bytes. Send a shorter one.")


def envelope(problem: Problem, request_id: UUID) -> QueryResponse:
    """Return a problem as document 004 words it."""
    details = problem.details
    return QueryResponse(
        status=ResponseStatus.ERROR,
        error=ErrorDetail(
            code=problem.code,
            message=shorten(problem.message, MESSAGE_CHARACTERS),
            details=None if details is None else shorten(details, DETAILS_CHARACTERS),
            retry_after=problem.retry_after,
        ),
        metadata=ResponseMetadata(chunks_retrieved=0, processing_time_ms=0, request_id=request_id),
    )


def problem_response(
    connection: HTTPConnection, problem: Problem, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a problem in the shape of the surface it happened on."""
    if problem.status == 401:
        headers = {"WWW-Authenticate": "Bearer"} | dict(headers or {})
    path = connection.scope["path"]
    shape = next((s for begin, s in SHAPES.items() if path.startswith(begin)), envelope)
    request_id = request_id_of(connection)
    return json_response(
        shape(problem, request_id), problem.status, problem.retry_after, request_id, headers
    )


def json_response(
    content: BaseModel,
    status: int = 200,
    retry_after: int | None = None,
    request_id: UUID | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a value as JSON, the contracts' way: our own fields only when they are set."""
    sent = dict(headers or {})
    if retry_after is not None:
        sent["Retry-After"] = str(retry_after)
    if request_id is not None:
        sent[HEADER] = str(request_id)
    text = content.model_dump_json()
    if status >= 400:
        text = without_keys(text)  # an error may quote what was sent
    return Response(text, status, sent, "application/json")


def status_of(failure: Failure) -> int:
    """Return the HTTP status of a question that failed."""
    trouble = trouble_of(failure)
    if is_our_fault(failure):
        return 500
    # A wrong key or a missing model is no timeout: asking again will not help.
    return 503 if failure.is_setup and trouble is not Trouble.QUESTION else HTTP_STATUS[trouble]


def is_our_fault(failure: Failure) -> bool:
    """Tell whether nobody foresaw a failure, so that what it says must not get out."""
    return failure.error == RunError.__name__


def handle_errors(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Give every error of an application its shape."""
    app.state.documented = [route for route in routes if isinstance(route, Route)]
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(BythebookError, _on_ours)


async def _on_http(request: Request, raised: Exception) -> Response:
    assert isinstance(raised, HTTPException)  # noqa: S101  # what it is registered for
    unknown = Problem(raised.status_code, str(raised.detail))
    problem = _BY_STATUS.get(raised.status_code, unknown)
    headers = {"Allow": _methods_of(request)} if raised.status_code == 405 else raised.headers
    return problem_response(request, problem, headers)


def _methods_of(request: Request) -> str:
    """Return what an address takes, from all routes that stand there, not only the first."""
    routes: Sequence[Route] = request.app.state.documented
    path = request.scope["path"]
    there = [route.methods or () for route in routes if route.path_regex.match(path)]
    return ", ".join(sorted({method for methods in there for method in methods}))


async def _on_ours(request: Request, raised: Exception) -> Response:
    assert isinstance(raised, BythebookError)  # noqa: S101  # as above
    if isinstance(raised, RejectedError):
        return problem_response(request, raised.problem)
    if isinstance(raised, QueryError):
        status = 404 if isinstance(raised, SessionMissingError) else 422
        message = in_words(raised.message, raised.hint)
        return problem_response(request, Problem(status, message, details=f"field: {raised.field}"))
    if isinstance(raised, RedisAwayError):
        return problem_response(request, SESSIONS_AWAY)
    return problem_response(request, _trouble(raised))


def _trouble(raised: BythebookError) -> Problem:
    """Return the problem an engine's error is, in the words a failed question would have."""
    failure = Failure(
        stage="retrieval",
        error=type(raised).__name__,
        message=raised.message,
        hint=raised.hint,
        is_setup=isinstance(raised, SetupError),
        retry_after_seconds=raised.retry_after_seconds if isinstance(raised, RunError) else None,
    )
    if is_our_fault(failure):
        return OUR_FAULT
    query = Query(text="-")
    error = from_outcome(
        Outcome(query=query, result=failure, mode=query.mode, state=State.ERROR)
    ).error
    assert error is not None  # noqa: S101  # a failure always has one
    status = status_of(failure)
    return Problem(status, error.message, error.code, error.details, error.retry_after)


async def _on_invalid(request: Request, raised: Exception) -> Response:
    assert isinstance(raised, RequestValidationError)  # noqa: S101  # as above
    errors: Sequence[Any] = raised.errors()
    field, message = _in_a_sentence(errors[0])
    profile = _profile_of(raised.body)
    if profile != DEFAULT_PROFILE:
        response = registry.invalid(profile, _question_in(raised.body), field, message)
        return json_response(response, 422, request_id=request_id_of(request))
    problem = Problem(422, complaint(field, message), details=f"field: {field}")
    return problem_response(request, problem)


def _in_a_sentence(error: Mapping[str, Any]) -> tuple[str, str]:
    """Return the field that is wrong and what is wrong with it."""
    if error["type"] == "json_invalid":
        reason = error.get("ctx", {}).get("error", "it ends too early")
        return "body", f"the body is not valid JSON: {reason}"
    if error["type"] == PROFILE_ERROR:
        if not isinstance(error["input"], dict):
            return "body", "the body is not a JSON object"
        return "profile", str(error["msg"]).removeprefix("profile ")
    places = [str(place) for place in error["loc"][1:] if place not in PROFILE_NAMES]
    return ".".join(places) or "body", str(error["msg"]).removeprefix("Value error, ")


def _profile_of(body: object) -> str:
    profile = body.get("profile") if isinstance(body, dict) else None
    return profile if profile in PROFILE_NAMES else DEFAULT_PROFILE


def _question_in(body: object) -> str:
    question = body.get("query") if isinstance(body, dict) else None
    # JSON can spell half a character, and no response could repeat it.
    return question.encode(errors="replace").decode() if isinstance(question, str) else ""

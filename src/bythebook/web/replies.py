"""A settled question as a response of the contract that was asked for."""

from __future__ import annotations

from pydantic import BaseModel
from starlette.responses import Response

from bythebook.contracts.grounded import QueryResponse
from bythebook.contracts.profiles import DEFAULT_PROFILE
from bythebook.contracts.registry import respond
from bythebook.types import Failure, Outcome
from bythebook.web.errors import OUR_FAULT, envelope, is_our_fault, json_response, status_of


def content_of(outcome: Outcome, profile: str) -> BaseModel:
    """Return what is said of an outcome; of an unforeseen failure, only that there was one."""
    failure = outcome.result
    if not isinstance(failure, Failure) or not is_our_fault(failure):
        return respond(profile, outcome)
    if profile == DEFAULT_PROFILE:
        return envelope(OUR_FAULT, outcome.query.request_id)
    quiet = failure.model_copy(update={"message": OUR_FAULT.message, "hint": None})
    return respond(profile, outcome.model_copy(update={"result": quiet}))


def reply(outcome: Outcome, profile: str) -> Response:
    """Return the response to a question."""
    content = content_of(outcome, profile)
    result = outcome.result
    status = status_of(result) if isinstance(result, Failure) else 200
    error = content.error if isinstance(content, QueryResponse) else None
    return json_response(content, status, error.retry_after if error else None)

"""Document 001's error states, each with its way to recover."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from bythebook.contracts.fields import Text
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.contracts.troubles import Trouble, in_words, trouble_of
from bythebook.types import Failure, Outcome

MAX_ATTEMPTS = 3
FIRST_DELAY_SECONDS = 1.0


class ErrorState(StrEnum):
    """What can go wrong in a session."""

    EMPTY_RETRIEVAL = "EMPTY_RETRIEVAL"
    API_ERROR = "API_ERROR"
    QDRANT_ERROR = "QDRANT_ERROR"
    TOKEN_LIMIT = "TOKEN_LIMIT"  # noqa: S105  # not a secret
    INVALID_INPUT = "INVALID_INPUT"


DESCRIPTIONS = {
    ErrorState.EMPTY_RETRIEVAL: "No chunks above similarity threshold",
    ErrorState.API_ERROR: "OpenAI or Cohere API failure",
    ErrorState.QDRANT_ERROR: "Qdrant connection or query failure",
    ErrorState.TOKEN_LIMIT: "Conversation exceeds model context limit",
    ErrorState.INVALID_INPUT: "Empty query or malformed input",
}

RECOVERIES = {
    ErrorState.EMPTY_RETRIEVAL: 'Return "no information" response',
    ErrorState.API_ERROR: "Retry with exponential backoff (max 3 attempts)",
    ErrorState.QDRANT_ERROR: 'Log error, return "Unable to retrieve content" message',
    ErrorState.TOKEN_LIMIT: "Truncate oldest messages, warn user",
    ErrorState.INVALID_INPUT: "Prompt user to rephrase",
}

_STATES = {
    Trouble.QUESTION: ErrorState.INVALID_INPUT,
    Trouble.STORE: ErrorState.QDRANT_ERROR,
    Trouble.EMBEDDING: ErrorState.API_ERROR,
    Trouble.WRITING: ErrorState.API_ERROR,
    # No state speaks of a check; what was to be checked came from the model's API.
    Trouble.CHECKING: ErrorState.API_ERROR,
    Trouble.RATE_LIMIT: ErrorState.API_ERROR,
}


class SessionError(BaseModel):
    """An error state as a value, since document 001's AgentResponse cannot carry one."""

    model_config = ConfigDict(frozen=True)

    state: ErrorState
    message: Text
    recovery: Text


def error_of(failure: Failure, profile: Profile | None = None) -> SessionError:
    """Return the error state a failure puts a session in."""
    wording = (profile or load_profile("session")).wording
    state = _STATES[trouble_of(failure)]
    reason = in_words(failure.message, failure.hint)
    return session_error(state, f"{wording[state.value.lower()]} {reason}")


def session_error(state: ErrorState, message: str) -> SessionError:
    """Return an error state with the document's recovery."""
    return SessionError(state=state, message=message, recovery=RECOVERIES[state])


async def ask_with_backoff(
    ask: Callable[[], Awaitable[Outcome]],
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> Outcome:
    """Ask until the API answers: three attempts at most, the pause doubling between them.

    An API that says how long to wait is given that time.
    """
    delay = FIRST_DELAY_SECONDS
    for _ in range(MAX_ATTEMPTS - 1):
        outcome = await ask()
        failure = outcome.result
        if not isinstance(failure, Failure) or not _is_worth_retrying(failure):
            return outcome
        await sleep(max(delay, failure.retry_after_seconds or 0.0))
        delay *= 2
    return await ask()


def _is_worth_retrying(failure: Failure) -> bool:
    return failure.retryable and _STATES[trouble_of(failure)] is ErrorState.API_ERROR

"""The client of a server that speaks OpenAI's chat completions, and what its errors mean."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar
from typing import Any

from bythebook.errors import BythebookError, MissingExtraError
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.failures import Model

try:
    from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI
except ImportError as problem:
    raise MissingExtraError(
        "the agent writer needs the OpenAI client", hint="pip install 'bythebook[agent]'"
    ) from problem

_OPENAI_URL = "https://api.openai.com/v1"

# How the streams of one run ended ("stop", "length", ...). The Agents SDK drops the reason, and
# runs the model in a task of its own, so whoever starts a run leaves a list for it here.
endings: ContextVar[list[str]] = ContextVar("endings")


def make_client(options: AgentOptions, model: Model) -> AsyncOpenAI:
    """Return a client whose streams fail when they are cut off, instead of just ending."""
    client = AsyncOpenAI(
        api_key=options.api_key or "none",  # a server of one's own wants no key, the client does
        base_url=options.base_url or _OPENAI_URL,
        timeout=options.timeout_seconds,
        max_retries=0,  # retrying.py does that, within the deadline
        # A connection kept open would outlive the event loop of a script's `ask()`.
        default_headers={**options.headers, "Connection": "close"},
    )
    completions = client.chat.completions
    create = completions.create

    async def watched(**arguments: Any) -> AsyncIterator[Any]:
        return _watch(await create(**arguments), model)

    # The one method the Agents SDK calls; it takes any iterator of chunks for a stream.
    completions.create = watched  # type: ignore[method-assign, assignment]
    return client


async def _watch(stream: Any, model: Model) -> AsyncIterator[Any]:
    """Pass a stream on and notice how it ends."""
    ending = ""
    async with stream:
        async for chunk in stream:
            if chunk.choices and chunk.choices[0].finish_reason:
                ending = chunk.choices[0].finish_reason
            yield chunk
    endings.get().append(ending)
    if ending == "content_filter":
        raise model.filtered()
    if not ending:
        raise model.cut_off()


def translated(problem: Exception, model: Model) -> BythebookError:
    """Return a vendor's error as one of ours; what we cannot name is an unreadable answer."""
    for cause in _chain(problem):
        if isinstance(cause, BythebookError):
            return cause
        if isinstance(cause, APIError):
            model.log(cause, str(cause))
            return _of_api(cause, model)
    model.log(problem, str(problem))
    return model.malformed()


def _of_api(problem: APIError, model: Model) -> BythebookError:
    if isinstance(problem, APITimeoutError):
        return model.timed_out()
    if isinstance(problem, APIConnectionError):
        return model.unreachable()
    if isinstance(problem, APIStatusError):
        retry_after = problem.response.headers.get("retry-after")
        return model.answered(problem.status_code, str(problem), retry_after)
    # An error sent in the middle of a stream: gateways put the status into its code.
    code = problem.code or (problem.body.get("code") if isinstance(problem.body, dict) else None)
    status = int(str(code)) if str(code).isdigit() else 500
    return model.answered(status, f"{problem} {code}")


def _chain(problem: BaseException) -> Iterator[BaseException]:
    """Yield an error and what caused it: the SDK wraps what a tool raises."""
    seen: BaseException | None = problem
    while seen is not None:
        yield seen
        seen = seen.__cause__

"""A server that stands in for a chat model: it says what a test tells it to, in OpenAI's format.

    with ChatServer() as server:
        server.will(calls("nodes"), says("A node is a process [1]."))
        ...

A request without a step left, and a step nobody asked for, both fail the test.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from types import TracebackType
from typing import Any, Self

from tests.standins.server import Endpoint, Received, Reply, StandInServer, json_reply

PATH = "/v1/chat/completions"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}

Step = Callable[[Received], Reply]

_numbers = count(1)


class ChatServer(StandInServer):
    """Follows a script, one step a request."""

    def __init__(self) -> None:
        super().__init__({PATH: Endpoint(self._answer, error_body)})
        self._steps: deque[Step] = deque()
        self._unexpected = 0

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def will(self, *steps: Step) -> None:
        """Put steps behind those there are."""
        self._steps.extend(steps)

    def _answer(self, request: Received) -> Reply:
        if not self._steps:
            self._unexpected += 1
            return json_reply(error_body(418, "nobody expected this request"), 418)
        return self._steps.popleft()(request)

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, problem, trace)
        if problem is None:
            assert not self._unexpected, f"{self._unexpected} requests nobody expected"
            assert not self._steps, f"{len(self._steps)} steps nobody asked for"


class StandingServer(ChatServer):
    """Answers every request by one rule, which a test may change between requests."""

    def __init__(self, rule: Step) -> None:
        super().__init__()
        self.rule = rule

    def _answer(self, request: Received) -> Reply:
        return self.rule(request)


def says(
    text: str,
    finish: str | None = "stop",
    usage: Mapping[str, int] | None = USAGE,
    size: int = 7,
) -> Step:
    """Return a step that streams a text, a few characters at a time."""

    def chunks() -> Iterator[dict[str, Any]]:
        yield _chunk({"role": "assistant", "content": ""})
        for start in range(0, len(text), size):
            yield _chunk({"content": text[start : start + size]})
        if finish:
            yield _chunk({}, finish)

    return lambda _: _stream(chunks(), usage)


def calls(query: str, **arguments: object) -> Step:
    """Return a step that searches."""
    return calls_with(json.dumps({"query": query, **arguments}))


def calls_with(arguments: str, name: str = "retrieve_context", before: str = "") -> Step:
    """Return a step that calls a tool with these very characters, a few at a time."""

    def chunks() -> Iterator[dict[str, Any]]:
        yield _chunk({"role": "assistant", "content": before or None})
        begin = {"id": f"call_{next(_numbers)}", "type": "function"}
        yield _chunk({"tool_calls": [_call({"name": name, "arguments": ""}, **begin)]})
        for start in range(0, len(arguments), 9):
            yield _chunk({"tool_calls": [_call({"arguments": arguments[start : start + 9]})]})
        yield _chunk({}, "tool_calls")

    return lambda _: _stream(chunks(), USAGE)


def calls_many(*calls: tuple[str, str]) -> Step:
    """Return a step that calls several tools at once, each by its name and its arguments."""

    def chunks() -> Iterator[dict[str, Any]]:
        yield _chunk({"role": "assistant", "content": None})
        for number, (name, arguments) in enumerate(calls):
            begin = {"id": f"call_{next(_numbers)}", "type": "function"}
            call = _call({"name": name, "arguments": arguments}, **begin) | {"index": number}
            yield _chunk({"tool_calls": [call]})
        yield _chunk({}, "tool_calls")

    return lambda _: _stream(chunks(), USAGE)


def fails(status: int, message: str = "no", code: str | None = None, **headers: str) -> Step:
    """Return a step that answers with an error."""
    return lambda _: json_reply(error_body(status, message, code), status, **headers)


def breaks_off(text: str) -> Step:
    """Return a step that closes the connection in the middle of a stream."""

    def answer(request: Received) -> Reply:
        whole = says(text)(request)
        assert not isinstance(whole.body, bytes)
        return replace(whole, sent_bytes=100 * len(text) // 7)  # an event has some 200 bytes

    return answer


def fails_midway(text: str, message: str, code: int) -> Step:
    """Return a step that sends an error after some text, as gateways do."""

    def pieces() -> Iterator[bytes]:
        yield _event(_chunk({"content": text}))
        yield _event({"error": {"message": message, "code": code}})

    return lambda _: Reply(pieces(), content_type="text/event-stream")


def sends(body: bytes, content_type: str = "text/event-stream") -> Step:
    """Return a step that sends these very bytes."""
    return lambda _: Reply(body, content_type=content_type)


def error_body(status: int, message: str, code: str | None = None) -> object:
    """Return an error as OpenAI words it."""
    return {"error": {"message": message, "type": "error", "param": None, "code": code or status}}


def _stream(chunks: Iterator[dict[str, Any]], usage: Mapping[str, int] | None) -> Reply:
    def pieces() -> Iterator[bytes]:
        for chunk in chunks:
            yield _event(chunk)
        if usage:
            yield _event(_frame([]) | {"usage": dict(usage)})
        yield b"data: [DONE]\n\n"

    return Reply(pieces(), content_type="text/event-stream")


def _event(content: object) -> bytes:
    return f"data: {json.dumps(content)}\n\n".encode()


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return _frame([{"index": 0, "delta": delta, "finish_reason": finish}])


def _frame(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "stand-in",
        "choices": choices,
    }


def _call(function: dict[str, str], **begin: str) -> dict[str, Any]:
    return {"index": 0, **begin, "function": function}

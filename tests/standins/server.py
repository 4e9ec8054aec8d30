"""A server on loopback that stands in for a hosted service, and misbehaves when told to.

    with StandInServer({"/v2/embed": Endpoint(answer, error)}) as server:
        server.misbehave(failing(429, retry_after="3"), cut_off)   # the next two requests
        ...
        server.received[0].json["input_type"]

A service is a set of endpoints: how each answers, and how it words an error. A fault stands before
an endpoint for one request and may use what the endpoint would have answered.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Received:
    """A request as it came; the names of headers in lower case."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass(frozen=True)
class Reply:
    """What goes back; a body that is not bytes is streamed piece by piece, as chunks.

    `sent_bytes` cuts the connection after so many bytes of a body whose full length was announced.
    """

    body: bytes | Iterable[bytes]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    sent_bytes: int | None = None


Answer = Callable[[Received], Reply]
ErrorBody = Callable[[int, str, str | None], object]


@dataclass(frozen=True)
class Endpoint:
    """How a path answers, and how it words an error of a status, a message and a code."""

    answer: Answer
    error: ErrorBody


Fault = Callable[[Received, Endpoint], Reply]


class StandInServer:
    """Serves endpoints until it is left; remembers what it received."""

    def __init__(self, endpoints: Mapping[str, Endpoint]) -> None:
        self.received: list[Received] = []
        self.left = threading.Event()
        self._endpoints = endpoints
        self._faults: deque[Fault] = deque()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        # Clients that give up on us are part of the play.
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def misbehave(self, *faults: Fault) -> None:
        """Put one fault each before the requests to come."""
        self._faults.extend(faults)

    def reply(self, request: Received) -> Reply:
        self.received.append(request)
        endpoint = self._endpoints.get(request.path)
        if endpoint is None:
            return json_reply({"message": "no such path"}, 404)
        return (
            self._faults.popleft()(request, endpoint) if self._faults else endpoint.answer(request)
        )

    def never(self, request: Received, endpoint: Endpoint) -> Reply:
        """Answer nothing until the test is over: for clients that give up after a time."""
        self.left.wait()
        return failing(503)(request, endpoint)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.left.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def json_reply(body: object, status: int = 200, **headers: str) -> Reply:
    """Return a reply of JSON; `retry_after="3"` becomes the header `retry-after: 3`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json.dumps(body).encode(), status, named)


def failing(status: int, message: str = "no", code: str | None = None, **headers: str) -> Fault:
    """Return a fault that answers with an error, worded the way its service does."""
    return lambda _, endpoint: json_reply(endpoint.error(status, message, code), status, **headers)


def quoting_the_key(status: int) -> Fault:
    """Return a fault that repeats the key it was sent in its message, as some services do."""

    def answer(request: Received, endpoint: Endpoint) -> Reply:
        return failing(status, f"Incorrect API key provided: {request.key}")(request, endpoint)

    return answer


def cut_off(request: Received, endpoint: Endpoint) -> Reply:
    """Break the connection in the middle of the right answer."""
    reply = endpoint.answer(request)
    assert isinstance(reply.body, bytes)
    return replace(reply, sent_bytes=len(reply.body) // 2)


def malformed(request: Received, endpoint: Endpoint) -> Reply:
    """Answer with the first half of the right JSON as if that were all of it."""
    reply = endpoint.answer(request)
    assert isinstance(reply.body, bytes)
    return replace(reply, body=reply.body[: len(reply.body) // 2])


def saying(body: bytes, status: int = 200, content_type: str = "application/json") -> Fault:
    """Return a fault that answers with these very bytes."""
    return lambda *_: Reply(body, status, content_type=content_type)


def _handler(server: StandInServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # the name http.server calls
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(server.reply(Received(self.path, headers, body)))

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("content-type", reply.content_type)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if isinstance(reply.body, bytes):
                self._send_whole(reply.body, reply.sent_bytes)
            else:
                self._send_chunks(reply.body, reply.sent_bytes)

        def _send_whole(self, body: bytes, sent_bytes: int | None) -> None:
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:sent_bytes])
            self.close_connection = sent_bytes is not None

        def _send_chunks(self, pieces: Iterable[bytes], sent_bytes: int | None) -> None:
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            sent = 0
            for piece in pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                sent += len(piece)
                if sent_bytes is not None and sent >= sent_bytes:
                    self.close_connection = True
                    return
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler

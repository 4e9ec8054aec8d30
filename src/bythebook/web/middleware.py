"""What every request passes before its route: one list, from the outside in.

All of it is plain ASGI, so that a stream stays a stream.
"""

from __future__ import annotations

import asyncio
import logging
from time import perf_counter
from uuid import UUID

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bythebook.settings import Settings
from bythebook.web.access.gate import KEY_HEADER, Access, Gate
from bythebook.web.errors import OUR_FAULT, TOO_SLOW, problem_response, too_large
from bythebook.web.operations.handled import Handled, Notes, current_notes
from bythebook.web.request_ids import HEADER, current_request, request_id_from

_LOG = logging.getLogger("bythebook.access")
_FAULTS = logging.getLogger("bythebook.web")

# Whoever serves pages or scripts sets a policy of their own; these hold for the rest.
_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}

# A body that is too large is read on for a while, and thrown away: a connection closed in the face
# of a client that is still sending loses the answer.
_READ_ON = 1_000_000

# For a body of at most some kilobytes. Who never sends the rest would hold a connection for ever,
# and the end of the service up.
_BODY_SECONDS = 20.0


def middleware_for(settings: Settings, access: Access) -> list[Middleware]:
    """Return what stands before the routes."""
    middleware = [
        Middleware(RequestLog),
        Middleware(BodyLimit, max_bytes=settings.max_body_bytes),
        Middleware(Gate, access=access),
        Middleware(GZipMiddleware, minimum_size=1024, compresslevel=5),  # leaves streams alone
    ]
    if settings.cors_origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", KEY_HEADER, HEADER],
            expose_headers=[HEADER, "Retry-After"],
            max_age=600,
        )
        middleware.insert(0, cors)
    return middleware


class RequestLog:
    """Gives a request its id and a log line, its response headers, a fault its envelope."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begin = perf_counter()
        request_id = request_id_from(Headers(scope=scope).get(HEADER))
        scope.setdefault("state", {})["request_id"] = request_id
        token = current_request.set(request_id)
        notes = Notes()
        noting = current_notes.set(notes)
        response = _Response(send, request_id)
        try:
            await self._app(scope, receive, response.send)
        except ClientDisconnect:
            response.status = response.status or 499  # nobody is left to read it
        except Exception:
            _FAULTS.exception("request %s failed", request_id)
            if response.status is None:
                await problem_response(HTTPConnection(scope), OUR_FAULT)(
                    scope, receive, response.send
                )
        finally:
            current_request.reset(token)
            current_notes.reset(noting)
            milliseconds = (perf_counter() - begin) * 1000
            _tell(scope, Handled.of(scope, request_id, response.status or 499, milliseconds, notes))


def _tell(scope: Scope, handled: Handled) -> None:
    """Tell the log and whoever counts."""
    _LOG.info("%s", handled, extra={"handled": handled})
    for observe in scope["app"].state.operations.on_request:
        observe(handled)


class _Response:
    """A response on its way out."""

    def __init__(self, send: Send, request_id: UUID) -> None:
        self.status: int | None = None
        self._send = send
        self._request_id = request_id

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[HEADER] = str(self._request_id)
            for name, value in _SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


class BodyLimit:
    """Reads the body before anyone else does, and no more of it than it may have."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = too_large(self._max_bytes)
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                body = await self._read(receive)
        except TimeoutError:
            body, problem = None, TOO_SLOW
        if body is None:
            response = problem_response(HTTPConnection(scope), problem, {"Connection": "close"})
            await response(scope, receive, send)
            return
        await self._app(scope, _replaying(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body, None when it is too large."""
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            piece = message.get("body", b"")
            size += len(piece)
            if size <= self._max_bytes:
                pieces.append(piece)
            is_last = not message.get("more_body", False)
            if is_last or size > self._max_bytes + _READ_ON:
                return b"".join(pieces) if size <= self._max_bytes else None


def _replaying(body: bytes, receive: Receive) -> Receive:
    is_sent = False

    async def replay() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay

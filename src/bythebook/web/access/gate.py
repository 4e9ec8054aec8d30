"""The gate: who asks, whether they may, and whether it is too much.

It stands before the routes and not inside them, so that a request is turned away before its body is
looked at, whatever its surface. What it found out is left in the request's `state`: `client`, the
address; `key`, the API key, and `key_name`.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bythebook.contracts.grounded import ErrorCode
from bythebook.web.access.addresses import Network, client_of, limited_as
from bythebook.web.access.buckets import Buckets
from bythebook.web.access.keys import Key, KeyRing
from bythebook.web.errors import Problem, RejectedError, problem_response

_LOG = logging.getLogger(__name__)

KEY_HEADER = "X-API-Key"

MISSING_KEY = Problem(
    401, f"This service needs a key. Send it as 'Authorization: Bearer KEY' or '{KEY_HEADER}: KEY'."
)
WRONG_KEY = Problem(401, "There is no such key, or no longer. Ask the operator for another one.")
NOT_ADMIN = Problem(403, "This key may ask the book, and not administer the service.")


@dataclass(frozen=True)
class Access:
    """The rules; without any, everybody may do anything but administer."""

    keys: KeyRing = field(default_factory=KeyRing)
    require_key: bool = False
    per_client: Buckets | None = None
    per_key: Buckets | None = None
    trusted_proxies: tuple[Network, ...] = ()

    async def close(self) -> None:
        """Let go of connections."""
        for buckets in (self.per_client, self.per_key):
            if buckets is not None:
                await buckets.close()


@dataclass(frozen=True)
class _Door:
    """A part of the service, by the beginning of its addresses."""

    needs_key: bool = True  # when keys are required at all
    counted: frozenset[str] = frozenset()  # the methods that cost something


_COUNTED = frozenset({"POST"})

# The longest beginning that fits counts. What has no door here is free: health, the description.
_DOORS: Mapping[str, _Door] = {
    "/api/": _Door(needs_key=False),
    "/api/query": _Door(counted=_COUNTED),
    "/api/search": _Door(counted=frozenset({"GET", "POST"})),
    "/api/sessions": _Door(counted=_COUNTED),
    "/api/feedback": _Door(counted=_COUNTED),
    "/v1/": _Door(),
    "/v1/chat/": _Door(counted=_COUNTED),
    "/mcp": _Door(counted=_COUNTED),
}
ADMIN = "/api/admin"  # its own rule, `admin_only`, says who may come in
_MCP = "/mcp"


class Gate:
    """Lets requests through to the routes, or turns them away."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        if access.require_key and not access.keys.in_use:
            _LOG.warning("a key is required and there is none yet: bythebook keys create NAME")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        state = scope.setdefault("state", {})
        peer = scope["client"][0] if scope.get("client") else None
        forwarded = headers.getlist("x-forwarded-for")
        state["client"] = client_of(peer, forwarded, self._access.trusted_proxies)
        door = _door_of(scope["path"])
        if door is None or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
            return
        is_counted = scope["method"] in door.counted
        if is_counted and scope["path"] == _MCP:
            body = await receive()  # whole: nothing larger than the limit gets this far
            receive = _again(body, receive)
            is_counted = _calls_a_tool(body.get("body", b""))
        problem = await self._examine(scope, headers, door, is_counted)
        if problem is not None:
            await problem_response(HTTPConnection(scope), problem)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _examine(
        self, scope: Scope, headers: Headers, door: _Door, is_counted: bool
    ) -> Problem | None:
        """Return what stands in the way of a request, if anything does."""
        keys, state = self._access.keys, scope["state"]
        token = token_in(headers) if keys.in_use else None
        key = keys.find(token) if token is not None else None
        state["key"], state["key_name"] = key, key.name if key else None
        is_wrong = token is not None and key is None
        if is_counted or is_wrong:  # trying keys costs, too
            wait = await self._wait(key, state["client"])
            if wait > 0:
                return too_many(wait)
        if scope["path"].startswith(ADMIN):
            return None
        if is_wrong:
            return WRONG_KEY
        is_missing = key is None and door.needs_key and self._access.require_key
        return MISSING_KEY if is_missing else None

    async def _wait(self, key: Key | None, client: str | None) -> float:
        """Take one from the bucket of a key, or else of an address."""
        if key is None:
            buckets, name = self._access.per_client, limited_as(client)
        else:
            buckets, name = self._access.per_key, key.name
        return 0.0 if buckets is None else await buckets.take(name)


async def admin_only(request: Request) -> None:
    """Let only admin keys through; without one in the file, there is nothing here at all.

    For routes: `dependencies=[Depends(admin_only)]`.
    """
    keys: KeyRing = request.app.state.desk.access.keys
    if not keys.has_admin:
        raise HTTPException(404)
    key: Key | None = request.scope.get("state", {}).get("key")
    if key is None:
        raise RejectedError(WRONG_KEY if token_in(request.headers) else MISSING_KEY)
    if not key.is_admin:
        raise RejectedError(NOT_ADMIN)


def token_in(headers: Mapping[str, str]) -> str | None:
    """Return the key a request brings; other kinds of authorization are somebody else's."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get(KEY_HEADER.lower(), "").strip() or None


def too_many(wait: float) -> Problem:
    """Return what is said to who asks too much."""
    seconds = max(1, math.ceil(wait))
    unit = "second" if seconds == 1 else "seconds"
    return Problem(
        429,
        f"Too many requests. Please wait {seconds} {unit} before you try again.",
        ErrorCode.RATE_LIMIT_EXCEEDED,
        retry_after=seconds,
    )


def needs_key(path: str) -> bool:
    """Tell whether an address needs a key where keys are required."""
    door = _door_of(path)
    return door is not None and door.needs_key


def _door_of(path: str) -> _Door | None:
    begins = [begin for begin in _DOORS if path.startswith(begin)]
    return _DOORS[max(begins, key=len)] if begins else None


def _calls_a_tool(body: bytes) -> bool:
    """Tell whether a call of /mcp does work; greetings are free, what cannot be read is not."""
    try:
        call = json.loads(body)
    except (ValueError, RecursionError):
        return True
    return not isinstance(call, dict) or call.get("method") == "tools/call"


def _again(message: Message, receive: Receive) -> Receive:
    is_sent = False

    async def replay() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return message

    return replay

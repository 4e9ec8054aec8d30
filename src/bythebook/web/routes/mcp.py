"""`/mcp`: the tools for agents over streamable HTTP.

It keeps no sessions: each call stands by itself, so any worker can take it and a restart breaks
nothing. Pages of other websites are kept out, also those that borrow our name in the DNS.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from contextvars import ContextVar
from typing import Literal
from uuid import UUID

from fastapi import FastAPI, Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from pydantic import BaseModel
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bythebook.assistant import Assistant
from bythebook.mcp.server import make_server
from bythebook.settings import Settings, variable_of
from bythebook.types import Outcome, Query
from bythebook.web.dependencies import caller_of
from bythebook.web.desk import NOBODY, Caller, Desk
from bythebook.web.errors import SHAPES, Problem, problem_response
from bythebook.web.request_ids import current_request

PATH = "/mcp"
ANY_HOST = "*"

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_INVALID_REQUEST = -32600
_POST_ONLY = Problem(405, f"{PATH} takes POST only: calls of the Model Context Protocol.")

# Who is calling, for the work that a request starts in tasks of its own.
_caller: ContextVar[Caller] = ContextVar("mcp_caller", default=NOBODY)


def mount_mcp(app: FastAPI, desk: Desk) -> None:
    """Put the tools of the book into an application; they run as long as it does."""
    manager = StreamableHTTPSessionManager(
        make_server(DeskBook(desk), desk.assistant.manifest.title),
        stateless=True,
        max_request_body_size=desk.settings.max_body_bytes,
    )
    app.state.lifespans.append(manager.run())
    app.router.routes.append(Route(PATH, endpoint=_Door(manager, desk.settings)))


class DeskBook:
    """The book of the service, as the tools see it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def borrow(self) -> AbstractAsyncContextManager[Assistant]:
        """Use the assistant for a while."""
        return self._desk.borrow()

    async def ask(self, query: Query) -> Outcome:
        """Return the outcome of a question."""
        return await self._desk.ask(_under_request(query), _caller.get())

    def tell(self, outcome: Outcome) -> None:
        """Pass a settled question on to whoever counts or logs them."""
        settled = outcome.model_copy(update={"query": _under_request(outcome.query)})
        self._desk.tell(settled, _caller.get())


def _under_request(query: Query) -> Query:
    """Return a question under the id of the request that brought it."""
    return query.model_copy(update={"request_id": current_request.get() or query.request_id})


class _Door:
    """Lets in who may come in, and remembers who it is."""

    def __init__(self, manager: StreamableHTTPSessionManager, settings: Settings) -> None:
        self._manager = manager
        self._guard = TransportSecurityMiddleware(allowed_from(settings))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":  # there are no sessions to listen to or to end
            response = problem_response(request, _POST_ONLY, {"Allow": "POST"})
            await response(scope, receive, send)
            return
        refused = await self._guard.validate_request(request, is_post=True)
        if refused is not None:
            problem = _refusal(request, refused.status_code)
            await problem_response(request, problem)(scope, receive, send)
            return
        token = _caller.set(caller_of(request))
        try:
            await self._manager.handle_request(scope, receive, send)
        finally:
            _caller.reset(token)


def allowed_from(settings: Settings) -> TransportSecuritySettings:
    """Return who may come in: this machine, the hosts of the settings, and their pages."""
    hosts = [*_LOOPBACK, *settings.allowed_hosts]
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=ANY_HOST not in settings.allowed_hosts,
        allowed_hosts=_with_any_port(hosts),
        allowed_origins=[*_with_any_port(origins), *settings.cors_origins],
    )


def _with_any_port(names: list[str]) -> list[str]:
    return [*names, *(f"{name}:*" for name in names)]


def _refusal(request: Request, status: int) -> Problem:
    if status == 400:
        return Problem(415, "The body is not JSON. Send it with Content-Type: application/json.")
    if status == 403:
        origin = request.headers.get("origin")
        hint = f"add it to {variable_of('cors_origins')}"
        return Problem(403, f"Pages of {origin!r} may not use {PATH}. To let them, {hint}.")
    host = request.headers.get("host")
    hint = f"add it to {variable_of('allowed_hosts')}"
    return Problem(421, f"{PATH} does not answer under the name {host!r}. If it is yours, {hint}.")


class _ErrorData(BaseModel):
    code: int = _INVALID_REQUEST
    message: str


class _RpcError(BaseModel):
    """A problem as JSON-RPC tells it."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: None = None
    error: _ErrorData


def _as_rpc(problem: Problem, request_id: UUID) -> BaseModel:
    del request_id  # the header has it
    return _RpcError(error=_ErrorData(message=problem.message))


SHAPES[PATH] = _as_rpc

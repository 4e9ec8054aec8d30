"""What is known of a request once it is over, for the log, the figures and the traces.

Requests go by the name of their route: an address may hold the id of a session, which lets whoever
knows it read along.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from urllib.parse import quote
from uuid import UUID

from starlette.types import Scope

from bythebook.web.access.tokens import without_keys

NO_ROUTE = "(none)"  # an address where there is nothing
_PATH_CHARACTERS = 200
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@dataclass
class Notes:
    """What is found out about a request on its way."""

    outcome: str | None = None  # how its question ended: answer, refusal, failure


# Follows a request into its tasks, as `current_request` does.
current_notes: ContextVar[Notes | None] = ContextVar("current_notes", default=None)


def note_outcome(kind: str) -> None:
    """Remember how the question of the request that is being worked on ended."""
    notes = current_notes.get()
    if notes is not None:
        notes.outcome = kind


@dataclass(frozen=True)
class Handled:
    """A request that is over."""

    request_id: UUID
    method: str
    route: str
    status: int
    milliseconds: float
    notes: Notes = field(default_factory=Notes)
    path: str | None = None  # of a request without a route, to see what people look for

    @classmethod
    def of(
        cls, scope: Scope, request_id: UUID, status: int, milliseconds: float, notes: Notes
    ) -> Handled:
        """Return a request that is over."""
        route = route_of(scope)
        # Somebody may have put a key there by mistake, or a line of a log of their own.
        path = quote(without_keys(scope["path"]))[:_PATH_CHARACTERS]
        return cls(
            request_id=request_id,
            method=method_of(scope),
            route=route,
            status=status,
            milliseconds=milliseconds,
            notes=notes,
            path=path if route == NO_ROUTE else None,
        )

    def __str__(self) -> str:
        outcome = f" outcome={self.notes.outcome}" if self.notes.outcome else ""
        return (
            f"{self.method} {self.path or self.route} {self.status} {self.milliseconds:.1f} ms"
            f" request={self.request_id}{outcome}"
        )

    def fields(self) -> dict[str, object]:
        """Return the parts by name, for a log that machines read."""
        return {
            "request_id": str(self.request_id),
            "method": self.method,
            "route": self.route,
            "status": self.status,
            "ms": round(self.milliseconds, 1),
            "outcome": self.notes.outcome,
        } | ({"path": self.path} if self.path else {})


RequestObserver = Callable[[Handled], None]


def route_of(scope: Scope) -> str:
    """Return the name of the route a request went to, such as `/api/sessions/{session_id}`."""
    route = scope.get("route")
    if route is None and "app" in scope:  # it was turned away before it got there
        known = scope["app"].state.documented
        route = next((each for each in known if each.path_regex.match(scope["path"])), None)
    return str(getattr(route, "path", NO_ROUTE))


def method_of(scope: Scope) -> str:
    """Return the method; one that nobody knows is not repeated."""
    method = str(scope["method"])
    return method if method in _METHODS else "OTHER"

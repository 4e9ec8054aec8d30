"""Which request is being worked on, for whoever writes a log line or an answer."""

from __future__ import annotations

from contextvars import ContextVar
from uuid import UUID, uuid4

from starlette.requests import HTTPConnection

HEADER = "X-Request-ID"

# Follows a request into its tasks and threads, so that a log filter can find it.
current_request: ContextVar[UUID | None] = ContextVar("current_request", default=None)


def request_id_from(header: str | None) -> UUID:
    """Return the caller's id when it is a UUID in its usual form, else a new one."""
    if header and len(header) == 36:
        try:
            return UUID(header)
        except ValueError:
            pass
    return uuid4()


def request_id_of(connection: HTTPConnection) -> UUID:
    """Return the id of a request."""
    known = connection.scope.get("state", {}).get("request_id")
    return known if isinstance(known, UUID) else uuid4()

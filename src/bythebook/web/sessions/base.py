"""The role of a session store: keeping conversations between their questions.

A `Session` is all plain values: `to_json` and `from_json` carry it to another process and back.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Protocol, Self
from uuid import UUID, uuid4

from pydantic import Field

from bythebook.contracts.session import DEFAULT_MAX_HISTORY, SessionState
from bythebook.conversation import Memory
from bythebook.types import Value


def _now() -> datetime:
    return datetime.now(UTC)


class Session(Value):
    """A conversation at rest."""

    id: UUID = Field(default_factory=uuid4)
    started_at: datetime = Field(default_factory=_now)
    used_at: datetime = Field(default_factory=_now)
    state: SessionState = SessionState.CREATED
    max_history: int = Field(default=DEFAULT_MAX_HISTORY, ge=1, le=100)
    memory: Memory = Memory()

    def after(self, memory: Memory) -> Self:
        """Return the session with what was said since."""
        is_new = self.state is SessionState.CREATED and not memory.turns
        state = SessionState.CREATED if is_new else SessionState.ACTIVE
        return self.model_copy(update={"memory": memory, "state": state, "used_at": _now()})

    def cleared(self) -> Self:
        """Return the session with everything said forgotten; it stays active."""
        update = {"memory": Memory(), "state": SessionState.ACTIVE, "used_at": _now()}
        return self.model_copy(update=update)

    def to_json(self) -> str:
        """Return the session as text."""
        return self.model_dump_json(round_trip=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the session a text stands for."""
        return cls.model_validate_json(text)


class SessionStore(Protocol):
    """Keeps sessions as long as they are used."""

    async def add(self, session: Session) -> None:
        """Keep a new session."""
        ...

    async def get(self, session_id: UUID) -> Session | None:
        """Return a session, None when there is none or it was unused for too long."""
        ...

    async def update(self, session: Session) -> None:
        """Keep what a session has become; one that was removed meanwhile stays removed."""
        ...

    async def remove(self, session_id: UUID) -> bool:
        """Forget a session; tell whether there was one."""
        ...

    def holding(self, session_id: UUID) -> AbstractAsyncContextManager[None]:
        """Let one question of a session at a time through, in the order they came."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...

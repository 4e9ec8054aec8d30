"""Sessions inside this process: gone when it ends, unknown to its siblings."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from uuid import UUID

from bythebook.web.sessions.base import Session


@dataclass
class _Kept:
    session: Session
    used_at: float
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0  # questions of this session that are being answered or stand in line


class MemorySessions:
    """The default store; the longest unused session makes room for a new one."""

    def __init__(
        self, idle_seconds: float, max_sessions: int, clock: Callable[[], float] = monotonic
    ) -> None:
        self._idle_seconds = idle_seconds
        self._max_sessions = max_sessions
        self._clock = clock
        self._kept: OrderedDict[UUID, _Kept] = OrderedDict()  # the longest unused first

    def __len__(self) -> int:
        """How many sessions are kept, those not yet swept included."""
        return len(self._kept)

    async def add(self, session: Session) -> None:
        """Keep a new session."""
        self._sweep()
        if len(self._kept) >= self._max_sessions:
            idle = (name for name, kept in self._kept.items() if not kept.waiting)
            # Were every session busy, the oldest would go: the cap holds.
            del self._kept[next(idle, next(iter(self._kept)))]
        self._kept[session.id] = _Kept(session, self._clock())

    async def get(self, session_id: UUID) -> Session | None:
        """Return a session that is still in use."""
        self._sweep()
        kept = self._kept.get(session_id)
        return kept.session if kept else None

    async def update(self, session: Session) -> None:
        """Keep what a session has become."""
        kept = self._kept.get(session.id)
        if kept:
            kept.session = session
            self._touch(session.id, kept)

    async def remove(self, session_id: UUID) -> bool:
        """Forget a session."""
        self._sweep()
        return self._kept.pop(session_id, None) is not None

    @asynccontextmanager
    async def holding(self, session_id: UUID) -> AsyncIterator[None]:
        """Let one question of a session at a time through."""
        self._sweep()
        kept = self._kept.get(session_id)
        if kept is None:
            yield
            return
        kept.waiting += 1
        try:
            async with kept.lock:
                yield
        finally:
            kept.waiting -= 1
            if self._kept.get(session_id) is kept:
                self._touch(session_id, kept)

    async def close(self) -> None:
        """Forget everything."""
        self._kept.clear()

    def _touch(self, session_id: UUID, kept: _Kept) -> None:
        kept.used_at = self._clock()
        self._kept.move_to_end(session_id)

    def _sweep(self) -> None:
        """Drop what was unused for too long, unless a question of it is still being answered."""
        oldest = self._clock() - self._idle_seconds
        gone = []
        for name, kept in self._kept.items():
            if kept.used_at > oldest:
                break
            if not kept.waiting:
                gone.append(name)
        for name in gone:
            del self._kept[name]

"""Sessions in Redis: all workers know them, and a restart forgets none.

A session is kept under its own name. A sorted set holds when each was last used, so that those
unused for too long, or the longest unused of too many, can be found. The scripts keep the two in
step; each is one step to everybody else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import time
from uuid import UUID

from redis.asyncio.lock import Lock
from redis.exceptions import LockError

from bythebook.errors import RedisAwayError
from bythebook.web.redis_client import SharedRedis, answering
from bythebook.web.sessions.base import Session

_LOG = logging.getLogger(__name__)

# A worker that dies lets go of its sessions after this long. One that lives says so in time.
_LEASE_SECONDS = 15.0
_RENEWED_EVERY_SECONDS = 5.0
_LOOKED_EVERY_SECONDS = 0.02  # how often a question asks whether it is its turn

# KEYS[1] is the set. Names are made from their beginning and the id.
_NAMES = """
local used, sessions, locks = KEYS[1], KEYS[2], KEYS[3]
local function is_busy(id) return redis.call('EXISTS', locks .. id) == 1 end
local function forget(id)
  redis.call('ZREM', used, id)
  return redis.call('DEL', sessions .. id)
end
local function sweep(oldest)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', used, '-inf', oldest)) do
    if not is_busy(id) then forget(id) end
  end
end
local function keep(id, session, now, idle)
  redis.call('ZADD', used, now, id)
  -- The set decides; this only cleans up after a service that is gone for good.
  redis.call('SET', sessions .. id, session, 'EX', math.ceil(idle) * 2 + 60)
end
"""

_ADD = (
    _NAMES
    + """
local id, session, now, idle, most = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
sweep(now - idle)
while redis.call('ZCARD', used) >= most do
  local ids = redis.call('ZRANGE', used, 0, -1)
  local goes = ids[1]
  for _, other in ipairs(ids) do
    if not is_busy(other) then goes = other; break end
  end
  forget(goes)
end
keep(id, session, now, idle)
return 1
"""
)

_GET = (
    _NAMES
    + """
local id, oldest = ARGV[1], tonumber(ARGV[2])
local used_at = tonumber(redis.call('ZSCORE', used, id))
if not used_at then return false end
if used_at <= oldest and not is_busy(id) then forget(id); return false end
return redis.call('GET', sessions .. id)
"""
)

_UPDATE = (
    _NAMES
    + """
if redis.call('ZSCORE', used, ARGV[1]) then keep(ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])) end
return 1
"""
)

_REMOVE = (
    _NAMES
    + """
sweep(ARGV[2])
return forget(ARGV[1])
"""
)

_TOUCH = (
    _NAMES
    + """
local id, now, idle = ARGV[1], ARGV[2], tonumber(ARGV[3])
if redis.call('ZSCORE', used, id) then
  redis.call('ZADD', used, now, id)
  redis.call('EXPIRE', sessions .. id, math.ceil(idle) * 2 + 60)
end
return 1
"""
)


@dataclass
class _Line:
    """The questions of a session that stand in line in this worker."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class RedisSessions:
    """The store for several workers; raises RedisAwayError when Redis does not answer."""

    def __init__(
        self,
        redis: SharedRedis,
        idle_seconds: float,
        max_sessions: int,
        clock: Callable[[], float] = time,
    ) -> None:
        self._redis = redis
        self._idle_seconds = idle_seconds
        self._max_sessions = max_sessions
        self._clock = clock
        self._lines: dict[UUID, _Line] = {}

    async def add(self, session: Session) -> None:
        """Keep a new session; the longest unused one may have to make room."""
        limits = (self._idle_seconds, self._max_sessions)
        await self._run(_ADD, session.id, session.to_json(), self._clock(), *limits)

    async def get(self, session_id: UUID) -> Session | None:
        """Return a session that is still in use."""
        kept = await self._run(_GET, session_id, self._oldest())
        return Session.from_json(kept) if isinstance(kept, str) else None

    async def update(self, session: Session) -> None:
        """Keep what a session has become."""
        text = session.to_json()
        await self._run(_UPDATE, session.id, text, self._clock(), self._idle_seconds)

    async def remove(self, session_id: UUID) -> bool:
        """Forget a session."""
        return bool(await self._run(_REMOVE, session_id, self._oldest()))

    @asynccontextmanager
    async def holding(self, session_id: UUID) -> AsyncIterator[None]:
        """Let one question of a session at a time through, whichever worker it came to.

        Within a worker they keep their order; between workers whoever looks first goes first.
        """
        line = self._lines.setdefault(session_id, _Line())
        line.waiting += 1
        try:
            async with line.lock, self._lease(session_id):
                yield
        finally:
            line.waiting -= 1
            if not line.waiting:
                self._lines.pop(session_id, None)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._redis.close()

    @asynccontextmanager
    async def _lease(self, session_id: UUID) -> AsyncIterator[None]:
        lock = Lock(
            self._redis.client,
            self._redis.name("lock", session_id),
            timeout=_LEASE_SECONDS,
            sleep=_LOOKED_EVERY_SECONDS,
            thread_local=False,
        )
        with answering():
            await lock.acquire()
        renewing = asyncio.ensure_future(_renew(lock))
        try:
            yield
        finally:
            renewing.cancel()
            await self._let_go(lock, session_id)

    async def _let_go(self, lock: Lock, session_id: UUID) -> None:
        """Free a session for the next question; what was answered is answered, come what may."""
        try:
            await self._run(_TOUCH, session_id, self._clock(), self._idle_seconds)
            with answering():
                await lock.release()
        except RedisAwayError as problem:
            _LOG.warning("session %s is free again when its lease ends: %s", session_id, problem)

    async def _run(
        self, script: str, session_id: UUID, *arguments: str | float
    ) -> str | int | None:
        name = self._redis.name
        keys = [name("used"), name("session", ""), name("lock", "")]
        return await self._redis.run(script, keys, str(session_id), *arguments)

    def _oldest(self) -> float:
        return self._clock() - self._idle_seconds


async def _renew(lock: Lock) -> None:
    """Say again and again that this worker lives."""
    while True:
        await asyncio.sleep(_RENEWED_EVERY_SECONDS)
        with suppress(RedisAwayError), answering():
            try:
                await lock.reacquire()
            except LockError:
                return  # Redis was restarted, or away for longer than the lease

"""Token buckets in Redis, for several workers."""

from __future__ import annotations

from collections.abc import Callable

from bythebook.web.access.buckets import Rate
from bythebook.web.redis_client import SharedRedis

# By the clock of Redis, which is the same for all workers; a test may bring its own.
# A bucket that is full again needs no entry, so each one lasts just until then.
_TAKE = """
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] + time[2] / 1000000
end
local seconds, drip = tonumber(ARGV[2]), tonumber(ARGV[3])
local full_at = tonumber(redis.call('GET', KEYS[1])) or now
full_at = math.max(full_at, now) + drip
local wait = full_at - now - seconds
if wait > 0.000001 then return tostring(wait) end
redis.call('SET', KEYS[1], string.format('%.6f', full_at))
redis.call('PEXPIRE', KEYS[1], math.ceil((full_at - now) * 1000))
return '0'
"""


class RedisBuckets:
    """Buckets that all workers share."""

    def __init__(
        self,
        redis: SharedRedis,
        kind: str,
        rate: Rate,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._redis = redis
        self._kind = kind
        self._rate = rate
        self._clock = clock

    async def take(self, name: str) -> float:
        """Take one, or return how long to wait; raise RedisAwayError."""
        key = self._redis.name("rate", self._kind, name)
        now = "" if self._clock is None else repr(self._clock())
        return float(
            await self._redis.run(_TAKE, [key], now, self._rate.seconds, self._rate.drip) or 0
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._redis.close()

"""The day's count of model tokens in Redis, for several workers."""

from __future__ import annotations

from bythebook.web.access.budget import Clock, now_in_utc
from bythebook.web.redis_client import SharedRedis, answering

_TWO_DAYS = 2 * 24 * 60 * 60

_SPEND = """
redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
"""


class RedisBudget:
    """Counts for all workers, and over restarts."""

    def __init__(self, redis: SharedRedis, tokens_a_day: int, clock: Clock = now_in_utc) -> None:
        self._redis = redis
        self._tokens_a_day = tokens_a_day
        self._clock = clock

    async def is_spent(self) -> bool:
        """Tell whether nothing is left for today; raise RedisAwayError."""
        with answering():
            spent = await self._redis.client.get(self._today())
        return int(spent or 0) >= self._tokens_a_day

    async def spend(self, tokens: int) -> None:
        """Count; raise RedisAwayError."""
        await self._redis.run(_SPEND, [self._today()], tokens, _TWO_DAYS)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._redis.close()

    def _today(self) -> str:
        return self._redis.name("tokens", self._clock().date().isoformat())

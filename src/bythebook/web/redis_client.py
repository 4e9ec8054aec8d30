"""The connection to Redis that sessions, limits and the budget share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bythebook.errors import MissingExtraError, RedisAwayError, SettingsError

try:
    from redis.asyncio import BlockingConnectionPool, Redis
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff
    from redis.exceptions import RedisError
except ImportError as problem:
    raise MissingExtraError(
        "REDIS_URL needs the package redis", hint="pip install 'bythebook[redis]'"
    ) from problem

if TYPE_CHECKING:
    from collections.abc import Sequence

# A reader waits for this. On the same network Redis answers within a millisecond.
_CONNECT_SECONDS = 1.0
_ANSWER_SECONDS = 2.0
_CONNECTIONS = 16

_HINT = "write redis://HOST:PORT/DATABASE or rediss://USER:PASSWORD@HOST:PORT into REDIS_URL"


class SharedRedis:
    """Redis, under a beginning of our own for all names: several books may share one server."""

    def __init__(self, url: str, prefix: str = "bythebook") -> None:
        # The braces keep all names on one node of a cluster, where a script may touch them.
        self._prefix = f"{{{prefix}}}"
        try:
            pool = BlockingConnectionPool.from_url(
                url,
                max_connections=_CONNECTIONS,  # a crowd waits for one, which is no outage
                timeout=_ANSWER_SECONDS,
                decode_responses=True,
                socket_connect_timeout=_CONNECT_SECONDS,
                socket_timeout=_ANSWER_SECONDS,
                # A connection that a restart cut off is only noticed when used: again, at once.
                retry=Retry(NoBackoff(), retries=1),
            )
            self.client: Redis = Redis.from_pool(pool)
        except ValueError as problem:
            # Its own text is never repeated, for it may hold a password.
            raise SettingsError("REDIS_URL is no address of Redis", hint=_HINT) from problem

    def name(self, *parts: object) -> str:
        """Return the full name of something."""
        return ":".join((self._prefix, *map(str, parts)))

    async def run(
        self, script: str, keys: Sequence[str], *arguments: str | float
    ) -> str | int | None:
        """Run a script; raise RedisAwayError."""
        with answering():
            result: str | int | None = await self.client.eval(
                script, len(keys), *keys, *map(str, arguments)
            )
            return result

    async def close(self) -> None:
        """Let go of the connections."""
        await self.client.aclose()


@contextmanager
def answering() -> Iterator[None]:
    """Turn the trouble of Redis into ours."""
    try:
        yield
    except (RedisError, OSError) as problem:
        raise RedisAwayError(f"Redis does not answer: {type(problem).__name__}") from problem

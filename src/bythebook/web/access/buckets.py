"""Token buckets: so many requests at once, and then as many as drip in.

A bucket of 30 a minute holds thirty and gets one every two seconds. Instead of a number that has to
be topped up, the moment is kept at which the bucket will be full again (the generic cell rate
algorithm): one number a client, and none for a client whose bucket is full.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import time
from typing import Protocol

from bythebook.errors import RedisAwayError, SettingsError
from bythebook.web.access.outage import Outage

OFF = ("off", "none", "0", "")
_HINT = "write it like 30/minute or 5/second, or off"

# More clients than this at once are not readers; the ones seen longest ago are forgotten.
_MAX_NAMES = 100_000


@dataclass(frozen=True)
class Rate:
    """How many requests in how many seconds."""

    amount: int
    seconds: float

    @property
    def drip(self) -> float:
        """The seconds between two requests of a client that never stops."""
        return self.seconds / self.amount


def parse_rate(setting: str, text: str) -> Rate | None:
    """Return the rate a setting names, None for none; raise SettingsError when it names no rate."""
    if text.strip().lower() in OFF:
        return None
    from limits import parse_many

    try:
        (item,) = parse_many(text)
    except ValueError as problem:
        raise SettingsError(
            f"setting {setting!r} has the value {text!r}, which is no rate", hint=_HINT
        ) from problem
    if item.amount < 1 or item.get_expiry() < 1:
        raise SettingsError(f"setting {setting!r} lets nobody ask: {text!r}", hint=_HINT)
    return Rate(item.amount, float(item.get_expiry()))


class Buckets(Protocol):
    """A bucket for each name."""

    async def take(self, name: str) -> float:
        """Take one from a bucket and return 0, or the seconds until there is one again.

        Raises RedisAwayError.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class MemoryBuckets:
    """Buckets inside this process."""

    def __init__(
        self, rate: Rate, clock: Callable[[], float] = time, max_names: int = _MAX_NAMES
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._max_names = max_names
        self._full_at: OrderedDict[str, float] = OrderedDict()  # the longest unseen first

    def __len__(self) -> int:
        """How many buckets are not full, as far as anybody looked."""
        return len(self._full_at)

    async def take(self, name: str) -> float:
        """Take one, or return how long to wait."""
        now = self._clock()
        self._forget(now)
        full_at = max(self._full_at.get(name, now), now) + self._rate.drip
        wait = full_at - now - self._rate.seconds
        if wait > _GRAIN:
            return wait
        self._full_at[name] = full_at
        self._full_at.move_to_end(name)
        return 0.0

    async def close(self) -> None:
        """Forget everything."""
        self._full_at.clear()

    def _forget(self, now: float) -> None:
        """Drop buckets that are full again, two for each one that may be added."""
        for _ in range(2):
            name = next(iter(self._full_at), None)
            if name is None:
                return
            if self._full_at[name] > now and len(self._full_at) < self._max_names:
                return
            del self._full_at[name]


_GRAIN = 1e-6  # sums of fractions are not exact: a wait shorter than this is none


class SharedBuckets:
    """Buckets that all workers share; without them each worker goes on with its own.

    An outage of the counter is no reason to turn readers away, nor to let everybody through: while
    it lasts, a client has as many requests as there are workers times what it should have.
    """

    def __init__(self, shared: Buckets, own: Buckets, clock: Callable[[], float] = time) -> None:
        self._shared = shared
        self._own = own
        self._outage = Outage("each worker counts requests by itself", clock)

    async def take(self, name: str) -> float:
        """Take one, or return how long to wait."""
        if self._outage.may_try:
            try:
                wait = await self._shared.take(name)
            except RedisAwayError as problem:
                self._outage.began(problem)
            else:
                self._outage.ended()
                return wait
        return await self._own.take(name)

    async def close(self) -> None:
        """Let go of connections."""
        await self._shared.close()
        await self._own.close()

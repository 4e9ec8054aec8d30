"""The tokens a model may use in a day; when they are spent, the book is quoted until midnight UTC.

What is counted is what answers report. An answer is counted when it is done, so those being written
at that moment may go over the budget.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Protocol

from bythebook.errors import RedisAwayError
from bythebook.web.access.outage import Outage

_LOG = logging.getLogger(__name__)

NOTE = "the day's budget of model tokens is spent: the book is quoted until midnight UTC"


class Budget(Protocol):
    """Counts tokens."""

    async def is_spent(self) -> bool:
        """Tell whether nothing is left for today."""
        ...

    async def spend(self, tokens: int) -> None:
        """Count the tokens of an answer."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def now_in_utc() -> datetime:
    """Return the moment."""
    return datetime.now(UTC)


Clock = Callable[[], datetime]


class NoBudget:
    """As many as the model likes."""

    async def is_spent(self) -> bool:
        """Never."""
        return False

    async def spend(self, tokens: int) -> None:
        """Do not count."""

    async def close(self) -> None:
        """Do nothing."""


class MemoryBudget:
    """Counts inside this process; a restart begins anew."""

    def __init__(self, tokens_a_day: int, clock: Clock = now_in_utc) -> None:
        self.tokens_a_day = tokens_a_day
        self._clock = clock
        self._day: date | None = None
        self._spent = 0

    async def is_spent(self) -> bool:
        """Tell whether nothing is left for today."""
        self._turn_page()
        return self._spent >= self.tokens_a_day

    async def spend(self, tokens: int) -> None:
        """Count."""
        self._turn_page()
        before, self._spent = self._spent, self._spent + tokens
        if before < self.tokens_a_day <= self._spent:
            _LOG.warning("%s (%d tokens)", NOTE, self.tokens_a_day)

    async def close(self) -> None:
        """Do nothing."""

    def _turn_page(self) -> None:
        today = self._clock().date()
        if today != self._day:
            self._day, self._spent = today, 0


class SharedBudget:
    """Counts for all workers together; without the shared counter each goes by what it knows."""

    def __init__(self, shared: Budget, own: Budget) -> None:
        self._shared = shared
        self._own = own
        self._outage = Outage("each worker counts model tokens by itself")

    async def is_spent(self) -> bool:
        """Tell whether nothing is left for today."""
        if self._outage.may_try:
            try:
                is_spent = await self._shared.is_spent()
            except RedisAwayError as problem:
                self._outage.began(problem)
            else:
                self._outage.ended()
                return is_spent
        return await self._own.is_spent()

    async def spend(self, tokens: int) -> None:
        """Count."""
        await self._own.spend(tokens)
        if not self._outage.may_try:
            return
        try:
            await self._shared.spend(tokens)
        except RedisAwayError as problem:
            self._outage.began(problem)

    async def close(self) -> None:
        """Let go of connections."""
        await self._shared.close()

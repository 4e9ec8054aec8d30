"""Trying again, for whatever is reached over a network: the same rules for every engine and model.

    retry = Retry(deadline_seconds=20)
    points = retry.call(lambda: client.query(...), is_worth_retrying)
    answer = await retry.acall(lambda: client.create(...), is_worth_retrying, retry_after)

The last error comes out as it was raised: the caller makes it one of ours.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import tenacity

T = TypeVar("T")

IsWorthRetrying = Callable[[Exception], bool]
RetryAfter = Callable[[Exception], float | None]


def not_told(_: Exception) -> float | None:
    """Read no waiting time from an error: the usual pause applies."""
    return None


@dataclass(frozen=True)
class Retry:
    """How often and how long to try.

    No attempt begins after the deadline, and no pause is begun that would pass it. How long one
    attempt may take is the caller's own timeout.
    """

    attempts: int = 3
    deadline_seconds: float = 20.0
    first_pause_seconds: float = 0.2  # doubled each time; up to as much again by chance
    longest_pause_seconds: float = 8.0  # of those we choose; a server may ask for a longer one
    sleep: Callable[[float], None] = time.sleep
    asleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic

    def call(
        self,
        fn: Callable[[], T],
        is_worth_retrying: IsWorthRetrying,
        retry_after: RetryAfter = not_told,
    ) -> T:
        """Return what `fn` returns; raise its last error when trying again is of no use."""
        attempts = tenacity.Retrying(
            sleep=self.sleep,
            retry=_retry_if(is_worth_retrying),
            wait=self._wait(retry_after),
            stop=self._stop(),
            reraise=True,
        )
        return attempts(fn)

    async def acall(
        self,
        fn: Callable[[], Awaitable[T]],
        is_worth_retrying: IsWorthRetrying,
        retry_after: RetryAfter = not_told,
    ) -> T:
        """Return what awaiting `fn()` returns; raise its last error as `call` does."""
        attempts = tenacity.AsyncRetrying(
            sleep=self._asleep,
            retry=_retry_if(is_worth_retrying),
            wait=self._wait(retry_after),
            stop=self._stop(),
            reraise=True,
        )

        async def attempt() -> T:
            return await fn()

        return await attempts(attempt)

    async def _asleep(self, seconds: float) -> None:
        await self.asleep(seconds)

    def _wait(self, retry_after: RetryAfter) -> Callable[[tenacity.RetryCallState], float]:
        growing = tenacity.wait_exponential(
            multiplier=self.first_pause_seconds, max=self.longest_pause_seconds
        )
        chosen = growing + tenacity.wait_random(0, self.first_pause_seconds)

        def wait(state: tenacity.RetryCallState) -> float:
            problem = _problem(state)
            told = retry_after(problem) if problem else None
            return chosen(state) if told is None else max(0.0, told)

        return wait

    def _stop(self) -> Callable[[tenacity.RetryCallState], bool]:
        begin = self.clock()

        def stop(state: tenacity.RetryCallState) -> bool:
            resumed = self.clock() - begin + state.upcoming_sleep
            return state.attempt_number >= self.attempts or resumed >= self.deadline_seconds

        return stop


def seconds_told(header: str | None) -> float | None:
    """Return the seconds a `Retry-After` header asks for, in either of its two forms."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    if moment.tzinfo is None:  # the "-0000" of the mail format: no zone given means UTC
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _retry_if(is_worth_retrying: IsWorthRetrying) -> Callable[[tenacity.RetryCallState], bool]:
    def retry(state: tenacity.RetryCallState) -> bool:
        problem = _problem(state)
        return problem is not None and is_worth_retrying(problem)

    return retry


def _problem(state: tenacity.RetryCallState) -> Exception | None:
    """Return the error of the last attempt; being cancelled or interrupted is not one."""
    problem = state.outcome.exception() if state.outcome else None
    return problem if isinstance(problem, Exception) else None

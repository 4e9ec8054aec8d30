"""Trying again: how often, how long, and for what."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from bythebook.retrying import Retry, seconds_told


class Clock:
    """Time that passes only when somebody sleeps or a call says how long it took."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    async def asleep(self, seconds: float) -> None:
        self.sleep(seconds)


class Flaky:
    """Fails with the given errors, one a call, and then returns "done"."""

    def __init__(self, *problems: BaseException, clock: Clock | None = None, takes: float = 0.0):
        self.problems = list(problems)
        self.calls = 0
        self._clock = clock
        self._takes = takes

    def __call__(self) -> str:
        self.calls += 1
        if self._clock:
            self._clock.now += self._takes
        if self.problems:
            raise self.problems.pop(0)
        return "done"


Run = Callable[..., str]


@pytest.fixture
def clock() -> Clock:
    return Clock()


def retry(clock: Clock, attempts: int = 3, deadline_seconds: float = 20.0) -> Retry:
    return Retry(
        attempts=attempts,
        deadline_seconds=deadline_seconds,
        sleep=clock.sleep,
        asleep=clock.asleep,
        clock=lambda: clock.now,
    )


def run_call(tried: Retry, fn: Flaky, *rest: Callable[[Exception], object]) -> str:
    return tried.call(fn, *rest)  # type: ignore[arg-type]  # the rest are its two callables


def run_acall(tried: Retry, fn: Flaky, *rest: Callable[[Exception], object]) -> str:
    async def awaited() -> str:
        return fn()

    return asyncio.run(tried.acall(awaited, *rest))  # type: ignore[arg-type]  # as above


@pytest.fixture(params=[run_call, run_acall], ids=["call", "acall"])
def run(request: pytest.FixtureRequest) -> Run:
    chosen: Run = request.param
    return chosen


def is_os_error(problem: Exception) -> bool:
    return isinstance(problem, OSError)


def test_a_call_that_works_is_made_once(run: Run, clock: Clock) -> None:
    fn = Flaky()
    assert run(retry(clock), fn, is_os_error) == "done"
    assert fn.calls == 1
    assert clock.pauses == []


def test_what_is_worth_it_is_tried_three_times_with_growing_pauses(run: Run, clock: Clock) -> None:
    fn = Flaky(OSError("1"), OSError("2"))
    assert run(retry(clock), fn, is_os_error) == "done"
    assert fn.calls == 3
    first, second = clock.pauses
    assert 0.2 <= first <= 0.4 <= second <= 0.6


def test_the_last_error_comes_out_as_it_was_raised(run: Run, clock: Clock) -> None:
    fn = Flaky(OSError("1"), OSError("2"), OSError("3"), OSError("4"))
    with pytest.raises(OSError, match="3"):
        run(retry(clock), fn, is_os_error)
    assert fn.calls == 3


def test_what_is_not_worth_it_is_not_tried_again(run: Run, clock: Clock) -> None:
    fn = Flaky(ValueError("wrong key"))
    with pytest.raises(ValueError, match="wrong key"):
        run(retry(clock), fn, is_os_error)
    assert fn.calls == 1


def test_the_pause_a_server_asks_for_is_kept(run: Run, clock: Clock) -> None:
    fn = Flaky(OSError("busy"))
    assert run(retry(clock), fn, is_os_error, lambda _: 7.5) == "done"
    assert clock.pauses == [7.5]


def test_a_pause_beyond_the_deadline_is_not_begun(run: Run, clock: Clock) -> None:
    fn = Flaky(OSError("busy"))
    with pytest.raises(OSError, match="busy"):
        run(retry(clock, deadline_seconds=5), fn, is_os_error, lambda _: 60.0)
    assert fn.calls == 1
    assert clock.pauses == []


def test_no_attempt_begins_after_the_deadline(run: Run, clock: Clock) -> None:
    fn = Flaky(OSError("slow"), OSError("slow"), clock=clock, takes=6.0)
    with pytest.raises(OSError, match="slow"):
        run(retry(clock, deadline_seconds=10), fn, is_os_error)
    assert fn.calls == 2


def test_two_calls_have_a_deadline_each(clock: Clock) -> None:
    tried = retry(clock, deadline_seconds=10)
    for _ in range(3):
        assert tried.call(Flaky(OSError("slow"), clock=clock, takes=6.0), is_os_error) == "done"


def test_an_interruption_is_never_held_back(clock: Clock) -> None:
    fn = Flaky(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        retry(clock).call(fn, lambda _: True)
    assert fn.calls == 1


def test_being_cancelled_is_never_held_back(clock: Clock) -> None:
    fn = Flaky(asyncio.CancelledError())
    with pytest.raises(asyncio.CancelledError):
        run_acall(retry(clock), fn, lambda _: True)
    assert fn.calls == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", 0.0), (None, None), ("soon", None), ("", None)],
)
def test_a_retry_after_header_in_seconds_is_read(header: str | None, seconds: float | None) -> None:
    assert seconds_told(header) == seconds


def test_a_retry_after_header_with_a_date_is_read() -> None:
    later = datetime.now(UTC) + timedelta(seconds=30)
    assert seconds_told(format_datetime(later, usegmt=True)) == pytest.approx(30, abs=2)
    assert seconds_told("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert seconds_told("Wed, 21 Oct 2015 07:28:00 -0000") == 0.0

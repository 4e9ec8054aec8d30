"""A clock that goes when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime


class Clock:
    """Seconds, or the moment they stand for."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def moment(self) -> datetime:
        return datetime.fromtimestamp(self.now, UTC)

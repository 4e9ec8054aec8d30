"""A shared counter that does not answer: it is told once, and left alone for a while."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import time

from bythebook.errors import RedisAwayError

_LOG = logging.getLogger(__name__)

# Readers would wait for each try; in between they do not.
_PAUSE_SECONDS = 5.0


class Outage:
    """Whether something is away; the log hears of its beginning and its end."""

    def __init__(self, without: str, clock: Callable[[], float] = time) -> None:
        self._without = without  # what is done meanwhile
        self._clock = clock
        self._again_at = 0.0
        self._is_away = False

    @property
    def may_try(self) -> bool:
        """Whether it is time to try it, again or at all."""
        return not self._is_away or self._clock() >= self._again_at

    def began(self, problem: RedisAwayError) -> None:
        """Hear that it did not answer."""
        self._again_at = self._clock() + _PAUSE_SECONDS
        if not self._is_away:
            _LOG.warning("%s: %s", problem.message, self._without)
        self._is_away = True

    def ended(self) -> None:
        """Hear that it answered."""
        if self._is_away:
            _LOG.warning("Redis answers again; no longer: %s", self._without)
        self._is_away = False

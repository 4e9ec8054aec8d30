"""Whether the service can answer right now: every engine is really asked.

Each check has a thread of its own and a short time. One that hangs is not started a second time, so
that a dead engine does not eat threads; what was found holds for a few seconds, however often it is
asked for. What comes out names engines and nothing else: no host, no key, no path.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING

from bythebook.errors import BythebookError, SetupError

if TYPE_CHECKING:
    from bythebook.web.desk import Desk
    from bythebook.web.operations.metrics import Metrics

_LOG = logging.getLogger("bythebook.readiness")

FRESH_SECONDS = 3.0
DEADLINE_SECONDS = 2.0
# A hosted service bills each call or counts it against a limit.
_HOSTED_FRESH_SECONDS = 60.0

_numbers = count()


@dataclass(frozen=True)
class Finding:
    """How one engine is doing; `problem` is None when it is well."""

    engine: str
    problem: str | None = None
    is_needed: bool = True  # whether questions fail without it


@dataclass
class Check:
    """A way to ask one engine, and what it said last."""

    engine: str
    ask: Callable[[], object]
    is_needed: bool = True
    fresh_seconds: float = FRESH_SECONDS
    _asking: asyncio.Future[object] | None = None
    _found: Finding | None = None
    _found_at: float = field(default=float("-inf"))

    async def find(self, threads: ThreadPoolExecutor) -> Finding:
        """Return how the engine is doing, from memory when that is fresh."""
        if self._found and monotonic() - self._found_at < self._lasts():
            return self._found
        problem = await self._problem(threads)
        if problem and (self._found is None or self._found.problem != problem):
            _LOG.warning("%s is not ready: %s", self.engine, problem)
        self._found = Finding(self.engine, problem, self.is_needed)
        self._found_at = monotonic()
        return self._found

    def _lasts(self) -> float:
        """Bad news is looked at again sooner: whoever is back should be used."""
        is_well = self._found is not None and self._found.problem is None
        return self.fresh_seconds if is_well else min(self.fresh_seconds, FRESH_SECONDS / 3)

    async def _problem(self, threads: ThreadPoolExecutor) -> str | None:
        if self._asking is None:
            self._asking = asyncio.wrap_future(threads.submit(self.ask))
        done, _ = await asyncio.wait({self._asking}, timeout=DEADLINE_SECONDS)
        if not done:
            return f"no reply within {DEADLINE_SECONDS:g} seconds"
        raised, self._asking = self._asking.exception(), None
        if raised is None:
            return None
        # The whole story may name hosts, so it goes to the log only.
        _LOG.info("%s: %s", self.engine, raised)
        if isinstance(raised, SetupError):
            return "it is not set up rightly; the log says more"
        return "it does not work" if isinstance(raised, BythebookError) else "it cannot be reached"


class Readiness:
    """Asks all engines of a desk."""

    def __init__(self, desk: Desk, metrics: Metrics) -> None:
        self._checks = checks_for(desk)
        self._metrics = metrics
        self._threads = ThreadPoolExecutor(len(self._checks), thread_name_prefix="readiness")
        self._asking = asyncio.Lock()

    async def findings(self) -> Sequence[Finding]:
        """Return how each engine is doing."""
        async with self._asking:  # many who ask at once get one answer
            found = await asyncio.gather(*(check.find(self._threads) for check in self._checks))
        for finding in found:
            self._metrics.ready.labels(finding.engine).set(finding.problem is None)
        return found

    def close(self) -> None:
        """Let go of the threads; what hangs ends with the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _ping_redis(address: str) -> None:
    """Ask Redis for a sign of life, past the connections that answers use."""
    from redis import Redis

    with Redis.from_url(address, socket_timeout=1.0, socket_connect_timeout=1.0) as client:
        client.ping()


def checks_for(desk: Desk) -> list[Check]:
    """Return a check for every engine that the settings of a desk name."""
    settings = desk.settings
    is_hosted = not settings.embedder.startswith("minilm")
    checks = [
        Check("index", lambda: desk.assistant.check_store()),
        Check(
            "embedder",
            # Another text each time: what was embedded before is remembered, not asked for.
            lambda: desk.assistant.check_embedder(f"Is anybody there? {next(_numbers)}"),
            fresh_seconds=_HOSTED_FRESH_SECONDS if is_hosted else FRESH_SECONDS,
        ),
    ]
    log = desk.query_log
    if log is not None:
        # Answers do not wait for it, so its absence must not take the service off the network.
        checks.append(Check("query_log", log.database.ping, is_needed=False))
    if settings.redis_url is not None:
        address = settings.redis_url.get_secret_value()
        checks.append(Check("redis", lambda: _ping_redis(address), is_needed=False))
    if settings.writer == "agent":
        from bythebook.assembly import agent_options
        from bythebook.writers.reaching import knock

        options = agent_options(settings)
        checks.append(Check("model", lambda: knock(options, DEADLINE_SECONDS)))
    return checks

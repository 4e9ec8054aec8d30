"""The query log as the service sees it: `record` returns at once and never raises.

Records wait in a queue in memory; one thread writes them in batches, in order. While the database
is away the thread tries again with growing pauses and the queue fills up; when it is full, new
records are counted and let go, so what is written has no holes before that moment. A batch leaves
the queue only when the database has confirmed it.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from threading import Condition, Thread
from time import monotonic
from types import TracebackType
from typing import Self

from bythebook.errors import BythebookError, QueryLogError
from bythebook.querylog.addresses import Addresses
from bythebook.querylog.base import Counters, LogEntry, Record
from bythebook.querylog.database import LogDatabase
from bythebook.types import Outcome

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pace:
    """How the queue is worked off."""

    capacity: int = 10_000  # some 20 MB of the longest questions; an hour at three a second
    batch: int = 200
    gather_seconds: float = 0.1  # waiting for company: one transaction instead of many
    first_pause_seconds: float = 0.1
    longest_pause_seconds: float = 5.0
    patience_seconds: float = 10.0  # after which a database that does not reply counts as away
    chores_seconds: float = 3600.0  # between two looks at what is too old


class QueryLog:
    """Takes records from answers and brings them to the database."""

    def __init__(
        self,
        database: LogDatabase,
        addresses: Addresses | None = None,
        *,
        retention_days: int = 0,  # 0 keeps everything
        pace: Pace | None = None,
    ) -> None:
        self.database = database
        self._addresses = addresses or Addresses("hashed")
        self._retention_days = retention_days
        self._pace = pace or Pace()
        self._queue: deque[Record] = deque()
        self._changed = Condition()
        self._written = self._dropped = self._failures = 0
        self._is_reachable = self._is_migrated = False
        self._waiting_since: float | None = None  # for a reply of the database
        self._flushing = 0
        self._closing_at: float | None = None  # when to give up
        self._pause = self._pace.first_pause_seconds
        self._chores_at = monotonic()
        self._thread: Thread | None = None

    def start(self) -> None:
        """Begin to write; raise a SetupError when the database is there and cannot be ours."""
        if self._thread is not None:
            return
        try:
            self._migrate()
        except QueryLogError as problem:
            self._note_failure(problem)  # it may come later; answers do not wait for it
        self._thread = Thread(target=self._run, name="bythebook-querylog", daemon=True)
        self._thread.start()

    def record(self, record: Record) -> None:
        """Take a record to be written soon."""
        self._take(lambda: record)

    def record_outcome(self, outcome: Outcome, user_ip: str | None = None) -> None:
        """Take what may be kept of a settled question."""
        self._take(lambda: LogEntry.of(outcome, user_ip))

    @property
    def counters(self) -> Counters:
        """How the log is doing."""
        with self._changed:
            return Counters(
                queued=len(self._queue),
                written=self._written,
                dropped=self._dropped,
                failures=self._failures,
                is_reachable=self._is_reachable and not self._is_kept_waiting(),
            )

    def flush(self, timeout: float) -> bool:
        """Wait until everything is written; return whether it was within the time."""
        with self._changed:
            self._flushing += 1
            self._changed.notify_all()
            try:
                return self._changed.wait_for(lambda: not self._queue, timeout)
            finally:
                self._flushing -= 1

    def close(self, timeout: float = 5.0) -> None:
        """Write what is left, as far as the time allows; what comes later is let go."""
        with self._changed:
            if self._closing_at is None:
                self._closing_at = monotonic() + timeout
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout)
        with self._changed:
            left = len(self._queue)
            self._dropped += left
            self._queue.clear()
        if left:
            _LOG.warning("the query log ends with %d records unwritten", left)
        if self._thread is None:
            self.database.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- in the thread of an answer -------------------------------------------------------------

    def _take(self, make: Callable[[], Record]) -> None:
        try:
            record = self._discreet(make())
        except Exception:  # whatever it is, an answer must not fail for its log
            _LOG.exception("a record for the query log could not be made")
            record = None
        with self._changed:
            is_full = len(self._queue) >= self._pace.capacity
            if record is None or is_full or self._closing_at is not None:
                self._dropped += 1
                return
            self._queue.append(record)
            self._changed.notify_all()

    def _discreet(self, record: Record) -> Record:
        """Return the record with no more of an address than may be kept, before it waits here."""
        if not isinstance(record, LogEntry) or record.user_ip is None:
            return record
        kept = self._addresses.kept(record.user_ip, record.created_at.date())
        return record.model_copy(update={"user_ip": kept})

    # --- in the thread of the log ---------------------------------------------------------------

    def _run(self) -> None:
        while not self._is_over():
            try:
                self._work()
            except BythebookError as problem:
                self._note_failure(problem)
                self._rest()
            except Exception as problem:
                _LOG.exception("the query log met an error nobody foresaw")
                self._note_failure(problem)
                self._rest()
        self.database.close()  # here, for close() may have given up waiting for this

    def _work(self) -> None:
        if not self._is_migrated:
            self._migrate()
        batch = self._next_batch()
        if batch:
            self._waiting_since = monotonic()
            try:
                refused = self.database.write(batch)
            finally:
                self._waiting_since = None
            self._settle(batch, refused)
        if monotonic() >= self._chores_at:
            self._do_chores()

    def _is_kept_waiting(self) -> bool:
        since = self._waiting_since
        return since is not None and monotonic() - since >= self._pace.patience_seconds

    def _migrate(self) -> None:
        self.database.migrate()
        self._is_migrated = True
        self._note_success()

    def _next_batch(self) -> list[Record]:
        """Wait for records, a moment longer for company, and return the oldest of them."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._queue or self._closing_at is not None,
                max(0.0, self._chores_at - monotonic()),
            )
            if self._queue:
                self._changed.wait_for(self._is_worth_writing, self._pace.gather_seconds)
            return list(islice(self._queue, self._pace.batch))

    def _is_worth_writing(self) -> bool:
        is_full = len(self._queue) >= self._pace.batch
        return is_full or self._flushing > 0 or self._closing_at is not None

    def _settle(self, batch: list[Record], refused: int) -> None:
        with self._changed:
            if not self._queue:
                return  # close() let go of them while the database took its time
            for _ in batch:
                self._queue.popleft()
            self._written += len(batch) - refused
            self._dropped += refused
            self._changed.notify_all()
        self._note_success()

    def _do_chores(self) -> None:
        self._chores_at = monotonic() + self._pace.chores_seconds
        self._addresses.keep()
        if not self._retention_days:
            return
        try:
            self.database.purge(self._retention_days)
        except QueryLogError as problem:
            # Left for the next time: old rows must not keep new ones from being written.
            _LOG.warning("old questions could not be deleted: %s", problem)

    def _note_success(self) -> None:
        with self._changed:
            is_news = not self._is_reachable and self._failures > 0
            self._is_reachable = True
            self._pause = self._pace.first_pause_seconds
        if is_news:
            _LOG.info("the query log can be written again")

    def _note_failure(self, problem: Exception) -> None:
        with self._changed:
            is_news = self._is_reachable or not self._failures
            self._is_reachable = False
            self._failures += 1
        if is_news:
            _LOG.warning("%s; it is tried again, and answers go on", problem)

    def _rest(self) -> None:
        """Wait before the next attempt; a beginning end interrupts the wait."""
        with self._changed:
            was_closing = self._closing_at
            pause, self._pause = self._pause, min(self._pause * 2, self._pace.longest_pause_seconds)
            if was_closing is not None:
                pause = min(pause, 0.2, max(0.0, was_closing - monotonic()))
            self._changed.wait_for(lambda: self._closing_at is not was_closing, pause)

    def _is_over(self) -> bool:
        with self._changed:
            if self._closing_at is None:
                return False
            return not self._queue or monotonic() >= self._closing_at

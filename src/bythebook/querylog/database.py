"""The database of the query log: SQLite or PostgreSQL behind the same few methods.

Everything here waits for the database. `log.QueryLog` is what may be called while answering.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from filelock import FileLock

from bythebook.errors import QueryLogError, QueryLogUnusableError
from bythebook.querylog import migrations, reading, retention, writing
from bythebook.querylog.alchemy import sa
from bythebook.querylog.base import Record

_CONNECT_SECONDS = 3
_SILENCE_SECONDS = 10  # after which a connection without a word is given up
_BUSY_SECONDS = 5.0  # how long SQLite waits for another process that is writing

_LOG = logging.getLogger(__name__)

# What can be over the next time. All else is held against the rows themselves.
_TROUBLES = (sa.exc.SQLAlchemyError, sqlite3.Error, OSError)


class LogDatabase:
    """Reads and writes the log; raises QueryLogError when the database does not do its part."""

    def __init__(self, url: sa.URL, busy_seconds: float = _BUSY_SECONDS) -> None:
        self._file = Path(url.database or "") if url.drivername == "sqlite" else None
        self._engine = _engine(url, busy_seconds)
        self.place = (
            str(self._file) if self._file else f"{url.database} on {url.host or 'a socket'}"
        )

    def exists(self) -> bool:
        """Return whether there can be something to read; a server has to be asked for that."""
        return self._file is None or self._file.exists()

    def migrate(self) -> None:
        """Bring the tables up to date; raise QueryLogUnusableError when they are newer than we."""
        with self._reaching():
            if self._file is None:
                with self._writing() as connection:
                    migrations.apply(connection)
                return
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # SQLite does not wait its turn where the kind of its journal is changed.
            with FileLock(f"{self._file}.lock", timeout=_BUSY_SECONDS):
                _use_write_ahead_log(self._engine)
                with self._writing() as connection:
                    migrations.apply(connection)

    def ping(self) -> None:
        """Ask the database for a sign of life."""
        if not self.exists():
            raise QueryLogError(f"there is no query log in {self.place!r}")
        with self._reading() as connection:
            connection.execute(sa.select(1))

    def write(self, records: Sequence[Record]) -> int:
        """Write all records in one step, in order, each once; return how many were refused.

        What the database refuses for what it is must not hold up the rest: then each record is
        written by itself.
        """
        with self._reaching():
            if self._is_refused(records):
                return sum(self._is_refused([record]) for record in records)
        return 0

    def purge(self, older_than_days: int, now: datetime | None = None) -> int:
        """Delete what is older; return how many questions that were."""
        before = (now or datetime.now(UTC)) - timedelta(days=older_than_days)
        with self._reaching():
            with self._writing() as connection:
                deleted = retention.delete(connection, before)
            if self._file is not None and deleted:
                retention.empty_write_ahead_log(self._engine)
        return deleted

    def summary(self, since: datetime) -> reading.Summary:
        """Return counts and times of the questions since a moment."""
        with self._reading() as connection:
            return reading.summary(connection, since)

    def unanswered(self, since: datetime, limit: int = 20) -> tuple[reading.Unanswered, ...]:
        """Return what the book was asked and could not answer, the most frequent first."""
        with self._reading() as connection:
            return reading.unanswered(connection, since, limit)

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def _is_refused(self, records: Sequence[Record]) -> bool:
        """Write records; return whether they can never be written, as they are."""
        try:
            with self._writing() as connection:
                writing.write(connection, records)
        except (sa.exc.DataError, sa.exc.IntegrityError) as problem:
            reason: object = type(problem.orig).__name__
        except _TROUBLES:
            raise
        except Exception as problem:  # nothing may block the queue for ever, not even our mistake
            reason = repr(problem)
        else:
            return False
        _LOG.warning("%d records of the query log were refused: %s", len(records), reason)
        return True

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        engine = self._engine.execution_options(is_writing=True)
        with engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._reaching(), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except QueryLogUnusableError:
            raise
        except _TROUBLES as problem:
            cause = getattr(problem, "orig", None) or problem
            reason = (str(cause).strip() or type(cause).__name__).splitlines()[0]
            raise QueryLogError(
                f"the query log in {self.place!r} cannot be used: {reason}",
                hint="see whether the database runs and DATABASE_URL leads to it",
            ) from problem


def _engine(url: sa.URL, busy_seconds: float) -> sa.Engine:
    # Parameters hold what readers asked, and stay out of every error message.
    if url.drivername != "sqlite":
        options = {
            "connect_timeout": _CONNECT_SECONDS,
            "tcp_user_timeout": _SILENCE_SECONDS * 1000,
            "application_name": "bythebook",
            "prepare_threshold": None,  # poolers between us and the server lose prepared statements
        }
        given = {name: value for name, value in options.items() if name not in url.query}
        return sa.create_engine(
            url, connect_args=given, hide_parameters=True, pool_pre_ping=True, pool_size=2
        )
    engine = sa.create_engine(url, connect_args={"timeout": busy_seconds}, hide_parameters=True)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:
    del record
    connection.isolation_level = None  # we begin transactions ourselves, also around new tables
    for setting in ("foreign_keys=ON", "synchronous=NORMAL", "secure_delete=ON"):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: sa.Connection) -> None:
    is_writing = connection.get_execution_options().get("is_writing")
    # Who begins by reading and then wants to write may be turned away; so ask for it at once.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


def _use_write_ahead_log(engine: sa.Engine) -> None:
    with contextlib.closing(engine.raw_connection()) as connection:
        connection.cursor().execute("PRAGMA journal_mode=WAL")

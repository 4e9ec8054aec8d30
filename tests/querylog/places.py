"""Two places for a query log, spoken to by the drivers themselves: what is read here went through
none of the code under test."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Protocol

import psycopg

from bythebook.querylog.alchemy import sa
from bythebook.querylog.database import LogDatabase
from bythebook.querylog.places import log_url
from tests.engines.postgres import Postgres

_DEADLINE_SECONDS = 30.0
_LOOK_EVERY_SECONDS = 0.01


class Place(Protocol):
    """A database that can go away and come back."""

    name: str
    setting: str

    def stop(self) -> None:
        """Let nobody write."""
        ...

    def start(self) -> None:
        """Let everybody write again."""
        ...

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        ...

    def raw(self) -> bytes:
        """Return everything that is on the disk."""
        ...


class SqlitePlace:
    """A file; it goes away by another process that holds it, as a backup may."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.file = folder / "queries.db"
        self.setting = f"sqlite:///{self.file}"
        self._holder: sqlite3.Connection | None = None

    def stop(self) -> None:
        self._holder = sqlite3.connect(self.file, isolation_level=None, timeout=10)
        self._holder.execute("BEGIN EXCLUSIVE")

    def start(self) -> None:
        if self._holder is not None:
            self._holder.rollback()
            self._holder.close()
            self._holder = None

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.file, isolation_level=None, timeout=10)
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()

    def raw(self) -> bytes:
        files = [path for path in self.file.parent.iterdir() if path.is_file()]
        return b"\0".join(path.read_bytes() for path in files)


class PostgresPlace:
    """A database of its own on a real server."""

    name = "postgres"

    def __init__(self, server: Postgres) -> None:
        self.server = server
        self.setting = server.new_database()

    def stop(self) -> None:
        self.server.kill()

    def start(self) -> None:
        self.server.start()

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.setting, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def raw(self) -> bytes:
        return self.server.raw()


def open_database(place: Place) -> LogDatabase:
    """Return the log at a place; with SQLite it gives up soon when somebody else holds the file."""
    return LogDatabase(log_url(place.setting, Path("unused")), busy_seconds=0.05)


def questions(place: Place) -> list[str]:
    """Return the questions in the order in which they were written."""
    # PostgreSQL numbers transactions; within one, rows may fill a gap that an aborted one left.
    order = "rowid" if place.name == "sqlite" else "xmin::text::bigint, created_at"
    return [row[0] for row in place.query(f"SELECT query_text FROM queries ORDER BY {order}")]  # noqa: S608


def engine_of(place: Place) -> sa.Engine:
    """Return a plain engine for a place."""
    return sa.create_engine(log_url(place.setting, Path("unused")), poolclass=sa.NullPool)


def eventually(condition: Callable[[], object]) -> None:
    """Return when a condition holds; fail when it does not come true."""
    deadline = monotonic() + _DEADLINE_SECONDS
    while not condition():
        assert monotonic() < deadline, "it did not come true in time"
        Event().wait(_LOOK_EVERY_SECONDS)

"""One suite over both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bythebook.querylog.addresses import Addresses
from bythebook.querylog.database import LogDatabase
from bythebook.querylog.log import Pace, QueryLog
from tests.querylog.places import Place, PostgresPlace, SqlitePlace, open_database

QUICK = Pace(gather_seconds=0.0, first_pause_seconds=0.01, longest_pause_seconds=0.05)

OpenLog = Callable[..., QueryLog]


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A place for a log, with nothing in it."""
    if request.param == "sqlite":
        place: Place = SqlitePlace(tmp_path / "log")
    else:
        place = PostgresPlace(request.getfixturevalue("postgres"))
    yield place
    place.start()
    if isinstance(place, PostgresPlace):
        place.server.drop_database(place.setting)


@pytest.fixture
def database(place: Place) -> Iterator[LogDatabase]:
    """A log with its tables."""
    database = open_database(place)
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def open_log(place: Place) -> Iterator[OpenLog]:
    """Return a function that opens a log at the place and starts it."""
    logs: list[QueryLog] = []

    def open_it(
        pace: Pace = QUICK,
        addresses: Addresses | None = None,
        retention_days: int = 0,
        database: LogDatabase | None = None,
    ) -> QueryLog:
        log = QueryLog(
            database or open_database(place), addresses, retention_days=retention_days, pace=pace
        )
        logs.append(log)
        log.start()
        return log

    yield open_it
    place.start()
    for log in logs:
        log.close(10)

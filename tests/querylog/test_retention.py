"""What is older than it may be is deleted, and is gone from the files."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from bythebook.querylog.base import Feedback, LogEntry
from bythebook.querylog.database import LogDatabase
from tests.querylog.conftest import QUICK, OpenLog
from tests.querylog.entries import NOW, entry
from tests.querylog.places import Place, eventually, questions


def _aged(days: int, text: str, session_id: UUID | None = None) -> LogEntry:
    return entry(text, created_at=NOW - timedelta(days=days), session_id=session_id)


def test_old_questions_go_and_young_ones_stay(database: LogDatabase, place: Place) -> None:
    database.write([_aged(31, "old"), _aged(29, "young")])
    assert database.purge(30, now=NOW) == 1
    assert questions(place) == ["young"]
    assert database.purge(30, now=NOW) == 0


def test_a_session_goes_with_its_last_question(database: LogDatabase, place: Place) -> None:
    over, going_on = uuid4(), uuid4()
    database.write(
        [
            _aged(40, "a", over),
            _aged(35, "b", over),
            _aged(40, "c", going_on),
            _aged(1, "d", going_on),
        ]
    )
    assert database.purge(30, now=NOW) == 3
    assert [str(row[0]) for row in place.query("SELECT session_id FROM query_sessions")] == [
        str(going_on)
    ]


def test_old_feedback_goes_too(database: LogDatabase, place: Place) -> None:
    ages = (40, 20)
    database.write(
        [
            Feedback(query_id=uuid4(), helpful=True, created_at=NOW - timedelta(days=days))
            for days in ages
        ]
    )
    database.purge(30, now=NOW)
    assert place.query("SELECT COUNT(*) FROM query_feedback") == [(1,)]


def test_the_log_deletes_by_itself(open_log: OpenLog, place: Place) -> None:
    log = open_log(replace(QUICK, chores_seconds=0.05), retention_days=30)
    today = datetime.now(UTC)
    log.record(entry("old", created_at=today - timedelta(days=31)))
    log.record(entry("young", created_at=today))
    eventually(lambda: log.counters.written == 2 and questions(place) == ["young"])


def test_without_a_number_of_days_nothing_is_deleted(open_log: OpenLog, place: Place) -> None:
    log = open_log(replace(QUICK, chores_seconds=0.0), retention_days=0)
    log.record(entry("very old", created_at=datetime(2001, 1, 1, tzinfo=UTC)))
    log.record(entry("young"))
    assert log.flush(30)
    assert questions(place) == ["very old", "young"]


def test_sqlite_keeps_no_trace_of_what_was_deleted(database: LogDatabase, place: Place) -> None:
    database.write([_aged(31, "planted-old-question"), _aged(1, "planted-young-question")])
    database.purge(30, now=NOW)
    content = place.raw() if place.name == "sqlite" else b""
    assert b"planted-old-question" not in content
    assert questions(place) == ["planted-young-question"]

"""Records reach the database in order and once, whatever the database does meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest

from bythebook.errors import QueryLogError
from bythebook.querylog.base import Counters, Feedback, Record
from bythebook.querylog.database import LogDatabase
from bythebook.querylog.log import QueryLog
from bythebook.querylog.places import log_url
from bythebook.types import Outcome
from tests.engines.postgres import Postgres
from tests.querylog.conftest import QUICK, OpenLog
from tests.querylog.entries import answer, entries, entry, outcome
from tests.querylog.places import Place, eventually, questions

_SECONDS = 30.0


def _record_all(log: QueryLog, records: Sequence[Record]) -> None:
    for record in records:
        log.record(record)


def _has_written(log: QueryLog, count: int) -> bool:
    return log.counters.written >= count


def _texts(count: int) -> list[str]:
    return [f"question {number}" for number in range(count)]


def test_everything_recorded_is_there_after_a_flush_in_order(
    open_log: OpenLog, place: Place
) -> None:
    log = open_log(replace(QUICK, batch=7))
    _record_all(log, entries(100))
    assert log.flush(_SECONDS)
    assert questions(place) == _texts(100)
    assert log.counters == Counters(written=100, is_reachable=True)


def test_closing_writes_what_is_left(open_log: OpenLog, place: Place) -> None:
    log = open_log(replace(QUICK, gather_seconds=3600.0))
    _record_all(log, entries(20))
    log.close(_SECONDS)
    assert questions(place) == _texts(20)
    assert log.counters.dropped == 0


def test_what_comes_after_closing_is_counted_and_let_go(open_log: OpenLog, place: Place) -> None:
    log = open_log()
    log.close(_SECONDS)
    log.record(entry())
    assert log.counters.dropped == 1
    assert questions(place) == []


def test_a_database_that_is_away_at_the_start_is_waited_for(
    open_log: OpenLog, place: Place
) -> None:
    place.stop()
    log = open_log()
    _record_all(log, entries(30))
    eventually(lambda: log.counters.failures >= 2)
    assert not log.counters.is_reachable
    assert log.counters.queued == 30
    place.start()
    assert log.flush(_SECONDS)
    assert questions(place) == _texts(30)
    assert log.counters.is_reachable


def test_a_log_with_nothing_to_write_notices_that_the_database_came(
    open_log: OpenLog, place: Place
) -> None:
    place.stop()
    log = open_log()
    place.start()
    eventually(lambda: log.counters.is_reachable)


def test_nothing_is_lost_or_swapped_when_the_database_stops_and_starts(
    open_log: OpenLog, place: Place
) -> None:
    log = open_log()
    _record_all(log, entries(50))
    assert log.flush(_SECONDS)
    place.stop()
    _record_all(log, entries(50, start=50))
    eventually(lambda: not log.counters.is_reachable)
    _record_all(log, entries(50, start=100))
    place.start()
    _record_all(log, entries(50, start=150))
    assert log.flush(_SECONDS)
    assert questions(place) == _texts(200)
    assert log.counters.dropped == 0


def test_nothing_is_lost_or_doubled_when_it_stops_in_the_middle_of_writing(
    open_log: OpenLog, place: Place
) -> None:
    log = open_log(replace(QUICK, batch=5))
    session = uuid4()
    records = [one.model_copy(update={"session_id": session}) for one in entries(1500)]
    reader = Thread(target=_record_all, args=(log, records))
    reader.start()
    for written in (1, 300, 600):
        eventually(partial(_has_written, log, written))
        place.stop()
        place.start()
    reader.join()
    assert log.flush(_SECONDS)
    assert questions(place) == _texts(1500)
    assert place.query("SELECT query_count FROM query_sessions") == [(1500,)]
    assert log.counters.written == 1500


def test_a_full_queue_takes_nothing_more_and_counts_what_it_did_not_take(
    open_log: OpenLog, place: Place
) -> None:
    place.stop()
    log = open_log(replace(QUICK, capacity=5))
    _record_all(log, entries(8))
    assert (log.counters.queued, log.counters.dropped) == (5, 3)
    place.start()
    assert log.flush(_SECONDS)
    assert questions(place) == _texts(5)


def test_closing_while_the_database_is_away_gives_up_and_counts(
    open_log: OpenLog, place: Place
) -> None:
    place.stop()
    log = open_log()
    _record_all(log, entries(4))
    log.close(0.2)
    assert (log.counters.queued, log.counters.dropped) == (0, 4)


def test_one_request_id_makes_one_row(open_log: OpenLog, place: Place) -> None:
    session = uuid4()
    first = entry("first", session_id=session)
    log = open_log()
    _record_all(log, [first, first.model_copy(update={"query_text": "again"})])
    assert log.flush(_SECONDS)
    log.record(first)
    assert log.flush(_SECONDS)
    assert questions(place) == ["first"]
    assert place.query("SELECT query_count FROM query_sessions") == [(1,)]


class _Forgetful(LogDatabase):
    """A connection that breaks after the commit and before word of it arrives, once."""

    has_broken = False

    def write(self, records: Sequence[Record]) -> int:
        refused = super().write(records)
        if not self.has_broken:
            self.has_broken = True
            raise QueryLogError("the connection broke")
        return refused


def test_a_batch_written_twice_makes_each_row_once(open_log: OpenLog, place: Place) -> None:
    session = uuid4()
    broken = _Forgetful(log_url(place.setting, Path("unused")))
    log = open_log(database=broken)
    _record_all(log, [one.model_copy(update={"session_id": session}) for one in entries(10)])
    assert log.flush(_SECONDS)
    assert broken.has_broken
    assert questions(place) == _texts(10)
    assert place.query("SELECT query_count FROM query_sessions") == [(10,)]


def test_what_the_database_refuses_does_not_hold_up_the_rest(
    open_log: OpenLog, place: Place
) -> None:
    records = entries(9)
    records[4] = records[4].model_copy(update={"status": "nonsense"})
    log = open_log(replace(QUICK, gather_seconds=3600.0))
    _record_all(log, records)
    assert log.flush(_SECONDS)
    assert questions(place) == [text for text in _texts(9) if text != "question 4"]
    assert (log.counters.written, log.counters.dropped) == (8, 1)


def test_an_outcome_that_cannot_be_logged_does_not_raise(open_log: OpenLog) -> None:
    log = open_log()
    log.record_outcome(Outcome.model_construct())
    assert log.counters.dropped == 1


def test_an_outcome_is_recorded_with_the_columns_of_the_document(
    open_log: OpenLog, place: Place
) -> None:
    log = open_log()
    settled = outcome(answer("A node is a process.", "A node"), session_id=uuid4())
    log.record_outcome(settled, user_ip="192.0.2.7")
    assert log.flush(_SECONDS)
    columns = "query_text, selected_text_length, mode, status, refusal_reason, chunks_retrieved"
    rows = place.query(f"SELECT {columns}, top_chunk_score, processing_time_ms FROM queries")  # noqa: S608
    expected = ("What is a node?", None, "standard_rag", "success", None, 1, 0.625, 13)
    assert rows == [expected]
    ((query_id, session_id),) = place.query("SELECT query_id, session_id FROM queries")
    assert str(query_id) == str(settled.query.request_id)
    assert str(session_id) == str(settled.query.session_id)


def test_a_session_counts_its_questions_and_remembers_the_last(
    open_log: OpenLog, place: Place
) -> None:
    session = uuid4()
    records = [one.model_copy(update={"session_id": session}) for one in entries(3)]
    log = open_log(replace(QUICK, batch=1))
    _record_all(log, [records[0], records[2], records[1]])
    assert log.flush(_SECONDS)
    ((count, first, last),) = place.query(
        "SELECT query_count, created_at, last_query_at FROM query_sessions"
    )
    assert (count, str(first)[:19], str(last)[:19]) == (
        3,
        "2026-03-01 12:00:00",
        "2026-03-01 12:00:02",
    )


def test_the_last_word_about_an_answer_counts(open_log: OpenLog, place: Place) -> None:
    one, other = entries(2)
    log = open_log()
    words = [
        Feedback(query_id=one.query_id, helpful=False),
        Feedback(query_id=other.query_id, helpful=True),
        Feedback(query_id=one.query_id, helpful=True),
    ]
    _record_all(log, [one, other, *words])
    assert log.flush(_SECONDS)
    log.record(Feedback(query_id=other.query_id, helpful=False))
    assert log.flush(_SECONDS)
    log.record(words[1])  # late, as from another worker
    assert log.flush(_SECONDS)
    rows = place.query("SELECT query_id, helpful FROM query_feedback")
    assert {str(query_id): bool(helpful) for query_id, helpful in rows} == {
        str(one.query_id): True,
        str(other.query_id): False,
    }


def test_several_workers_write_the_same_sessions_at_once(open_log: OpenLog, place: Place) -> None:
    shared = [uuid4() for _ in range(5)]
    logs = [open_log(replace(QUICK, batch=9)) for _ in range(3)]
    for number, log in enumerate(logs):
        for step, one in enumerate(entries(60)):
            session = shared[(step * (number + 1)) % len(shared)]
            log.record(one.model_copy(update={"session_id": session}))
    assert all(log.flush(_SECONDS) for log in logs)
    assert len(questions(place)) == 180
    assert place.query("SELECT SUM(query_count) FROM query_sessions") == [(180,)]
    assert sum(log.counters.dropped for log in logs) == 0


@pytest.mark.parametrize(
    "text", ["naïve 日本語 🤖", "nul \0 inside", "half \ud83e character", "x" * 99_999]
)
def test_any_question_can_be_written(text: str, open_log: OpenLog, place: Place) -> None:
    log = open_log()
    log.record(entry(text))
    assert log.flush(_SECONDS)
    ((stored,),) = place.query("SELECT query_text FROM queries")
    assert stored == text.replace("\0", "\ufffd").replace("\ud83e", "\ufffd")[:2000]
    assert log.counters.dropped == 0


def test_a_sign_of_life_is_given_or_missed(database: LogDatabase, place: Place) -> None:
    database.ping()
    if place.name == "postgres":  # who only reads a SQLite file is not kept waiting
        place.stop()
        with pytest.raises(QueryLogError, match="cannot be used"):
            database.ping()


@pytest.fixture
def frozen(postgres: Postgres) -> Iterator[Callable[[], None]]:
    """Return a function that makes the server hang; it goes on when the test is over."""
    yield postgres.freeze
    postgres.thaw()


@pytest.fixture
def log_on_postgres(postgres: Postgres) -> QueryLog:
    database = LogDatabase(log_url(postgres.new_database(), Path("unused")))
    log = QueryLog(database, pace=replace(QUICK, patience_seconds=0.05))
    log.start()
    return log


def test_a_database_that_hangs_is_noticed_and_gets_everything_when_it_goes_on(
    log_on_postgres: QueryLog, frozen: Callable[[], None], postgres: Postgres
) -> None:
    log = log_on_postgres
    assert log.counters.is_reachable
    frozen()
    _record_all(log, entries(20))
    eventually(lambda: not log.counters.is_reachable)
    assert log.counters.queued == 20
    postgres.thaw()
    assert log.flush(_SECONDS)
    assert log.counters == Counters(written=20, is_reachable=True)
    log.close(_SECONDS)


def test_closing_does_not_wait_for_a_database_that_hangs(
    log_on_postgres: QueryLog, frozen: Callable[[], None], postgres: Postgres
) -> None:
    log = log_on_postgres
    frozen()
    _record_all(log, entries(3))
    log.close(0.1)
    assert (log.counters.queued, log.counters.dropped) == (0, 3)
    postgres.thaw()
    log.close(_SECONDS)

"""What an author learns from the log, the same from both databases."""

from __future__ import annotations

from datetime import timedelta, timezone
from pathlib import Path
from uuid import uuid4

import pytest

from bythebook.errors import QueryLogError
from bythebook.querylog.alchemy import sa
from bythebook.querylog.base import Feedback
from bythebook.querylog.database import LogDatabase
from bythebook.querylog.places import log_url
from bythebook.querylog.reading import Summary, normalised
from tests.querylog.entries import NOW, entry, refused

SINCE = NOW - timedelta(days=7)
LONG_AGO = NOW - timedelta(days=8)


def test_questions_refused_most_often_come_first_whatever_their_wording(
    database: LogDatabase,
) -> None:
    later = NOW + timedelta(hours=1)
    database.write(
        [
            refused("What is Größe?"),
            refused("what is  größe", created_at=later),
            refused("What is Größe?", refusal_reason="empty_retrieval:not_in_book"),
            refused("Who wrote this?"),
            refused("Is it raining?", created_at=later),
            refused("Too old", created_at=LONG_AGO),
            refused("About marked text", mode="selected_text_only"),
            entry("Answered"),
        ]
    )
    found = database.unanswered(SINCE, limit=10)
    assert [(one.question, one.count) for one in found] == [
        ("What is Größe?", 3),
        ("Is it raining?", 1),
        ("Who wrote this?", 1),
    ]
    assert found[0].last_asked_at == later
    assert found[0].reasons == {"low_relevance:off_topic": 2, "empty_retrieval:not_in_book": 1}
    assert database.unanswered(SINCE, limit=1) == found[:1]


def test_the_summary_counts_how_questions_ended(database: LogDatabase) -> None:
    session = uuid4()
    database.write(
        [
            *(entry(processing_time_ms=ms, session_id=session) for ms in range(1, 97)),
            refused("Why?", processing_time_ms=97),
            refused("How?", processing_time_ms=98, refusal_reason="low_relevance:unclear"),
            refused("When?", processing_time_ms=99, refusal_reason="empty_retrieval:not_in_book"),
            entry(status="error", processing_time_ms=100),
            entry(created_at=LONG_AGO, processing_time_ms=10_000),
            Feedback(query_id=uuid4(), helpful=True, created_at=NOW),
            Feedback(query_id=uuid4(), helpful=True, created_at=NOW),
            Feedback(query_id=uuid4(), helpful=False, created_at=NOW),
            Feedback(query_id=uuid4(), helpful=False, created_at=LONG_AGO),
        ]
    )
    assert database.summary(SINCE) == Summary(
        since=SINCE,
        questions=100,
        sessions=1,
        statuses={"success": 96, "refused": 3, "error": 1},
        refusal_types={"low_relevance": 2, "empty_retrieval": 1},
        refusal_reasons={"off_topic": 1, "unclear": 1, "not_in_book": 1},
        p50_ms=50,
        p95_ms=95,
        helpful=2,
        not_helpful=1,
    )


def test_an_empty_log_has_an_empty_summary(database: LogDatabase) -> None:
    assert database.summary(SINCE) == Summary(since=SINCE)
    assert database.unanswered(SINCE) == ()


def test_moments_are_understood_in_any_zone(database: LogDatabase) -> None:
    zone = timezone(timedelta(hours=5))
    database.write([refused("Now?")])
    assert database.unanswered(NOW.astimezone(zone))
    assert not database.unanswered((NOW + timedelta(seconds=1)).astimezone(zone))


def test_reading_from_a_database_that_is_not_there_is_told_in_words(tmp_path: Path) -> None:
    database = LogDatabase(log_url(f"sqlite:///{tmp_path}/nowhere/log.db", tmp_path))
    with pytest.raises(QueryLogError, match="cannot be used: unable to open"):
        database.summary(SINCE)
    with pytest.raises(QueryLogError, match="there is no query log in"):
        database.ping()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What is ROS?", "  what is\tROS  "),
        ("STRASSE?", "straße"),
        ("¿Qué es un nodo?", "qué es un nodo"),
        ("ﬁne", "FINE!"),
    ],
)
def test_wordings_that_differ_only_in_writing_are_one_question(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


def test_different_questions_stay_apart() -> None:
    assert len({normalised(text) for text in ("C", "C++", "C#", "???", "!")}) == 5


def test_every_look_at_the_questions_goes_by_an_index(tmp_path: Path) -> None:
    url = log_url(f"sqlite:///{tmp_path}/log.db", tmp_path)
    database = LogDatabase(url)
    database.migrate()
    engine = database._engine
    plans: list[str] = []

    def explain(
        connection: sa.Connection, cursor: object, statement: str, parameters: object, *_: object
    ) -> None:
        del cursor
        if "FROM queries" in statement and not statement.startswith("EXPLAIN"):
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)  # type: ignore[arg-type]  # handed through
            plans.append(" / ".join(row[-1] for row in plan))

    sa.event.listen(engine, "before_cursor_execute", explain)
    database.summary(SINCE)
    database.unanswered(SINCE)
    database.purge(30, now=NOW)
    database.close()
    assert len(plans) >= 5
    for plan in plans:
        assert "SCAN queries" not in plan
        assert "USING" in plan

"""The tables are those of document 004, however the database came to have them."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from uuid import UUID, uuid4

import pytest

from bythebook.errors import QueryLogUnusableError
from bythebook.querylog import migrations
from bythebook.querylog.alchemy import sa
from bythebook.querylog.base import Feedback
from bythebook.querylog.database import LogDatabase
from bythebook.querylog.log import QueryLog
from bythebook.querylog.tables import metadata
from tests.builders import clean_environment
from tests.engines.postgres import Postgres
from tests.querylog.conftest import QUICK, OpenLog
from tests.querylog.entries import entry
from tests.querylog.places import Place, PostgresPlace, engine_of, open_database, questions

DOCUMENT_004 = """
CREATE TABLE query_sessions (
  session_id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  created_at TIMESTAMP DEFAULT NOW(),
  user_ip VARCHAR(45),
  query_count INTEGER DEFAULT 0,
  last_query_at TIMESTAMP
);
CREATE TABLE queries (
  query_id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
  session_id UUID REFERENCES query_sessions(session_id),
  query_text TEXT NOT NULL,
  selected_text_length INTEGER,  -- Length only (privacy)
  mode VARCHAR(20) NOT NULL CHECK (mode IN ('standard_rag', 'selected_text_only')),
  status VARCHAR(20) NOT NULL CHECK (status IN ('success', 'refused', 'error')),
  refusal_reason TEXT,
  chunks_retrieved INTEGER,
  top_chunk_score FLOAT,
  processing_time_ms INTEGER,
  created_at TIMESTAMP DEFAULT NOW()
);
CREATE INDEX idx_sessions_ip_created ON query_sessions(user_ip, created_at);
CREATE INDEX idx_queries_status ON queries(status, created_at);
CREATE INDEX idx_queries_session ON queries(session_id);
"""
_CATALOGUE = (
    "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable,"
    " column_default, ordinal_position FROM information_schema.columns"
    " WHERE table_name IN ('query_sessions', 'queries') ORDER BY table_name, ordinal_position",
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE conrelid::regclass::text IN ('query_sessions', 'queries') ORDER BY 1, 2",
    "SELECT indexname, indexdef FROM pg_indexes"
    " WHERE tablename IN ('query_sessions', 'queries') ORDER BY 1",
)
_ASK = "INSERT INTO queries (query_text, mode, status) VALUES ('asked', 'standard_rag', 'success')"


def test_postgresql_holds_exactly_what_the_document_prescribes(postgres: Postgres) -> None:
    ours, theirs = PostgresPlace(postgres), PostgresPlace(postgres)
    database = open_database(ours)
    database.migrate()
    database.close()
    theirs.query(DOCUMENT_004)
    for question in _CATALOGUE:
        found = ours.query(question)
        assert found
        assert found == theirs.query(question)


@pytest.mark.usefixtures("database")
def test_the_columns_the_code_speaks_of_are_those_of_the_database(place: Place) -> None:
    inspector = sa.inspect(engine_of(place))
    assert set(inspector.get_table_names()) == set(metadata.tables)
    for name, table in metadata.tables.items():
        found = [column["name"] for column in inspector.get_columns(name)]
        assert found == [column.name for column in table.columns]


@pytest.mark.usefixtures("database")
def test_the_three_indexes_and_the_reference_are_there(place: Place) -> None:
    inspector = sa.inspect(engine_of(place))
    indexes = {
        index["name"]: index["column_names"]
        for table in ("query_sessions", "queries")
        for index in inspector.get_indexes(table)
    }
    assert indexes == {
        "idx_sessions_ip_created": ["user_ip", "created_at"],
        "idx_queries_status": ["status", "created_at"],
        "idx_queries_session": ["session_id"],
    }
    (reference,) = inspector.get_foreign_keys("queries")
    assert reference["constrained_columns"] == reference["referred_columns"] == ["session_id"]
    assert reference["referred_table"] == "query_sessions"


@pytest.mark.usefixtures("database")
def test_the_defaults_make_a_row_complete(place: Place) -> None:
    place.query("INSERT INTO query_sessions (user_ip) VALUES (NULL)")
    ((session_id, created_at, count),) = place.query(
        "SELECT session_id, created_at, query_count FROM query_sessions"
    )
    assert UUID(str(session_id)).version == 4
    assert datetime.fromisoformat(str(created_at))
    assert count == 0
    place.query(_ASK)
    ((query_id, asked_at),) = place.query("SELECT query_id, created_at FROM queries")
    assert UUID(str(query_id)).version == 4
    assert datetime.fromisoformat(str(asked_at))


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("right", "wrong"),
    [("'standard_rag'", "'guessing'"), ("'success'", "'perhaps'"), ("'asked'", "NULL")],
)
def test_what_the_document_forbids_is_refused(right: str, wrong: str, place: Place) -> None:
    with engine_of(place).connect() as connection, pytest.raises(sa.exc.IntegrityError):
        connection.exec_driver_sql(_ASK.replace(right, wrong))


def test_a_database_of_version_1_gets_the_rest_and_keeps_its_rows(
    open_log: OpenLog, place: Place
) -> None:
    with engine_of(place).begin() as connection:
        migrations.apply(connection, upto=1)
        assert migrations.version_of(connection) == 1
    place.query(_ASK)
    log = open_log()
    log.record(Feedback(query_id=uuid4(), helpful=True))
    assert log.flush(30)
    assert questions(place) == ["asked"]
    assert place.query("SELECT version FROM schema_version ORDER BY version") == [(1,), (2,)]
    assert place.query("SELECT COUNT(*) FROM query_feedback") == [(1,)]


def test_tables_made_by_hand_from_the_document_are_taken_over(postgres: Postgres) -> None:
    place = PostgresPlace(postgres)
    place.query(DOCUMENT_004)
    place.query(_ASK)
    database = open_database(place)
    database.migrate()
    assert database.write([entry("from us")]) == 0
    database.close()
    assert questions(place) == ["asked", "from us"]


def test_migrating_again_changes_nothing(database: LogDatabase, place: Place) -> None:
    before = place.query("SELECT version, applied_at FROM schema_version")
    database.migrate()
    assert place.query("SELECT version, applied_at FROM schema_version") == before


@pytest.mark.usefixtures("database")
def test_a_database_of_a_newer_version_is_refused_in_words(open_log: OpenLog, place: Place) -> None:
    place.query(
        "INSERT INTO schema_version (version, applied_at) VALUES (99, '2030-01-01 00:00:00')"
    )
    with pytest.raises(QueryLogUnusableError, match=r"version 99.*knows up to 2") as caught:
        open_log()
    assert "update bythebook" in str(caught.value.hint)


_MIGRATE = """
import sys
from pathlib import Path
from bythebook.querylog.database import LogDatabase
from bythebook.querylog.places import log_url

database = LogDatabase(log_url(sys.argv[1], Path("unused")))
print("ready", flush=True)
sys.stdin.readline()
database.migrate()
"""


def test_of_two_processes_that_start_at_once_one_migrates(place: Place) -> None:
    starting = [
        subprocess.Popen(
            [sys.executable, "-c", _MIGRATE, place.setting],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=clean_environment(),
        )
        for _ in range(2)
    ]
    for process in starting:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in starting:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in starting:
        _, complaint = process.communicate(timeout=30)
        assert process.returncode == 0, complaint
    assert place.query("SELECT version FROM schema_version ORDER BY version") == [(1,), (2,)]


def test_a_process_that_hangs_while_migrating_does_not_stop_the_others(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrations, "_WAIT_SECONDS", 1)
    place = PostgresPlace(postgres)
    log = QueryLog(open_database(place), pace=QUICK)
    with engine_of(place).begin() as hanging:
        migrations.apply(hanging)
        log.start()
        log.record(entry())
        assert not log.counters.is_reachable
    assert log.flush(30)
    log.close(30)
    assert questions(place) == ["What is a node?"]

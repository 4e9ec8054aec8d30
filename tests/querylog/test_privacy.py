"""Answers, passages and marked text are in no file of either database, and no address is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from uuid import uuid4

import pytest

from bythebook.querylog.addresses import Addresses, Keeping, SetSalt
from bythebook.querylog.base import LogEntry, Status
from bythebook.querylog.log import QueryLog
from bythebook.types import Outcome, Result
from tests.engines.postgres import Postgres, running_postgres
from tests.engines.qdrant import scratch_folder
from tests.querylog.conftest import OpenLog
from tests.querylog.entries import answer, failure, outcome, refusal
from tests.querylog.places import Place, PostgresPlace, SqlitePlace

QUESTION = "planted-question"  # all else that is planted begins alike
ADDRESS = "203.0.113.77"
ADDRESSES: dict[Keeping, str] = {
    "full": "198.51.100.11",
    "hashed": "198.51.100.22",
    "none": "198.51.100.33",
}


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[Postgres]:
    """A server whose files hold nothing from other tests."""
    with scratch_folder() as folder, running_postgres(folder / "postgres") as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return SqlitePlace(tmp_path / "log")
    return PostgresPlace(request.getfixturevalue("own_postgres"))


def _settled() -> list[Outcome]:
    results: list[Result] = [
        answer("planted-answer", "planted-excerpt"),
        refusal("planted-explanation", "planted-section"),
        failure("planted-message"),
    ]
    marked = "planted-selection of some length"
    told = {"session_id": uuid4(), "page_url": "https://example.org/planted-page"}
    return [
        outcome(result, "planted-passage", selected_text=selected, **query, **told)
        for result in results
        for selected in (None, marked)
        for query in ({"text": QUESTION}, {"text": "planted-completion", "asked": QUESTION})
    ]


def _log_everything(log: QueryLog) -> None:
    for settled in _settled():
        log.record_outcome(settled, user_ip=ADDRESS)
    assert log.flush(30)


def test_no_file_holds_an_answer_a_passage_or_marked_text(open_log: OpenLog, place: Place) -> None:
    log = open_log()
    _log_everything(log)
    while_open = place.raw()
    log.close(30)
    for content in (while_open, place.raw()):
        assert QUESTION.encode() in content  # or we would be looking in the wrong place
        assert set(re.findall(rb"planted-.{8}", content)) == {QUESTION.encode()}
        assert "planted".encode("utf-16-le") not in content


def test_the_length_of_marked_text_is_all_that_is_kept_of_it(
    open_log: OpenLog, place: Place
) -> None:
    _log_everything(open_log())
    rows = place.query("SELECT DISTINCT mode, selected_text_length FROM queries ORDER BY mode")
    assert rows == [
        ("selected_text_only", len("planted-selection of some length")),
        ("standard_rag", None),
    ]


@pytest.mark.parametrize("keeping", ["full", "hashed", "none"])
def test_of_an_address_is_kept_what_the_setting_says(
    keeping: Keeping, open_log: OpenLog, place: Place
) -> None:
    address = ADDRESSES[keeping]
    log = open_log(addresses=Addresses(keeping, SetSalt("a secret for this test")))
    settled = outcome(failure("it broke"), session_id=uuid4())
    log.record_outcome(settled, user_ip=address)
    assert log.flush(30)
    ((kept,),) = place.query("SELECT user_ip FROM query_sessions")
    content = place.raw()
    assert (address.encode() in content) == (keeping == "full")
    assert hashlib.sha256(address.encode()).hexdigest()[:32].encode() not in content
    if keeping == "hashed":
        again = Addresses("hashed", SetSalt("a secret for this test"))
        assert kept == again.kept(address, date(2026, 3, 1))
    else:
        assert kept == (address if keeping == "full" else None)


def test_without_a_session_nothing_of_an_address_is_kept(open_log: OpenLog, place: Place) -> None:
    log = open_log(addresses=Addresses("full"))
    log.record_outcome(outcome(failure("it broke")), user_ip="198.51.100.99")
    assert log.flush(30)
    assert place.query("SELECT COUNT(*) FROM query_sessions") == [(0,)]
    assert b"198.51.100.99" not in place.raw()


def test_an_entry_has_no_room_for_what_must_not_be_written() -> None:
    assert set(LogEntry.model_fields) == {
        "query_id",
        "session_id",
        "user_ip",
        "query_text",
        "selected_text_length",
        "mode",
        "status",
        "refusal_reason",
        "chunks_retrieved",
        "top_chunk_score",
        "processing_time_ms",
        "created_at",
    }


def test_a_refusal_is_kept_by_its_type_and_reason() -> None:
    kept = LogEntry.of(outcome(refusal("why", "where")))
    assert (kept.status, kept.refusal_reason) == (Status.REFUSED, "low_relevance:off_topic")


def test_a_failure_is_kept_without_its_message() -> None:
    kept = LogEntry.of(outcome(failure("it broke")))
    assert (kept.status, kept.refusal_reason) == (Status.ERROR, None)

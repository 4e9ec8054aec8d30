"""`bythebook log`: what an operator sees and deletes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from bythebook.cli.main import main
from bythebook.querylog.base import Feedback
from bythebook.querylog.database import LogDatabase
from tests.querylog.entries import entry, refused
from tests.querylog.places import Place, questions


@pytest.fixture
def _filled(database: LogDatabase, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", place.setting)
    now = datetime.now(UTC)
    answered = entry(created_at=now)
    database.write(
        [
            answered,
            refused("What is\na qubit?", created_at=now),
            refused("what is a qubit", created_at=now),
            refused("Too old?", created_at=now - timedelta(days=200)),
            Feedback(query_id=answered.query_id, helpful=True),
        ]
    )


@pytest.mark.usefixtures("_filled")
def test_stats_tell_how_questions_ended_and_what_is_open(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["log", "stats"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Questions:  3 since ")
    assert lines[1:] == [
        "Sessions:   0",
        "Ended:      refused 2, success 1",
        "Refused:    off_topic 2",
        "Took:       20 ms (half), 20 ms (95 of 100)",
        "Helpful:    yes 1, no 0",
        "",
        "Not answered by the book",
        "    2  What is a qubit?",
    ]


@pytest.mark.usefixtures("_filled")
def test_stats_as_json_have_the_same_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "stats", "--json", "--days", "365", "--limit", "1"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["statuses"] == {"refused": 3, "success": 1}
    assert [one["count"] for one in shown["unanswered"]] == [2]
    assert set(shown) == {
        "since",
        "questions",
        "sessions",
        "statuses",
        "refusal_types",
        "refusal_reasons",
        "p50_ms",
        "p95_ms",
        "helpful",
        "not_helpful",
        "unanswered",
    }


@pytest.mark.usefixtures("_filled")
def test_purge_deletes_what_is_older(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", "purge", "--days", "100"]) == 0
    assert capsys.readouterr().out == "Deleted 1 questions older than 100 days.\n"
    assert "Too old?" not in questions(place)


def test_a_log_that_is_not_there_is_told_and_not_made(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BYTHEBOOK_INDEX", "nowhere")
    assert main(["log", "stats"]) == 2
    complaint = capsys.readouterr().err
    assert "error: there is no query log in" in complaint
    assert "hint: it is made by 'bythebook serve'" in complaint


def test_a_database_that_is_away_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://someone:very-secret@127.0.0.1:9/books")
    assert main(["log", "stats"]) == 3
    complaint = capsys.readouterr().err
    assert "cannot be used" in complaint
    assert "very-secret" not in complaint
    assert "Traceback" not in complaint


@pytest.mark.parametrize(
    "arguments", [["purge"], ["purge", "--days", "-1"], ["stats", "--days", "0"]]
)
def test_wrong_arguments_end_with_their_own_code(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", *arguments]) == 4
    assert "error: " in capsys.readouterr().err

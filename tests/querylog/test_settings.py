"""Settings alone decide whether, where and how questions are logged."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from bythebook.assembly import make_query_log
from bythebook.errors import SettingsError
from bythebook.querylog.log import QueryLog
from bythebook.querylog.places import log_folder, log_url
from bythebook.settings import load_settings
from tests.builders import run_python
from tests.engines.postgres import Postgres
from tests.querylog.entries import entry
from tests.querylog.places import PostgresPlace, questions

INDEX = Path("books/mine")


def _log_a_question(log: QueryLog | None) -> None:
    assert log is not None
    log.record(entry(session_id=uuid4(), user_ip="192.0.2.1"))
    log.close(30)
    assert log.counters.written == 1


def test_by_default_questions_go_to_a_file_beside_the_index(tmp_path: Path) -> None:
    _log_a_question(make_query_log(load_settings(index=INDEX)))
    assert {path.name for path in (tmp_path / "books" / "mine-log").iterdir()} >= {
        "queries.db",
        "salt.json",
    }
    assert not (tmp_path / INDEX).exists()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_database_url_leads_to_postgresql(
    scheme: str, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = PostgresPlace(postgres)
    monkeypatch.setenv("DATABASE_URL", place.setting.replace("postgresql", scheme, 1))
    _log_a_question(make_query_log(load_settings(index=INDEX)))
    assert questions(place) == ["What is a node?"]


def test_switched_off_there_is_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYTHEBOOK_QUERY_LOG", "off")
    assert make_query_log(load_settings(index=INDEX)) is None
    assert list(tmp_path.iterdir()) == []


def test_only_hashing_needs_a_salt_of_its_own(tmp_path: Path) -> None:
    for settings in ({"log_ip": "none"}, {"log_ip": "full"}, {"log_salt": "shared by machines"}):
        _log_a_question(make_query_log(load_settings(index=INDEX, **settings)))
    assert not (tmp_path / "books" / "mine-log" / "salt.json").exists()


def test_a_service_starts_while_its_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://someone:secret@127.0.0.1:9/books")
    log = make_query_log(load_settings(index=INDEX, log_ip="none"))
    assert log is not None
    log.record(entry())
    assert log.counters.queued == 1
    assert not log.counters.is_reachable
    log.close(0.0)


def test_a_password_is_in_no_message(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://someone:very-secret@127.0.0.1:9/books")
    settings = load_settings(index=INDEX, log_ip="none")
    log = make_query_log(settings)
    assert log is not None
    log.close(0.0)
    assert "answers go on" in caplog.text
    assert "very-secret" not in caplog.text + repr(settings) + log.database.place


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("mysql://someone:very-secret@127.0.0.1/books", "names 'mysql'"),
        ("very-secret", "is no address of a database"),
        ("sqlite://", "names SQLite and no file"),
        ("sqlite:///:memory:", "names SQLite and no file"),
    ],
)
def test_an_address_that_cannot_work_is_told_without_repeating_it(url: str, complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint) as caught:
        log_url(url, INDEX)
    assert "very-secret" not in caught.value.message
    assert "DATABASE_URL" in str(caught.value.hint)


def test_a_salt_that_is_too_short_is_told_without_repeating_it() -> None:
    with pytest.raises(SettingsError, match="'log_salt'") as caught:
        load_settings(log_salt="tiny")
    assert "tiny" not in caught.value.message


def test_an_index_reached_by_a_link_keeps_one_log(tmp_path: Path) -> None:
    (tmp_path / "release-5").mkdir()
    (tmp_path / "current").symlink_to(tmp_path / "release-5")
    assert log_folder(tmp_path / "current") == tmp_path / "current-log"
    assert log_folder(Path()) == tmp_path.with_name(f"{tmp_path.name}-log")
    assert log_folder(Path("/")) == Path("/bythebook-log")


@pytest.mark.parametrize(("package", "extra"), [("sqlalchemy", "serve"), ("psycopg", "postgres")])
def test_a_missing_package_is_named_with_the_line_that_installs_it(
    package: str, extra: str
) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from bythebook.errors import MissingExtraError\n"
        "try:\n"
        "    from bythebook.querylog.places import log_url\n"
        "    log_url('postgres://127.0.0.1/books', None)\n"
        "except MissingExtraError as problem:\n"
        "    print(problem.hint)\n"
    )
    assert run_python(program).stdout == f"pip install 'bythebook[{extra}]'\n"

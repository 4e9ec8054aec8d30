"""How hosted embedders take a service that misbehaves."""

from __future__ import annotations

import importlib
import logging
import math
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from bythebook.errors import BythebookError, EmbeddingError, MissingExtraError, SettingsError
from tests.standins.embeddings import Row, tampering
from tests.standins.hosted import KEY, Naps
from tests.standins.server import (
    Fault,
    StandInServer,
    cut_off,
    failing,
    malformed,
    quoting_the_key,
    saying,
)
from tests.unit.embedders.conftest import MakeEmbedder

BOTH = pytest.mark.parametrize("name", ["cohere:embed-english-v3.0", "openai:bge-small-en"])
VARIABLES = {"cohere": "COHERE_API_KEY", "openai": "OPENAI_API_KEY"}


def fail_with(subject_of: MakeEmbedder, name: str, **options: object) -> BythebookError:
    """Return the error of embedding one passage, and check that it is fit for people."""
    text = "The zanzibar chapter."
    with pytest.raises(BythebookError) as caught:
        subject_of(name, **options).embed_passages([text])
    problem = caught.value
    shown = f"{problem.message} {problem.hint}"
    assert problem.hint
    assert not any(secret in shown for secret in (KEY, "127.0.0.1", "zanzibar", "Traceback"))
    return problem


@BOTH
@pytest.mark.parametrize(
    "fault", [failing(429), failing(500), failing(503), failing(529), cut_off, malformed]
)
def test_a_passing_trouble_is_over_at_the_third_attempt(
    name: str, fault: Fault, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    naps = Naps()
    server.misbehave(fault, fault)
    vectors = make_embedder(name, retry=naps.retry()).embed_passages(["A node computes."])
    assert len(vectors) == 1
    assert len(server.received) == 3
    assert len(naps.taken) == 2


@BOTH
@pytest.mark.parametrize(
    ("fault", "what"),
    [
        (failing(429), "takes no more requests"),
        (failing(500), r"failed to embed a text \(500\)"),
        (saying(b"<html>Bad Gateway</html>", 502, "text/html"), r"\(502\)"),
        (cut_off, "broke off"),
        (malformed, "cannot be read"),
        (saying(b"[]"), "cannot be read"),
        (saying(b"{}"), "cannot be read"),
        (saying(b"null"), "cannot be read"),
        (saying(b'"vectors"'), "cannot be read"),
        (saying(b'{"data": 5, "embeddings": 5}'), "cannot be read"),
        (saying(b"\xff\xfe"), "cannot be read"),
        (saying(b"<html>hello</html>", 200, "text/html"), "cannot be read"),
    ],
)
def test_a_lasting_trouble_is_told_after_three_attempts(
    name: str, fault: Fault, what: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    server.misbehave(*[fault] * 9)
    problem = fail_with(make_embedder, name)
    assert isinstance(problem, EmbeddingError)
    assert problem.retryable
    assert problem.__cause__ is not None
    assert len(server.received) == 3
    with pytest.raises(EmbeddingError, match=what):
        raise problem


@BOTH
def test_the_wait_a_service_asks_for_is_kept(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    naps = Naps()
    server.misbehave(failing(429, retry_after="7"), failing(503, retry_after="2.5"))
    make_embedder(name, retry=naps.retry()).embed_query("What is a node?")
    assert naps.taken == [7.0, 2.5]


@BOTH
def test_the_wait_a_service_asks_for_may_be_a_date(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    naps = Naps()
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=10), usegmt=True)
    server.misbehave(failing(429, retry_after=soon))
    make_embedder(name, retry=naps.retry()).embed_query("What is a node?")
    assert naps.taken == [pytest.approx(9, abs=2)]


@BOTH
def test_a_wait_beyond_the_deadline_is_told_instead_of_taken(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    naps = Naps()
    server.misbehave(failing(429, retry_after="3600"))
    problem = fail_with(make_embedder, name, retry=naps.retry(deadline_seconds=20))
    assert isinstance(problem, EmbeddingError)
    assert problem.retry_after_seconds == 3600
    assert naps.taken == []


@BOTH
def test_a_service_that_does_not_answer_is_given_up_three_times(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    server.misbehave(*[server.never] * 3)
    problem = fail_with(make_embedder, name, timeout_seconds=0.1)
    assert problem.message.endswith("did not answer in time")
    assert problem.retryable
    assert len(server.received) == 3


@BOTH
def test_a_server_that_is_not_there_is_told(name: str, make_embedder: MakeEmbedder) -> None:
    with StandInServer({}) as gone:
        url = gone.url
    naps = Naps()
    problem = fail_with(make_embedder, name, base_url=url, retry=naps.retry())
    assert problem.retryable
    assert "could not be made" in problem.message
    assert len(naps.taken) == 2


@BOTH
@pytest.mark.parametrize("status", [401, 403, 498])
def test_a_key_that_is_not_accepted_is_a_matter_of_settings(
    name: str, status: int, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    server.misbehave(*[quoting_the_key(status)] * 3)
    problem = fail_with(make_embedder, name)
    assert isinstance(problem, SettingsError)
    assert VARIABLES[name.partition(":")[0]] in problem.message
    assert len(server.received) == 1


@BOTH
def test_a_model_that_is_not_there_is_a_matter_of_settings(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    server.misbehave(failing(404))
    problem = fail_with(make_embedder, name)
    assert isinstance(problem, SettingsError)
    assert repr(name.partition(":")[2]) in problem.message


@BOTH
@pytest.mark.parametrize("status", [400, 402, 405, 422])
def test_what_is_refused_is_not_sent_again(
    name: str, status: int, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    server.misbehave(*[failing(status, "zanzibar is not allowed")] * 3)
    problem = fail_with(make_embedder, name)
    assert isinstance(problem, EmbeddingError)
    assert not problem.retryable
    assert problem.__cause__ is not None
    assert len(server.received) == 1


def test_a_quota_that_is_used_up_is_not_waited_for(
    server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    server.misbehave(failing(429, "You exceeded your current quota.", "insufficient_quota"))
    problem = fail_with(make_embedder, "openai:bge-small-en")
    assert not problem.retryable
    assert "used up" in problem.message
    assert len(server.received) == 1


def without_last_value(rows: list[Row]) -> list[Row]:
    return [row[:-1] for row in rows]


@BOTH
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (without_last_value, r"\d+ dimensions instead of \d+"),
        (lambda rows: rows[:-1], "1 vectors came for 2 texts"),
        (lambda rows: [*rows, rows[0]], "3 vectors came for 2 texts"),
        (lambda rows: [[math.nan, *row[1:]] for row in rows], "not a finite number"),
        (lambda rows: [[math.inf, *row[1:]] for row in rows], "not a finite number"),
        (lambda rows: [[0.0] * len(row) for row in rows], "length zero"),
    ],
)
def test_vectors_that_cannot_be_right_are_not_used(
    name: str,
    change: Callable[[list[Row]], list[Row]],
    what: str,
    server: StandInServer,
    make_embedder: MakeEmbedder,
) -> None:
    subject = make_embedder(name)
    assert subject.spec.dimensions in (384, 1024)
    before = len(server.received)
    server.misbehave(*[tampering(change)] * 3)
    with pytest.raises(EmbeddingError, match=what) as caught:
        subject.embed_passages(["A node computes.", "Torque."])
    assert not caught.value.retryable
    assert len(server.received) == before + 1


@BOTH
def test_vectors_of_another_length_than_one_are_made_unit_vectors(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    subject = make_embedder(name)
    honest = subject.embed_query("What is a node?")
    server.misbehave(tampering(lambda rows: [[value * 20 for value in row] for row in rows]))
    assert subject.embed_query("What is a node?") == pytest.approx(honest, abs=1e-6)


@BOTH
def test_the_log_is_told_the_kind_of_trouble_but_neither_the_key_nor_the_book(
    name: str,
    server: StandInServer,
    make_embedder: MakeEmbedder,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.misbehave(failing(400, "zanzibar"))
    with caplog.at_level(logging.INFO):
        fail_with(make_embedder, name)
    assert "BadRequestError" in caplog.text
    assert "zanzibar" not in caplog.text
    caplog.clear()
    server.misbehave(quoting_the_key(401))
    with caplog.at_level(logging.DEBUG, "bythebook"):
        fail_with(make_embedder, name)
    assert "(key)" in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize("vendor", ["cohere", "openai"])
def test_a_missing_package_is_told_with_the_line_that_installs_it(
    vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = f"bythebook.embedders.{vendor}"
    monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, vendor, None)
    with pytest.raises(MissingExtraError) as caught:
        importlib.import_module(module)
    assert caught.value.hint == f"pip install 'bythebook[{vendor}]'"

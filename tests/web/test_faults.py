"""What goes wrong in the life of a service, each done for real: engines stop, hang and come back,
readers leave, operators end it in the middle of everything."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
import pytest

from bythebook.contracts.grounded import QueryResponse
from bythebook.indexing import Indexer
from bythebook.shelves.server import ServerShelf
from bythebook.sources.markdown import MarkdownFolder
from bythebook.stores.connection import ServerOptions
from tests.builders import run_command
from tests.engines.postgres import Postgres
from tests.engines.qdrant import Node, running_server
from tests.standins.chat import ChatServer
from tests.web.conftest import Serve
from tests.web.processes import PATIENCE, eventually, running_service
from tests.web.serving import Service, read_events
from tests.web.test_stream import QUESTION, Thinking, thinks

BOOK = {"kettles.md": "# Kettles\n\nA kettle is a vessel in which water is boiled on a stove.\n"}
KETTLE = "What is a kettle?"

pytestmark = pytest.mark.timeout(90)


@dataclass
class Load:
    """Readers who ask without a pause, and what they got."""

    url: str
    question: str
    answered: list[str] = field(default_factory=list)  # the ids of whole responses
    failed: list[str] = field(default_factory=list)  # responses that are none of the expected
    unanswered: int = 0  # connections that were closed before a word came back
    enough: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        with httpx.Client(base_url=self.url, timeout=PATIENCE) as client:
            while not self.enough.is_set():
                try:
                    response = client.post("/api/query", json={"query": self.question})
                except httpx.TransportError as problem:
                    if "incomplete" in str(problem):
                        self.failed.append(repr(problem))  # cut off in the middle
                    self.unanswered += 1
                    return  # nobody is there any more
                if response.status_code == 200:
                    whole = QueryResponse.model_validate(response.json())
                    self.answered.append(str(whole.metadata.request_id))
                else:
                    self.failed.append(response.text)

    def goes_on(self, answers: int = 8) -> None:
        """Return once some more were answered."""
        wanted = len(self.answered) + answers
        eventually(lambda: len(self.answered) >= wanted or self.failed)


@contextmanager
def load(url: str, question: str = QUESTION, readers: int = 4) -> Iterator[Load]:
    asking = Load(url, question)
    threads = [threading.Thread(target=asking.run) for _ in range(readers)]
    for thread in threads:
        thread.start()
    try:
        yield asking
    finally:
        asking.enough.set()
        for thread in threads:
            thread.join(PATIENCE)


# --- PostgreSQL -------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [Postgres.stop, Postgres.kill], ids=["stopped", "killed"])
def test_while_postgresql_is_away_every_question_is_answered_and_none_is_lost_to_the_log(
    serve: Serve, postgres: Postgres, stop: Callable[[Postgres], None]
) -> None:
    url = postgres.new_database()
    service = serve(database_url=url)
    with load(service.url) as asking:
        asking.goes_on()
        stop(postgres)
        asking.goes_on()
        eventually(lambda: "query_log_reachable 0.0" in service.client.get("/metrics").text)
        asking.goes_on()
        postgres.start()
        asking.goes_on()
    log = service.desk.query_log
    assert log
    assert log.flush(PATIENCE)
    assert not asking.failed
    assert not asking.unanswered
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT query_id::text FROM queries").fetchall()
    assert Counter(row[0] for row in rows) == Counter(asking.answered)
    assert (log.counters.queued, log.counters.dropped) == (0, 0)


def test_a_service_starts_and_answers_before_its_postgresql_does(
    serve: Serve, postgres: Postgres
) -> None:
    url = postgres.new_database()
    postgres.stop()
    service = serve(database_url=url)
    asked = service.ask(QUESTION).json()["metadata"]["request_id"]
    postgres.start()
    log = service.desk.query_log
    assert log
    assert log.flush(PATIENCE)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT query_id::text FROM queries").fetchall() == [(asked,)]


# --- Qdrant -----------------------------------------------------------------------------------


def test_while_qdrant_is_away_questions_get_a_typed_503_and_it_recovers_by_itself(
    serve: Serve, indexer: Indexer, engine_folder: Path, write_book: Callable[..., Path]
) -> None:
    book = write_book(BOOK)
    with running_server(engine_folder) as node:
        shelf = ServerShelf(ServerOptions(node.url))
        indexer.index(MarkdownFolder(book), shelf, origin=str(book))
        service = serve(qdrant_url=node.url, reload_seconds=0.2)
        assert service.ask(KETTLE).json()["status"] == "success"
        node.kill()
        _says_503(service, node)
        node.start()
        node.wait_until_ready()
        eventually(lambda: service.ask(KETTLE).status_code == 200)
        eventually(lambda: service.client.get("/readyz").status_code == 200)
        assert service.ask(KETTLE).json()["status"] == "success"


def _says_503(service: Service, node: Node) -> None:
    response = service.ask(KETTLE)
    error = QueryResponse.model_validate(response.json()).error
    assert response.status_code == 503
    assert error
    assert error.code == "QDRANT_TIMEOUT"
    assert str(node.http_port) not in response.text
    last = service.events(KETTLE)[-1]
    assert (last.name, last.data["error"]["code"]) == ("error", "QDRANT_TIMEOUT")
    assert service.client.get("/api/search", params={"query": KETTLE}).status_code == 503
    ready = service.client.get("/readyz")
    assert ready.status_code == 503
    assert {each["engine"] for each in ready.json()["engines"] if not each["ready"]} == {"index"}
    assert service.client.get("/healthz").status_code == 200  # restarting us would not help


# --- the model --------------------------------------------------------------------------------


def test_a_model_that_hangs_is_given_up_in_time_and_the_service_goes_on(
    serve_model: Serve, model: ChatServer
) -> None:
    service = serve_model(model_timeout_seconds=0.2, model_deadline_seconds=0.4)
    model.misbehave(model.never, model.never, model.never)
    response = service.ask(QUESTION)
    error = QueryResponse.model_validate(response.json()).error
    assert response.status_code == 504
    assert error
    assert error.code == "OPENROUTER_TIMEOUT"
    assert not model.left.is_set()  # the model is still silent: we did not wait for its end
    assert service.client.get("/api/book").status_code == 200


# --- readers who leave ------------------------------------------------------------------------


def test_readers_who_leave_in_mid_stream_leave_no_work_behind(
    serve_model: Serve, model: ChatServer
) -> None:
    service = serve_model(heartbeat_seconds=60)
    minds = [Thinking() for _ in range(3)]
    for mind in minds:
        model.will(thinks(model, mind))
    for mind in minds:
        _leave_in_mid_stream(service, mind)
    assert all(mind.ended.wait(PATIENCE) for mind in minds), "a model is still being asked"
    figures = service.client.get("/metrics").text
    assert "bythebook_questions_total{" not in figures  # none was settled
    eventually(lambda: _borrowed(service) == 0)


def _leave_in_mid_stream(service: Service, mind: Thinking) -> None:
    with service.client.stream("POST", "/api/query/stream", json={"query": QUESTION}) as response:
        for event in read_events(response.iter_lines()):
            if event.data == {"state": "generating"}:
                assert mind.begun.wait(PATIENCE)
                return


def _borrowed(service: Service) -> int:
    return service.desk._lent.users


def test_a_crowd_that_leaves_does_not_keep_others_from_an_answer(service: Service) -> None:
    host, _, port = service.url.removeprefix("http://").partition(":")
    body = json.dumps({"query": QUESTION}).encode()
    for _ in range(30):
        with socket.create_connection((host, int(port))) as raw:
            raw.sendall(
                b"POST /api/query HTTP/1.1\r\nHost: book\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )
    assert service.ask(QUESTION).json()["status"] == "success"
    eventually(lambda: _borrowed(service) == 0)


# --- ending, and starting twice ---------------------------------------------------------------


def test_sigterm_under_load_cuts_no_answer_off(sample_index: Path, tmp_path: Path) -> None:
    file = tmp_path / "queries.db"
    with (
        running_service(sample_index, DATABASE_URL=f"sqlite:///{file}") as service,
        load(service.url, readers=6) as asking,
    ):
        asking.goes_on(20)
        service.terminate()
        assert service.ends() == 0
    assert not asking.failed
    # What the service says it has answered, its readers have got, every one of them.
    told = re.findall(r"POST /api/query 200 [\d.]+ ms request=([0-9a-f-]+)", service.log)
    assert sorted(told) == sorted(asking.answered)
    assert "Traceback" not in service.log


def test_two_services_answer_from_one_embedded_index_and_cannot_share_a_port(
    sample_index: Path,
) -> None:
    with running_service(sample_index) as first, running_service(sample_index) as second:
        texts = {each.ask(QUESTION).json()["answer"]["text"] for each in (first, second)}
        assert len(texts) == 1
        port = first.url.rpartition(":")[2]
        ended = run_command("serve", "--index", sample_index, "--port", port)
        assert ended.returncode == 2
        said = ended.stderr.decode()
        assert f"cannot listen on 127.0.0.1:{port}: address already in use" in said
        assert "choose another --port" in said
        assert "Traceback" not in said
        assert first.ask(QUESTION).status_code == 200  # whoever was there first stays

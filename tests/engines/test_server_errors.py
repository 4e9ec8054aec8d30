"""What can go wrong with a Qdrant server, and what a person is told."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from bythebook.embedders.base import Vectors
from bythebook.errors import (
    BythebookError,
    IndexMissingError,
    IndexWriteError,
    SettingsError,
    StoreError,
)
from bythebook.retrying import Retry
from bythebook.stores.base import Scope
from bythebook.stores.connection import Connection, ServerOptions
from bythebook.stores.server import ServerStore
from bythebook.stores.server_shelf import ServerShelf
from tests.builders import run_python
from tests.engines.qdrant import Node, free_ports, running_server, scratch_folder

KEY = "a-key-nobody-may-see"
VECTOR: Vectors = np.full(4, 0.5, dtype=np.float32)
PROTOCOLS = pytest.mark.parametrize("prefer_grpc", [False, True], ids=["http", "grpc"])


def quick() -> Retry:
    """Return the usual rules without the pauses."""
    return Retry(sleep=lambda _: None)


def search(options: ServerOptions) -> None:
    connection = Connection(options, quick())
    try:
        ServerStore(connection, options.collection).search("x", VECTOR, 3, Scope())
    finally:
        connection.close()


def assert_discreet(problem: BythebookError) -> None:
    """A message for people holds no address and no key; the cause is kept for the log."""
    said = f"{problem.message} {problem.hint}"
    assert "127.0.0.1" not in said
    assert KEY not in said
    assert problem.__cause__ is not None


@pytest.fixture(scope="module")
def locked() -> Iterator[Node]:
    """A server that asks for a key."""
    keys = {
        "QDRANT__SERVICE__API_KEY": KEY,
        "QDRANT__SERVICE__READ_ONLY_API_KEY": f"{KEY}-to-read",
    }
    with scratch_folder() as folder, running_server(folder, **keys) as node:
        yield node


def options_of(node: Node, **changes: object) -> ServerOptions:
    return replace(ServerOptions(url=node.url, grpc_port=node.grpc_port), **changes)  # type: ignore[arg-type]  # a test's own changes


@PROTOCOLS
def test_a_server_that_is_not_there(prefer_grpc: bool) -> None:
    http, grpc = free_ports(2)
    options = ServerOptions(f"http://127.0.0.1:{http}", prefer_grpc=prefer_grpc, grpc_port=grpc)
    with pytest.raises(StoreError, match="cannot be reached") as caught:
        search(options)
    assert "QDRANT_URL" in str(caught.value.hint)
    assert caught.value.retryable
    assert_discreet(caught.value)


@PROTOCOLS
@pytest.mark.parametrize("key", [None, f"{KEY}-not"])
def test_a_wrong_key(locked: Node, prefer_grpc: bool, key: str | None) -> None:
    with pytest.raises(SettingsError, match="refuses the API key") as caught:
        search(options_of(locked, api_key=key, prefer_grpc=prefer_grpc))
    assert "QDRANT_API_KEY" in str(caught.value.hint)
    assert_discreet(caught.value)


def test_a_key_that_may_only_read(locked: Node) -> None:
    connection = Connection(options_of(locked, api_key=f"{KEY}-to-read"), quick())
    with pytest.raises(SettingsError, match="refuses the API key") as caught:
        ServerStore.create(connection, "new", 4)
    assert "may do this" in str(caught.value.hint)


@PROTOCOLS
def test_the_right_key_and_no_collection(locked: Node, prefer_grpc: bool) -> None:
    with pytest.raises(IndexMissingError, match="no collection 'bythebook'") as caught:
        search(options_of(locked, api_key=KEY, prefer_grpc=prefer_grpc))
    assert_discreet(caught.value)


def test_the_key_is_not_shown_with_the_options() -> None:
    assert KEY not in repr(ServerOptions("http://127.0.0.1", api_key=KEY))


def test_a_book_that_was_never_published(qdrant: Node) -> None:
    shelf = ServerShelf(options_of(qdrant, collection="never"))
    assert shelf.current() is None
    with pytest.raises(IndexMissingError, match="no book 'never'"):
        shelf.open_store()


@pytest.mark.parametrize("url", ["", " , ", "qdrant", "ftp://host", "http://", "http://h:port"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingsError, match="QDRANT_URL") as caught:
        Connection(ServerOptions(url))
    assert "http://HOST:6333" in str(caught.value.hint)


@pytest.mark.parametrize("module", ["server_shelf", "foreign", "server"])
def test_a_missing_package_names_the_line_that_installs_it(module: str) -> None:
    program = (
        "import sys\nsys.modules['qdrant_client'] = None\n"
        "from bythebook.errors import MissingExtraError\n"
        f"try:\n    import bythebook.stores.{module}\n"
        "except MissingExtraError as problem:\n    print(problem.hint)"
    )
    assert run_python(program).stdout == "pip install 'bythebook[server]'\n"


@PROTOCOLS
def test_a_server_that_stops_in_mid_flight_and_comes_back(
    engine_folder: Path, prefer_grpc: bool
) -> None:
    with running_server(engine_folder) as node:
        options = options_of(node, prefer_grpc=prefer_grpc)
        connection = Connection(options, quick())
        store = ServerStore.create(connection, options.collection, 4)
        assert store.search("x", VECTOR, 3, Scope()) == []
        node.kill()
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            store.search("x", VECTOR, 3, Scope())
        assert_discreet(caught.value)
        node.start()
        node.wait_until_ready()
        # gRPC pauses on its own before it connects anew, so it may take a few questions.
        deadline = monotonic() + 10
        while True:
            try:
                assert store.search("x", VECTOR, 3, Scope()) == []
                break
            except StoreError:
                assert monotonic() < deadline
        connection.close()


@PROTOCOLS
def test_a_server_that_does_not_answer_in_time(engine_folder: Path, prefer_grpc: bool) -> None:
    with running_server(engine_folder) as node:
        assert node.process is not None
        options = options_of(node, prefer_grpc=prefer_grpc, timeout_seconds=1.0)
        connection = Connection(options)
        store = ServerStore.create(connection, options.collection, 4)
        store.search("x", VECTOR, 3, Scope())
        os.kill(node.process.pid, signal.SIGSTOP)
        begin = monotonic()
        with pytest.raises(StoreError, match="did not answer within 1 seconds") as caught:
            store.search("x", VECTOR, 3, Scope())
        # Two attempts of a second and one pause: a third would begin after the deadline.
        assert monotonic() - begin < 3.5
        assert_discreet(caught.value)
        connection.close()


# --- what a healthy Qdrant cannot be made to say ----------------------------------------------


class Canned(BaseHTTPRequestHandler):
    """Answers every request with what stands in the list, the last for ever."""

    answers: list[tuple[int, dict[str, str], str]]
    requests: int

    def do_POST(self) -> None:  # the base class wants this name
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        answers = type(self).answers
        status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
        type(self).requests += 1
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_PUT = do_POST  # noqa: N815  # as above

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def answering(*answers: tuple[int, dict[str, str], str]) -> Iterator[tuple[str, type[Canned]]]:
    handler = type("Answers", (Canned,), {"answers": list(answers), "requests": 0})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", handler
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def failure(sentence: str) -> str:
    return '{"status": {"error": "' + sentence + '"}, "time": 0}'


EMPTY: tuple[int, dict[str, str], str] = (
    200,
    {},
    '{"result": {"points": []}, "status": "ok", "time": 0}',
)


def test_too_many_requests_wait_as_long_as_they_are_told() -> None:
    pauses: list[float] = []
    with answering((429, {"Retry-After": "3"}, failure("slow down")), EMPTY) as (url, _):
        connection = Connection(ServerOptions(url), Retry(sleep=pauses.append))
        assert ServerStore(connection, "b").search("x", VECTOR, 3, Scope()) == []
        connection.close()
    assert pauses == [3.0]


@pytest.mark.parametrize("told", ["30", "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_too_many_requests_for_too_long(told: str) -> None:
    with (
        answering((429, {"Retry-After": told}, failure("slow down"))) as (url, _),
        pytest.raises(StoreError, match="fewer requests") as caught,
    ):
        search(ServerOptions(url))
    if told == "30":
        assert caught.value.retry_after_seconds == 30
    assert_discreet(caught.value)


@pytest.mark.parametrize(
    ("status", "body", "kind", "message", "requests"),
    [
        (500, failure("all replicas failed"), StoreError, "failed: all replicas failed", 3),
        (503, "", StoreError, "failed: status 503", 3),
        (502, "<html>", StoreError, "failed: status 502", 3),
        (408, failure("too slow"), StoreError, "did not answer", 3),
        (400, failure("bad filter"), StoreError, "did not accept the request: bad filter", 1),
        (500, failure("No space left on device"), IndexWriteError, "disk .* is full", 1),
        (404, "<html>", SettingsError, "not a Qdrant server", 1),
        (200, "<html>", SettingsError, "not a Qdrant server", 1),
    ],
)
def test_only_what_may_pass_is_tried_again(
    status: int, body: str, kind: type[BythebookError], message: str, requests: int
) -> None:
    with answering((status, {}, body)) as (url, handler):
        with pytest.raises(kind, match=message) as caught:
            search(ServerOptions(url))
        assert handler.requests == requests
    assert caught.value.retryable == (requests > 1)
    assert_discreet(caught.value)


def test_another_node_is_asked_when_one_fails() -> None:
    with answering((500, {}, failure("broken"))) as (bad, first), answering(EMPTY) as (good, _):
        connection = Connection(ServerOptions(f"{bad}, {good}"), quick())
        store = ServerStore(connection, "b")
        for _ in range(3):
            assert store.search("x", VECTOR, 3, Scope()) == []
        connection.close()
        assert first.requests == 1

"""A new index in the place of the old one, while readers ask."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from bythebook.assembly import make_key_file
from bythebook.indexing import Indexer
from bythebook.manifest import read_manifest, write_manifest
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.sources.markdown import MarkdownFolder
from tests.builders import run_command
from tests.engines.qdrant import Node
from tests.web.conftest import Serve
from tests.web.processes import eventually, running_service
from tests.web.serving import Service

TITLE = "A Book on Kettles"
KETTLE = "What is a kettle?"
TEAPOT = "What is a teapot?"

PAGE = """# {title}

A kettle is a vessel in which water is boiled on a stove. A kettle whistles when its water boils.

## Cups

A cup is a small bowl with a handle from which a person drinks. A cup holds a quarter of a litre.
"""
NEWS = """
## Teapots

A teapot is a vessel with a spout in which tea is brewed and from which it is poured.
"""


@dataclass
class Shop:
    """A small book, its index, and a service of it."""

    book: Path
    index: Path
    settings: dict[str, object] = field(default_factory=dict)

    def write(self, text: str) -> None:
        (self.book / "kettles.md").write_text(text, encoding="utf-8")

    def learn(self) -> None:
        self.write(PAGE.format(title=TITLE) + NEWS)


@pytest.fixture
def shop(tmp_path: Path, indexer: Indexer) -> Shop:
    book, index = tmp_path / "book", tmp_path / "index"
    book.mkdir()
    shop = Shop(book, index)
    shop.write(PAGE.format(title=TITLE))
    indexer.index(MarkdownFolder(book, title=TITLE), FolderShelf(index), origin=str(book))
    return shop


@pytest.fixture
def admin(shop: Shop) -> dict[str, str]:
    """The headers of an operator."""
    token = make_key_file(load_settings(index=shop.index)).create("operator", is_admin=True)
    return {"authorization": f"Bearer {token}"}


def status(service: Service, admin: dict[str, str]) -> dict[str, Any]:
    response = service.client.get("/api/admin/reindex", headers=admin)
    assert response.status_code == 200, response.text
    view: dict[str, Any] = response.json()
    return view


def reindex(service: Service, admin: dict[str, str]) -> dict[str, Any]:
    """Index anew and return how that ended."""
    begun = service.client.post("/api/admin/reindex", headers=admin)
    assert begun.status_code == 202, begun.text
    assert begun.json()["status"] == "running"
    eventually(lambda: status(service, admin)["status"] == "idle")
    last: dict[str, Any] = status(service, admin)["last"]
    return last


def answered(response: httpx.Response) -> str:
    body = response.json()
    return str(body["answer"]["text"]) if body["status"] == "success" else str(body["status"])


@contextmanager
def readers(url: str, count: int = 4) -> Iterator[list[str]]:
    """Let some people ask about kettles all the time; give what was not answered."""
    wrong: list[str] = []
    asked = [0] * count
    enough = threading.Event()

    def read(number: int) -> None:
        with httpx.Client(base_url=url, timeout=30) as client:
            while not enough.is_set():
                try:
                    response = client.post("/api/query", json={"query": KETTLE})
                    if "vessel in which water is boiled" not in answered(response):
                        wrong.append(response.text)
                except httpx.HTTPError as problem:
                    wrong.append(repr(problem))
                asked[number] += 1

    threads = [threading.Thread(target=read, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        eventually(lambda: min(asked) >= 2)
        yield wrong
        seen = list(asked)
        eventually(lambda: all(now >= then + 2 for now, then in zip(asked, seen, strict=True)))
    finally:
        enough.set()
        for thread in threads:
            thread.join(30)


def test_a_new_index_is_put_in_use_and_no_question_fails(
    serve: Serve, shop: Shop, admin: dict[str, str]
) -> None:
    service = serve(index=shop.index)
    before = status(service, admin)["generation"]
    assert answered(service.ask(TEAPOT)) == "refused"
    with readers(service.url) as wrong:
        for number in range(3):
            shop.write(PAGE.format(title=TITLE) + NEWS + f"\nThere are {number + 2} of them.\n")
            last = reindex(service, admin)
            assert last["result"] == "replaced", last
    assert not wrong
    assert "spout" in answered(service.ask(TEAPOT))
    assert status(service, admin)["generation"] != before
    assert service.client.get("/api/book").json()["title"] == TITLE


def test_a_book_that_did_not_change_keeps_its_index(
    serve: Serve, shop: Shop, admin: dict[str, str]
) -> None:
    service = serve(index=shop.index)
    before = status(service, admin)
    assert before["last"] is None
    last = reindex(service, admin)
    assert (last["result"], last["embedded"]) == ("unchanged", 0)
    assert status(service, admin)["generation"] == before["generation"]


def test_a_build_that_fails_leaves_the_old_index_in_use_and_says_why(
    serve: Serve, shop: Shop, admin: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    service = serve(index=shop.index)
    shutil.rmtree(shop.book)
    with readers(service.url) as wrong:
        last = reindex(service, admin)
    assert not wrong
    assert last["result"] == "failed"
    assert str(shop.book) in last["problem"]
    assert last["hint"]
    assert "the old index stays in use" in caplog.text
    shop.book.mkdir()
    shop.learn()
    assert reindex(service, admin)["result"] == "replaced"
    figures = service.client.get("/metrics").text
    assert 'bythebook_renewals_total{result="failed"} 1.0' in figures
    assert 'bythebook_renewals_total{result="replaced"} 1.0' in figures


def test_the_folder_of_the_settings_counts_more_than_the_one_it_came_from(
    serve: Serve, shop: Shop, admin: dict[str, str], tmp_path: Path
) -> None:
    moved = shop.book.rename(tmp_path / "moved")
    service = serve(index=shop.index, source=moved)
    (moved / "kettles.md").write_text(PAGE.format(title=TITLE) + NEWS, encoding="utf-8")
    assert reindex(service, admin)["result"] == "replaced"
    assert "spout" in answered(service.ask(TEAPOT))


def test_only_an_admin_may_index_anew(serve: Serve, shop: Shop, admin: dict[str, str]) -> None:
    service = serve(index=shop.index)
    reader = make_key_file(load_settings(index=shop.index)).create("reader")
    for method in ("GET", "POST"):
        for headers, code in (({}, 401), ({"authorization": f"Bearer {reader}"}, 403)):
            response = service.client.request(method, "/api/admin/reindex", headers=headers)
            assert response.status_code == code, response.text
    assert status(service, admin)["last"] is None


def test_without_an_admin_key_there_is_nothing_to_administer(serve: Serve, shop: Shop) -> None:
    assert serve(index=shop.index).client.post("/api/admin/reindex").status_code == 404


def test_an_index_that_another_process_made_is_taken_over(serve: Serve, shop: Shop) -> None:
    service = serve(index=shop.index, reload_seconds=0.1)
    shop.learn()
    with readers(service.url) as wrong:
        ended = run_command("index", shop.book, "--index", shop.index, "--no-calibrate")
        assert ended.returncode == 0, ended.stderr
        eventually(lambda: "spout" in answered(service.ask(TEAPOT)))
    assert not wrong


def test_an_index_that_another_process_made_and_that_cannot_be_used_is_left_alone(
    serve: Serve, shop: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    service = serve(index=shop.index, reload_seconds=0.02)
    manifest = read_manifest(shop.index)
    alien = manifest.model_copy(update={"embedder": "cohere:of-somebody-else"})
    write_manifest(shop.index, alien)
    eventually(lambda: "cohere:of-somebody-else" in caplog.text)
    assert "water is boiled" in answered(service.ask(KETTLE))
    write_manifest(shop.index, manifest.model_copy(update={"title": "Mended"}))
    eventually(lambda: service.client.get("/api/book").json()["title"] == "Mended")
    assert caplog.text.count("could not be looked for or opened") == 1


def test_an_index_on_a_server_that_another_process_made_is_taken_over(
    serve: Serve, shop: Shop, qdrant: Node, indexer: Indexer, server_options: Any
) -> None:
    from bythebook.shelves.server import ServerShelf

    options = server_options()
    shelf = ServerShelf(options)
    indexer.index(MarkdownFolder(shop.book), shelf, origin=str(shop.book))
    service = serve(
        index=shop.index,
        qdrant_url=qdrant.url,
        qdrant_collection=options.collection,
        reload_seconds=0.1,
    )
    assert answered(service.ask(TEAPOT)) == "refused"
    shop.learn()
    with readers(service.url, count=2) as wrong:
        indexer.index(MarkdownFolder(shop.book), shelf, origin=str(shop.book))
        eventually(lambda: "spout" in answered(service.ask(TEAPOT)))
    assert not wrong


def test_a_watched_folder_is_indexed_when_it_changes(shop: Shop) -> None:
    watch = ("--watch", str(shop.book))
    with running_service(shop.index, *watch) as service:
        assert answered(service.ask(TEAPOT)) == "refused"
        with readers(service.url, count=2) as wrong:
            shop.learn()
            eventually(lambda: "spout" in answered(service.ask(TEAPOT)), 0.2)
        assert not wrong
        service.terminate()
        assert service.ends() == 0


def test_a_service_that_ends_during_a_build_leaves_the_index_it_had(shop: Shop) -> None:
    before = read_manifest(shop.index)
    chapters = "".join(f"\n## Chapter {n}\n\nKettle {n} holds {n} litres.\n" for n in range(3000))
    shop.write(PAGE.format(title=TITLE) + chapters)
    with running_service(shop.index, "--watch", str(shop.book)) as service:
        eventually(lambda: (shop.index / "indexing.json").exists(), 0.005)
        service.terminate()
        assert service.ends() == 0
    assert "Traceback" not in service.log
    assert read_manifest(shop.index) == before
    with running_service(shop.index) as again:
        assert "water is boiled" in answered(again.ask(KETTLE))


def test_an_index_inside_the_watched_folder_does_not_wake_itself(
    serve: Serve, shop: Shop, indexer: Indexer
) -> None:
    inside = shop.book / ".bythebook"
    indexer.index(MarkdownFolder(shop.book), FolderShelf(inside), origin=str(shop.book))
    service = serve(index=inside, watch=True, source=shop.book)
    renewal = service.app.state.operations.renewal
    eventually(lambda: renewal.status.last is not None)
    shop.learn()
    eventually(lambda: "spout" in answered(service.ask(TEAPOT)))
    eventually(lambda: not renewal.status.is_running)
    begun = renewal.status.last.started_at
    service.ask(KETTLE)  # the query log is written beside, inside the folder too
    assert service.desk.query_log
    assert service.desk.query_log.flush(20)
    (shop.book / "cups.md").write_text("# Cups\n\nA saucer is a plate below a cup.\n", "utf-8")
    eventually(lambda: renewal.status.last.started_at != begun)
    eventually(lambda: not renewal.status.is_running)
    assert renewal.status.last.result == "replaced"  # by the new page, and by nothing before it


def test_a_folder_that_is_not_there_cannot_be_watched(shop: Shop) -> None:
    ended = run_command("serve", "--index", shop.index, "--port", "0", "--watch", "nowhere")
    assert ended.returncode == 2
    assert "there is no folder 'nowhere' to watch" in ended.stderr.decode()

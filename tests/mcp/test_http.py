"""What is special about `/mcp`: who may come in, who is told, what survives."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from bythebook.assembly import make_source, open_assistant, open_desk
from bythebook.indexing import Indexer
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.web.desk import Asked
from tests.mcp.conftest import Connect
from tests.web.serving import Service, serving

QUESTION = "What is a costmap?"


def post(service: Service, headers: dict[str, str], **call: object) -> httpx.Response:
    """Send one call by hand, the way agents did before 2026."""
    usual = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", **call}
    return service.client.post("/mcp", headers=usual | headers, json=message)


@pytest.fixture(scope="module")
def open_service(sample_index: Path) -> Iterator[Service]:
    """A service that goes by another name too."""
    settings = load_settings(
        index=sample_index,
        allowed_hosts=["book.example.org"],
        cors_origins=["https://reader.example.org"],
    )
    with serving(open_desk(settings)) as running:
        yield running


def test_each_call_stands_by_itself_without_a_session(http: Service) -> None:
    response = post(http, {})
    assert response.status_code == 200
    assert "retrieve_context" in response.text
    assert "mcp-session-id" not in response.headers


def test_an_agent_of_before_2026_is_understood_too(http: Service, connect: Connect) -> None:
    agent = connect(f"{http.url}/mcp", mode="legacy")
    assert agent.get("ask_book", question=QUESTION)["kind"] == "answer"


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Host": "evil.example"}, 421, "does not answer under the name 'evil.example'"),
        ({"Origin": "https://evil.example"}, 403, "Pages of 'https://evil.example' may not"),
        ({"Origin": "null"}, 403, "Pages of 'null' may not"),
    ],
)
def test_pages_of_other_websites_are_kept_out_with_a_sentence(
    http: Service, headers: dict[str, str], status: int, said: str
) -> None:
    response = post(http, headers)
    assert response.status_code == status
    assert said in response.json()["error"]["message"]


@pytest.mark.parametrize(
    "headers", [{"Host": "localhost:8000"}, {"Origin": "http://localhost:3000"}]
)
def test_this_machine_may_come_in_by_its_other_names(
    http: Service, headers: dict[str, str]
) -> None:
    assert post(http, headers).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "book.example.org"}, 200),
        ({"Host": "book.example.org:8443"}, 200),
        ({"Origin": "https://book.example.org"}, 200),
        ({"Origin": "https://reader.example.org"}, 200),
        ({"Host": "book.example.org.evil.example"}, 421),
    ],
)
def test_names_and_websites_of_the_settings_may_come_in(
    open_service: Service, headers: dict[str, str], status: int
) -> None:
    assert post(open_service, headers).status_code == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_nothing_to_listen_to_and_nothing_to_end(http: Service, method: str) -> None:
    response = http.client.request(method, "/mcp", headers={"Accept": "text/event-stream"})
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


def test_a_body_that_is_not_json_is_turned_away(http: Service) -> None:
    response = post(http, {"Content-Type": "text/plain"})
    assert response.status_code == 415
    assert "Content-Type: application/json" in response.json()["error"]["message"]


def test_a_body_that_is_too_large_is_turned_away(http: Service) -> None:
    response = post(http, {}, params={"_meta": {"padding": "a" * 100_000}})
    assert response.status_code == 413
    assert "larger than" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("ask_book", {"question": QUESTION}), ("retrieve_context", {"query": QUESTION})],
)
def test_the_observers_of_the_desk_hear_of_each_question_and_who_asked(
    http: Service, tool: str, arguments: dict[str, Any]
) -> None:
    heard: list[Asked] = []
    told = threading.Event()

    def observe(asked: Asked) -> None:
        heard.append(asked)
        told.set()

    request_id = str(uuid4())
    http.desk.observers.append(observe)
    try:
        params = {"name": tool, "arguments": arguments}
        assert post(http, {"X-Request-ID": request_id}, method="tools/call", params=params)
        assert told.wait(10)
    finally:
        http.desk.observers.remove(observe)
    (asked,) = heard
    assert (asked.route, asked.client) == ("/mcp", "127.0.0.1")
    assert asked.outcome.query.text == QUESTION
    assert str(asked.outcome.query.request_id) == request_id


def test_a_new_index_is_used_by_the_next_call(
    sample_index: Path, connect: Connect, indexer: Indexer, tmp_path: Path
) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.md").write_text("# Kettles\n\nA kettle boils water.\n")
    index = tmp_path / "index"
    indexer.index(make_source(tmp_path / "book", title="Kitchen"), FolderShelf(index))
    with serving(open_desk(load_settings(index=sample_index))) as service:
        agent = connect(f"{service.url}/mcp")
        assert agent.get("list_sections")["title"] == "Physical AI, a Short Textbook"
        kitchen = open_assistant(load_settings(index=index))
        service.loop.call_soon_threadsafe(service.desk.replace, kitchen)
        assert agent.get("list_sections")["title"] == "Kitchen"
        assert agent.get("read_section", page="page.md")["text"].endswith("A kettle boils water.")

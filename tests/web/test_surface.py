from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from bythebook.assistant import Assistant
from bythebook.cli.search import to_json
from bythebook.types import Query
from bythebook.web.feedback import Feedback
from tests.web.conftest import Serve
from tests.web.serving import Service

SITE = "https://book.example.org"


def test_a_search_by_address_and_by_body_is_the_same(service: Service) -> None:
    by_address = service.client.get("/api/search", params={"query": "costmap", "top_k": 3}).json()
    by_body = service.client.post("/api/search", json={"query": "costmap", "top_k": 3}).json()
    assert len(by_address["results"]) == 3
    assert by_address["results"] == by_body["results"]


def test_a_search_gives_what_the_command_line_prints(service: Service, book: Assistant) -> None:
    found = asyncio.run(book.search(Query(text="costmap", top_k=3)))
    printed = to_json("costmap", found)
    got = service.client.get("/api/search", params={"query": "costmap", "top_k": 3}).json()
    assert set(printed) <= set(got)
    shown = [{k: v for k, v in r.items() if k != "rank"} for r in got["results"]]
    assert shown == printed["results"]


def test_a_search_with_a_threshold_leaves_out_what_is_below_it(service: Service) -> None:
    everything = service.client.get("/api/search", params={"query": "costmap"}).json()["results"]
    best = max(result["similarity_score"] for result in everything)
    wanted = {"query": "costmap", "relevance_threshold": best - 0.001}
    above = service.client.get("/api/search", params=wanted).json()["results"]
    assert 0 < len(above) < len(everything)


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "query"),
        ({"query": " "}, "empty"),
        ({"query": "x", "top_k": "0"}, "top_k"),
        ({"query": "x", "top_k": "many"}, "top_k"),
        ({"query": "x", "relevance_threshold": "nan"}, "relevance_threshold"),
        ({"query": "x", "module_filter": "cooking"}, "cooking"),
    ],
)
def test_a_search_that_cannot_be_made_is_422(
    service: Service, params: dict[str, str], says: str
) -> None:
    response = service.client.get("/api/search", params=params)
    assert response.status_code == 422
    assert says in response.json()["error"]["message"]


def test_the_book_tells_what_is_in_it(service: Service, book: Assistant) -> None:
    view = service.client.get("/api/book").json()
    manifest = book.manifest
    assert view["title"] == manifest.title
    assert view["modules"] == list(manifest.modules)
    assert view["page_count"] == len(view["pages"]) == len(manifest.pages)
    assert view["passage_count"] == manifest.chunks
    assert view["generation"] == manifest.generation
    assert all(page["url"].startswith("https://example.org/book/") for page in view["pages"])


def test_feedback_is_taken_even_when_nobody_keeps_it(service: Service) -> None:
    said = {"request_id": str(uuid4()), "helpful": False, "comment": "too short"}
    response = service.client.post("/api/feedback", json=said)
    assert (response.status_code, response.json()["status"]) == (202, "accepted")


class Kept:
    """Keeps feedback."""

    def __init__(self) -> None:
        self.all: list[Feedback] = []

    async def take(self, feedback: Feedback) -> None:
        self.all.append(feedback)


def test_feedback_goes_to_whoever_keeps_it(serve: Serve) -> None:
    service = serve()
    service.desk.feedback = kept = Kept()
    request_id = uuid4()
    body = {"request_id": str(request_id), "helpful": True}
    assert service.client.post("/api/feedback", json=body).status_code == 202
    assert kept.all == [Feedback(request_id=request_id, helpful=True)]


@pytest.mark.parametrize("path", ["/api/book", "/api/nothing", "/openapi.json"])
def test_every_response_carries_security_headers_and_no_banner(service: Service, path: str) -> None:
    headers = service.client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


def test_without_a_setting_no_other_website_is_let_in(service: Service) -> None:
    response = service.client.get("/api/book", headers={"origin": SITE})
    assert "access-control-allow-origin" not in response.headers


def test_only_websites_of_the_list_are_let_in(serve: Serve) -> None:
    service = serve(cors_origins=[SITE])
    ask = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    let_in = service.client.options("/api/query", headers={"origin": SITE} | ask)
    assert let_in.status_code == 200
    assert let_in.headers["access-control-allow-origin"] == SITE
    kept_out = service.client.options("/api/query", headers={"origin": "https://evil.org"} | ask)
    assert "access-control-allow-origin" not in kept_out.headers
    failed = service.client.get("/api/nothing", headers={"origin": SITE})
    assert failed.headers["access-control-allow-origin"] == SITE  # a page can read why


def test_long_responses_are_compressed_for_who_can_read_them(service: Service) -> None:
    response = service.client.get("/api/book", headers={"accept-encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip"
    plain = service.client.get("/api/book", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.json() == response.json()

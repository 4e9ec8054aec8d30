"""Whatever goes wrong, the answer is document 004's envelope."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import httpx
import pytest

from bythebook.contracts.grounded import ErrorCode, ErrorDetail, QueryResponse
from bythebook.web.errors import Problem, RejectedError
from bythebook.web.feedback import Feedback
from tests.standins.chat import ChatServer, fails
from tests.web.conftest import Serve
from tests.web.serving import Service

JSON = {"content-type": "application/json"}
QUESTION = {"query": "What is a costmap?"}


def error_of(response: httpx.Response) -> ErrorDetail:
    envelope = QueryResponse.model_validate_json(response.content)
    assert envelope.error
    assert response.headers["content-type"] == "application/json"
    assert str(envelope.metadata.request_id) == response.headers["x-request-id"]
    assert "Traceback" not in response.text
    return envelope.error


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b'{"query": ', "not valid JSON"),
        (b"", "body"),
        (b"[]", "The body is not a JSON object"),
        (b'"What?"', "The body is not a JSON object"),
        (b'{"query": "\xff"}', "UTF-8"),
        (b"[" * 20_000, "body"),
        (b"{}", "query"),
        (b'{"query": ""}', "query"),
        (b'{"query": "   "}', "Query cannot be empty"),
        (b'{"query": "\\ud800"}', "query"),
        (b'{"query": 7}', "query"),
        (b'{"query": "What?", "top_k": 0}', "top_k"),
        (b'{"query": "What?", "top_k": true}', "top_k"),
        (b'{"query": "What?", "top_k": 21}', "top_k"),
        (b'{"query": "What?", "selected_text": "short"}', "selected_text"),
        (b'{"query": "What?", "relevance_threshold": NaN}', "relevance_threshold"),
        (b'{"query": "What?", "relevance_threshold": 1.5}', "relevance_threshold"),
        (b'{"query": "What?", "session_id": "mine"}', "session_id"),
        (b'{"query": "What?", "page_url": "javascript:alert(1)"}', "page_url"),
        (b'{"query": "What?", "profile": "best"}', "profile: must be one of"),
        (b'{"query": "What?", "profile": 5}', "profile"),
    ],
)
@pytest.mark.parametrize("path", ["/api/query", "/api/query/stream"])
def test_a_body_that_cannot_be_used_is_422_and_names_the_culprit(
    service: Service, path: str, body: bytes, says: str
) -> None:
    response = service.client.post(path, content=body, headers=JSON)
    assert response.status_code == 422
    error = error_of(response)
    assert error.code is ErrorCode.VALIDATION_FAILED
    assert says in error.message


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/jsonp", ""])
def test_a_body_that_does_not_say_it_is_json_is_415(service: Service, kind: str) -> None:
    headers = {"content-type": kind} if kind else {}
    body = json.dumps(QUESTION).encode()
    response = service.client.post("/api/query", content=body, headers=headers)
    assert response.status_code == 415
    assert "application/json" in error_of(response).message


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/ld+json"])
def test_kinds_of_json_are_taken(service: Service, kind: str) -> None:
    body = json.dumps(QUESTION).encode()
    response = service.client.post("/api/query", content=body, headers={"content-type": kind})
    assert response.status_code == 200


def test_a_body_over_the_limit_is_413(service: Service) -> None:
    body = json.dumps({"query": "What?", "selected_text": "x" * 70_000}).encode()
    response = service.client.post("/api/query", content=body, headers=JSON)
    assert response.status_code == 413
    assert "65,536 bytes" in error_of(response).message


def test_a_body_over_the_limit_without_a_length_is_413(service: Service) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"query": "'
        for _ in range(20):
            yield b"x" * 10_000
        yield b'"}'

    response = service.client.post("/api/query", content=pieces(), headers=JSON)
    assert response.status_code == 413
    assert error_of(response).code is ErrorCode.VALIDATION_FAILED


def test_a_body_that_never_arrives_is_408_and_the_connection_is_closed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bythebook.web.middleware._BODY_SECONDS", 0.2)
    host, _, port = service.url.removeprefix("http://").partition(":")
    head = b"POST /api/query HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        raw.sendall(head + b'Content-Length: 50\r\n\r\n{"query"')
        received = b"".join(iter(lambda: raw.recv(4000), b""))  # until the service hangs up
    assert received.startswith(b"HTTP/1.1 408")
    assert b"did not arrive in time" in received


def test_a_body_at_the_limit_is_read(service: Service) -> None:
    body = json.dumps(QUESTION).encode().ljust(65_536)
    assert service.client.post("/api/query", content=body, headers=JSON).status_code == 200
    assert service.client.post("/api/query", content=body + b" ", headers=JSON).status_code == 413


@pytest.mark.parametrize("path", ["/", "/api", "/api/nothing", "/docs", "/redoc", "/api/query/"])
def test_an_unknown_address_is_404(service: Service, path: str) -> None:
    response = service.client.get(path)
    assert response.status_code == 404
    assert "nothing at this address" in error_of(response).message


def test_a_wrong_method_is_405_and_says_which_is_right(service: Service) -> None:
    response = service.client.get("/api/query")
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert error_of(response).code is ErrorCode.VALIDATION_FAILED


class _Broken:
    async def take(self, feedback: Feedback) -> None:
        raise RuntimeError(f"the password is hunter2 {feedback.helpful}")


def test_an_unforeseen_error_is_500_and_tells_nothing(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    service = serve()
    service.desk.feedback = _Broken()
    body = {"request_id": "550e8400-e29b-41d4-a716-446655440000", "helpful": True}
    response = service.client.post("/api/feedback", json=body)
    assert response.status_code == 500
    assert error_of(response).details is None
    assert "hunter2" not in response.text
    assert "hunter2" in caplog.text  # the log has the whole story


def test_an_unforeseen_error_in_an_answer_is_500_and_tells_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = serve()

    def burst(*_: object) -> None:
        raise KeyError("hunter2")

    monkeypatch.setattr(service.desk.assistant, "_retrieve", burst)
    response = service.client.post("/api/query", json=QUESTION)
    assert response.status_code == 500
    assert error_of(response).details is None
    assert "hunter2" not in response.text
    for profile in ("scored", "session", "search", "modules"):
        other = service.client.post("/api/query", json=QUESTION | {"profile": profile})
        assert other.status_code == 500
        assert "hunter2" not in other.text
    events = service.events(QUESTION["query"])
    assert [event.name for event in events][-1] == "error"
    assert "hunter2" not in str(events)


class _Busy:
    async def take(self, feedback: Feedback) -> None:
        message = f"Slow down with {feedback.request_id}."
        raise RejectedError(Problem(429, message, ErrorCode.RATE_LIMIT_EXCEEDED, None, 7))


def test_a_rejected_request_says_when_to_come_back(serve: Serve) -> None:
    service = serve()
    service.desk.feedback = _Busy()
    body = {"request_id": "550e8400-e29b-41d4-a716-446655440000", "helpful": True}
    response = service.client.post("/api/feedback", json=body)
    assert (response.status_code, response.headers["retry-after"]) == (429, "7")
    assert error_of(response).retry_after == 7


def test_an_index_that_cannot_be_read_is_503(serve: Serve) -> None:
    service = serve()
    service.desk.assistant.close()  # as if its files had gone
    response = service.client.post("/api/query", json=QUESTION)
    assert response.status_code == 503
    assert error_of(response).code is ErrorCode.QDRANT_TIMEOUT
    found = service.client.post("/api/search", json=QUESTION)
    assert found.status_code == 503
    assert error_of(found).code is ErrorCode.QDRANT_TIMEOUT


def test_a_model_that_does_not_answer_in_time_is_504(serve_model: Serve, model: ChatServer) -> None:
    service = serve_model(model_timeout_seconds=0.2, model_deadline_seconds=0.3)
    model.misbehave(model.never, model.never, model.never)
    response = service.client.post("/api/query", json=QUESTION)
    assert response.status_code == 504
    assert error_of(response).code is ErrorCode.OPENROUTER_TIMEOUT


def test_a_model_with_too_much_to_do_is_429_with_its_time_to_wait(
    serve_model: Serve, model: ChatServer
) -> None:
    service = serve_model(model_deadline_seconds=1)
    model.will(fails(429, retry_after="50"))
    response = service.client.post("/api/query", json=QUESTION)
    error = error_of(response)
    assert (response.status_code, error.code) == (429, ErrorCode.RATE_LIMIT_EXCEEDED)
    assert response.headers["retry-after"] == str(error.retry_after) == "50"


def test_a_wrong_key_is_503_and_is_not_shown(serve_model: Serve, model: ChatServer) -> None:
    service = serve_model()
    model.will(fails(401, "Incorrect API key provided: key-of-the-author"))
    response = service.client.post("/api/query", json=QUESTION)
    assert response.status_code == 503
    assert "key-of-the-author" not in response.text
    assert error_of(response)


def test_bytes_that_are_not_http_do_not_end_the_service(service: Service) -> None:
    host, _, port = service.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        raw.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert raw.recv(1000).startswith(b"HTTP/1.1 400")
    assert service.client.get("/api/book").status_code == 200

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest

from bythebook.contracts.grounded import QueryResponse
from tests.standins.chat import ChatServer, Step, fails, says
from tests.standins.server import Received, Reply
from tests.web.conftest import Serve
from tests.web.serving import Event, Service, read_events

QUESTION = "What is a costmap?"
ANSWER = "A costmap is a grid in which each cell stores how undesirable it is to be there [1]."
PATIENCE = 20.0


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events]


@dataclass
class Thinking:
    """How far a model that takes its time has come."""

    begun: threading.Event = field(default_factory=threading.Event)
    may_answer: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)  # answered or left alone


def thinks(model: ChatServer, thinking: Thinking) -> Step:
    """Return a step that says nothing until it may."""

    def pieces(request: Received) -> Iterator[bytes]:
        try:
            thinking.begun.set()
            while not thinking.may_answer.wait(0.02) and not model.left.is_set():
                yield b": still thinking\n\n"
            whole = says(ANSWER)(request).body
            assert not isinstance(whole, bytes)
            yield from whole
        finally:
            thinking.ended.set()

    return lambda request: Reply(pieces(request), content_type="text/event-stream")


def test_a_question_is_told_from_its_states_to_its_response(service: Service) -> None:
    events = service.events(QUESTION)
    states = [event.data["state"] for event in events if event.name == "state"]
    assert states == ["received", "validating", "retrieving", "generating", "complete"]
    told = [name for name in names(events) if name != "state"]
    assert told[0] == "sources"
    assert told[-1] == "done"
    assert set(told[1:-1]) == {"sentence"}


def test_the_sentences_are_those_of_the_response_with_the_same_numbers(service: Service) -> None:
    events = service.events("Which sensors does a robot have?")
    answer = QueryResponse.model_validate(events[-1].data).answer
    assert answer
    assert answer.sentences
    sentences = [event.data for event in events if event.name == "sentence"]
    assert [sentence["index"] for sentence in sentences] == list(range(len(answer.sentences)))
    for sent, settled in zip(sentences, answer.sentences, strict=True):
        assert sent["text"] == settled.text
        assert [cited["citation_index"] for cited in sent["citations"]] == settled.citations
        for cited in sent["citations"]:
            whole = answer.citations[cited["citation_index"] - 1]
            assert (cited["chunk_id"], cited["excerpt"]) == (whole.chunk_id, whole.excerpt)


def test_sources_name_the_passages_the_answer_is_made_from(service: Service) -> None:
    events = service.events(QUESTION)
    found = {source["chunk_id"] for event in events[:4] for source in event.data.get("sources", [])}
    cited = {citation["chunk_id"] for citation in events[-1].data["answer"]["citations"]}
    assert cited <= found


def test_a_refusal_is_done_without_a_sentence(service: Service) -> None:
    events = service.events("Who won the football world cup in 1998?")
    assert "sentence" not in names(events)
    assert events[-1].name == "done"
    assert events[-1].data["status"] == "refused"


def test_the_last_event_has_the_shape_of_the_profile(service: Service) -> None:
    assert service.events(QUESTION, profile="session")[-1].data["grounded"] is True


def test_a_question_that_fails_ends_with_an_error(serve_model: Serve, model: ChatServer) -> None:
    model.will(fails(401, "Incorrect API key"))
    last = serve_model().events(QUESTION)[-1]
    assert last.name == "error"
    assert last.data["error"]["code"] == "OPENROUTER_TIMEOUT"


def test_a_session_that_is_not_there_is_404_before_anything_is_sent(service: Service) -> None:
    body = {"query": QUESTION, "session_id": str(uuid4())}
    response = service.client.post("/api/query/stream", json=body)
    assert response.status_code == 404
    assert "no session" in response.json()["error"]["message"]


def test_the_request_id_and_no_compression(service: Service) -> None:
    body = {"query": QUESTION}
    with service.client.stream(
        "POST", "/api/query/stream", json=body, headers={"accept-encoding": "gzip"}
    ) as response:
        events = list(read_events(response.iter_lines()))
    assert "content-encoding" not in response.headers
    assert events[-1].data["metadata"]["request_id"] == response.headers["x-request-id"]
    assert response.headers["cache-control"] == "no-store"


def test_a_stream_with_nothing_to_say_shows_that_it_is_alive(
    serve_model: Serve, model: ChatServer
) -> None:
    service = serve_model(heartbeat_seconds=0.05)
    thinking = Thinking()
    model.will(thinks(model, thinking))
    heard: list[Event] = []
    with service.client.stream("POST", "/api/query/stream", json={"query": QUESTION}) as response:
        for event in read_events(response.iter_lines()):
            heard.append(event)
            if event.name == ":":
                thinking.may_answer.set()
    assert ":" in names(heard)
    # On a busy machine one more sign of life may come while the stream is being closed.
    last = [event for event in heard if event.name != ":"][-1]
    assert last.name == "done"
    assert last.data["answer"]["citations"]


def test_when_the_client_of_a_stream_leaves_the_model_is_stopped(
    serve_model: Serve, model: ChatServer
) -> None:
    service = serve_model(heartbeat_seconds=60)
    thinking = Thinking()
    model.will(thinks(model, thinking))
    with service.client.stream("POST", "/api/query/stream", json={"query": QUESTION}) as response:
        for event in read_events(response.iter_lines()):
            if event.data == {"state": "generating"}:
                assert thinking.begun.wait(PATIENCE)
                break
    assert thinking.ended.wait(PATIENCE), "the model is still being asked"
    assert service.client.get("/api/book").status_code == 200


def test_when_the_client_of_a_plain_question_leaves_the_model_is_stopped(
    serve_model: Serve, model: ChatServer
) -> None:
    service = serve_model()
    thinking = Thinking()
    model.will(thinks(model, thinking))
    host, _, port = service.url.removeprefix("http://").partition(":")
    body = json.dumps({"query": QUESTION}).encode()
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(
            b"POST /api/query HTTP/1.1\r\nHost: book\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        assert thinking.begun.wait(PATIENCE)
    assert thinking.ended.wait(PATIENCE), "the model is still being asked"


@pytest.mark.parametrize("text", ["The moon is made of cheese [1].", ""])
def test_a_sentence_that_does_not_pass_the_gate_is_never_sent(
    serve_model: Serve, model: ChatServer, text: str
) -> None:
    model.will(says(text))
    events = serve_model().events(QUESTION)
    assert "sentence" not in names(events)
    assert "cheese" not in str(events)
    assert events[-1].data["status"] == "refused"

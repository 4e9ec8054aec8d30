from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx
import pytest

from bythebook.assistant import Assistant
from bythebook.contracts.session import AgentSession, SessionState
from bythebook.conversation import Conversation
from bythebook.types import Query
from bythebook.web.sessions.base import Session
from tests.standins.chat import ChatServer, fails
from tests.web.conftest import Serve
from tests.web.serving import Service

FIRST = "What is Isaac Sim?"
FOLLOW_UP = "How do I use it for synthetic data?"


def start(service: Service, **fields: object) -> str:
    response = service.client.post("/api/sessions", json=fields)
    assert response.status_code == 201
    return str(response.json()["session_id"])


def show(service: Service, session: str) -> Any:
    response = service.client.get(f"/api/sessions/{session}")
    assert response.status_code == 200
    return response.json()


def test_a_new_session_is_document_001s_with_only_its_system_message(service: Service) -> None:
    view = show(service, start(service, max_history=8))
    session = AgentSession.model_validate(view)
    assert [message.role for message in session.conversation_history] == ["system"]
    assert (view["session_state"], view["max_history"]) == ("CREATED", 8)
    assert view["expires_at"] > view["started_at"]


def test_a_session_can_be_started_without_a_body(service: Service) -> None:
    assert service.client.post("/api/sessions").status_code == 201


def test_a_follow_up_is_understood_in_its_session_and_not_outside(service: Service) -> None:
    session = start(service)
    service.ask(FIRST, session_id=session)
    answer = service.ask(FOLLOW_UP, session_id=session).json()
    assert answer["metadata"]["session_id"] == session
    assert "Synthetic images" in {c["section"] for c in answer["answer"]["citations"]}
    view = show(service, session)
    said = [(m["role"], m["content"]) for m in view["conversation_history"]]
    assert [role for role, _ in said] == ["system", "user", "assistant", "user", "assistant"]
    assert said[3] == ("user", FOLLOW_UP)
    assert view["session_state"] == "ACTIVE"
    assert show(service, session)["conversation_history"] == view["conversation_history"]


def test_a_stream_goes_on_with_a_session_too(service: Service) -> None:
    session = start(service)
    service.events(FIRST, session_id=session)
    last = service.events(FOLLOW_UP, session_id=session)[-1].data
    assert "Synthetic images" in {c["section"] for c in last["answer"]["citations"]}


def test_a_reset_forgets_what_was_said_and_the_session_goes_on(service: Service) -> None:
    session = start(service)
    service.ask(FIRST, session_id=session)
    response = service.client.post(f"/api/sessions/{session}/reset")
    assert response.status_code == 200
    assert len(response.json()["conversation_history"]) == 1
    assert response.json()["session_state"] == "ACTIVE"
    assert service.ask(FIRST, session_id=session).status_code == 200


def test_a_session_that_was_ended_is_gone(service: Service) -> None:
    session = start(service)
    assert service.client.delete(f"/api/sessions/{session}").status_code == 204
    assert service.client.delete(f"/api/sessions/{session}").status_code == 404
    assert service.ask(FIRST, session_id=session).status_code == 404


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("DELETE", ""), ("POST", "/reset")])
def test_an_unknown_session_is_404_with_a_sentence(
    service: Service, method: str, path: str
) -> None:
    session = uuid4()
    response = service.client.request(method, f"/api/sessions/{session}{path}")
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (404, "VALIDATION_FAILED")
    assert str(session) in error["message"]
    assert "POST /api/sessions" in error["message"]


def test_an_id_that_is_none_is_422(service: Service) -> None:
    response = service.client.get("/api/sessions/mine")
    assert response.status_code == 422
    assert "session_id" in response.json()["error"]["message"]


def test_questions_asked_at_once_in_one_session_are_all_remembered(service: Service) -> None:
    session = start(service, max_history=40)
    topics = ["costmap", "node", "topic", "service", "action", "lidar", "URDF", "gripper"]

    def ask(topic: str) -> httpx.Response:
        body = {"query": f"What is a {topic}?", "session_id": session}
        return httpx.post(f"{service.url}/api/query", json=body, timeout=30)

    with ThreadPoolExecutor(len(topics)) as pool:
        responses = list(pool.map(ask, topics))
    assert {response.status_code for response in responses} == {200}
    history = show(service, session)["conversation_history"][1:]
    assert [message["role"] for message in history] == ["user", "assistant"] * len(topics)
    asked = {message["content"] for message in history if message["role"] == "user"}
    assert asked == {f"What is a {topic}?" for topic in topics}


def test_a_question_that_failed_is_not_remembered(serve_model: Serve, model: ChatServer) -> None:
    service = serve_model()
    session = start(service)
    model.will(fails(401))
    assert service.ask(FIRST, session_id=session).status_code == 503
    assert len(show(service, session)["conversation_history"]) == 1


def test_a_session_goes_to_text_and_back(book: Assistant) -> None:
    conversation = Conversation(book)
    for question in (FIRST, FOLLOW_UP, "Who won the world cup?"):
        asyncio.run(conversation.ask(Query(text=question)))
    session = Session(id=conversation.session_id).after(conversation.memory)
    again = Session.from_json(session.to_json())
    assert again == session
    assert again.state is SessionState.ACTIVE
    revived = Conversation(book, session_id=again.id, memory=again.memory)
    assert revived.turns == conversation.turns


def test_what_was_said_of_another_index_is_not_said_again(book: Assistant) -> None:
    conversation = Conversation(book)
    first = asyncio.run(conversation.ask(Query(text=FIRST)))
    again = asyncio.run(conversation.ask(Query(text=FIRST)))
    assert again.finished_at == first.finished_at  # remembered
    old = [turn.__class__(turn.asked, turn.standalone, turn.outcome) for turn in conversation.turns]
    memory = conversation.memory.__class__(tuple(old), "")
    afresh = asyncio.run(Conversation(book, memory=memory).ask(Query(text=FIRST)))
    assert afresh.finished_at > first.finished_at

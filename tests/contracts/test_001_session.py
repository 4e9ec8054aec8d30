"""Document 001, rule by rule: messages, calls, results, turns and responses."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError

from bythebook.contracts.session import (
    AgentResponse,
    AgentSession,
    ConversationTurn,
    FunctionCall,
    Message,
    RetrievalResult,
    sort_results,
)

USER_MESSAGE = {
    "role": "user",
    "content": "What is ROS 2?",
    "timestamp": "2025-12-23T18:30:15Z",
}
CALL: dict[str, Any] = {
    "name": "retrieve_context",
    "arguments": {"query": "ROS 2 communication patterns", "top_k": 5, "threshold": 0.70},
}
CALL_MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "function_call": {
        "name": "retrieve_context",
        "arguments": {"query": "ROS 2 basics", "top_k": 5, "threshold": 0.70},
    },
    "timestamp": "2025-12-23T18:30:16Z",
}
# The document leaves out the times of these three messages, which every Message has.
SESSION: dict[str, Any] = {
    "session_id": "550e8400-e29b-41d4-a716-446655440000",
    "started_at": "2025-12-23T18:30:00Z",
    "model": "gpt-4",
    "conversation_history": [
        {
            "role": "system",
            "content": "You are a helpful assistant...",
            "timestamp": "2025-12-23T18:30:00Z",
        },
        USER_MESSAGE,
        {"role": "assistant", "content": "ROS 2 is...", "timestamp": "2025-12-23T18:30:20Z"},
    ],
    "max_history": 20,
    "is_interactive": True,
}
RESULT: dict[str, Any] = {
    "chunk_id": "uuid-abc123",
    "chunk_text": "ROS 2 is a flexible framework for writing robot software. It provides services "
    "including hardware abstraction, device drivers, and message-passing between processes.",
    "similarity_score": 0.87,
    "source_url": "https://physical-ai-robotics-textbook-xi.vercel.app/docs/module-1-ros2/"
    "ch1-basics",
    "chapter_id": "module-1-ros2/ch1-basics",
    "module_name": "Module 1 Ros2",
    "heading_hierarchy": ["Chapter 1: ROS 2 Basics", "What is ROS 2?"],
    "token_count": 42,
    "chunk_index": 0,
}
GROUNDED: dict[str, Any] = {
    "answer": "ROS 2 is a flexible framework for writing robot software [Source: Module 1 - ROS 2 "
    "Basics]. It provides services including hardware abstraction, device drivers, and "
    "message-passing between processes.",
    "citations": [RESULT],
    "retrieval_count": 3,
    "model_used": "gpt-4",
    "tokens_used": 450,
    "grounded": True,
    "timestamp": "2025-12-23T18:30:20Z",
}
UNGROUNDED: dict[str, Any] = {
    "answer": "I don't have information about weather forecasting in the textbook. Please ask "
    "about ROS 2, Isaac Sim, URDF, VSLAM, or other topics covered in the Physical AI curriculum.",
    "citations": [],
    "retrieval_count": 0,
    "model_used": "gpt-4",
    "tokens_used": 120,
    "grounded": False,
    "timestamp": "2025-12-23T18:30:25Z",
}
TURN: dict[str, Any] = {
    "turn_id": "turn-550e8400",
    "user_query": "What is ROS 2?",
    "retrieval_results": [RESULT],
    "agent_response": GROUNDED,
    "timestamp": "2025-12-23T18:30:20Z",
    "duration_seconds": 8.5,
}


@pytest.mark.parametrize(
    ("model", "example"),
    [
        (AgentSession, SESSION),
        (Message, USER_MESSAGE),
        (Message, CALL_MESSAGE),
        (FunctionCall, CALL),
        (RetrievalResult, RESULT),
        (ConversationTurn, TURN),
        (AgentResponse, GROUNDED),
        (AgentResponse, UNGROUNDED),
    ],
)
def test_001_examples_parse_and_print_the_same_json(model: Any, example: dict[str, Any]) -> None:
    assert json.loads(model.model_validate(example).model_dump_json()) == example


# Message


@pytest.mark.parametrize("role", ["system", "user", "assistant", "function"])
def test_message_roles_of_the_document_are_allowed(role: str) -> None:
    assert Message.model_validate({"role": role, "content": "x"}).role == role


@pytest.mark.parametrize("role", ["tool", "developer", ""])
def test_message_role_not_in_the_document_is_refused(role: str) -> None:
    with pytest.raises(ValidationError):
        Message.model_validate({"role": role, "content": "x"})


def test_message_without_content_is_allowed_with_a_function_call() -> None:
    assert Message.model_validate(CALL_MESSAGE).content is None


@pytest.mark.parametrize("role", ["system", "user", "assistant", "function"])
def test_message_without_content_or_function_call_is_refused(role: str) -> None:
    with pytest.raises(ValidationError, match="content is required"):
        Message.model_validate({"role": role})


@pytest.mark.parametrize("role", ["system", "user", "function"])
def test_message_function_call_of_another_role_is_refused(role: str) -> None:
    with pytest.raises(ValidationError, match="function_call is only valid"):
        Message.model_validate({"role": role, "content": "x", "function_call": CALL})


def test_message_function_response_of_a_function_is_allowed() -> None:
    message = Message(role="function", content="x", function_response="[]")
    assert message.function_response == "[]"


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_message_function_response_of_another_role_is_refused(role: str) -> None:
    with pytest.raises(ValidationError, match="function_response is only valid"):
        Message.model_validate({"role": role, "content": "x", "function_response": "[]"})


# FunctionCall


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "q"},
        {"query": "q", "top_k": 1},
        {"query": "q", "top_k": 10, "threshold": 0.0},
        {"query": "q", "threshold": 1.0},
    ],
)
def test_function_call_arguments_in_bounds_are_allowed(arguments: dict[str, Any]) -> None:
    call = FunctionCall(name="retrieve_context", arguments=arguments)
    assert call.arguments == arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": 7},
        {"query": "q", "top_k": 0},
        {"query": "q", "top_k": 11},
        {"query": "q", "threshold": -0.1},
        {"query": "q", "threshold": 1.1},
    ],
)
def test_function_call_arguments_out_of_bounds_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        FunctionCall(name="retrieve_context", arguments=arguments)


def test_function_call_of_another_function_is_refused() -> None:
    with pytest.raises(ValidationError):
        FunctionCall.model_validate(CALL | {"name": "delete_everything"})


# RetrievalResult


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_result_similarity_from_0_to_1_is_allowed(score: float) -> None:
    RetrievalResult.model_validate(RESULT | {"similarity_score": score})


@pytest.mark.parametrize("score", [-0.01, 1.01])
def test_result_similarity_outside_0_to_1_is_refused(score: float) -> None:
    with pytest.raises(ValidationError):
        RetrievalResult.model_validate(RESULT | {"similarity_score": score})


def test_result_chunk_text_must_not_be_empty() -> None:
    with pytest.raises(ValidationError):
        RetrievalResult.model_validate(RESULT | {"chunk_text": ""})


@pytest.mark.parametrize("url", ["http://example.org", "https://example.org/a?b#c"])
def test_result_http_url_is_allowed_and_kept_as_written(url: str) -> None:
    assert RetrievalResult.model_validate(RESULT | {"source_url": url}).source_url == url


@pytest.mark.parametrize("url", ["", "ftp://example.org", "chapter.md", "https://"])
def test_result_url_that_is_not_http_is_refused(url: str) -> None:
    with pytest.raises(ValidationError):
        RetrievalResult.model_validate(RESULT | {"source_url": url})


def test_result_token_count_above_0_is_allowed() -> None:
    RetrievalResult.model_validate(RESULT | {"token_count": 1})


@pytest.mark.parametrize("bad", [{"token_count": 0}, {"chunk_index": -1}])
def test_result_token_count_of_0_is_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        RetrievalResult.model_validate(RESULT | bad)


def test_results_sort_by_descending_similarity() -> None:
    low, high = (
        RetrievalResult.model_validate(RESULT | {"similarity_score": score}) for score in (0.2, 0.9)
    )
    assert sort_results([low, high]) == [high, low]


# ConversationTurn


def test_turn_id_defaults_to_a_uuid() -> None:
    turn = {name: value for name, value in TURN.items() if name != "turn_id"}
    assert UUID(ConversationTurn.model_validate(turn).turn_id)


@pytest.mark.parametrize("query", ["", "  "])
def test_turn_without_a_query_is_refused(query: str) -> None:
    with pytest.raises(ValidationError):
        ConversationTurn.model_validate(TURN | {"user_query": query})


def test_turn_of_the_shortest_duration_is_allowed() -> None:
    ConversationTurn.model_validate(TURN | {"duration_seconds": 1e-9})


@pytest.mark.parametrize("seconds", [0, -1])
def test_turn_without_a_duration_is_refused(seconds: float) -> None:
    with pytest.raises(ValidationError):
        ConversationTurn.model_validate(TURN | {"duration_seconds": seconds})


def test_turn_without_results_and_without_information_is_allowed() -> None:
    empty = {"retrieval_results": [], "agent_response": UNGROUNDED}
    assert ConversationTurn.model_validate(TURN | empty).retrieval_results == []


def test_turn_without_results_but_with_an_answer_is_refused() -> None:
    with pytest.raises(ValidationError, match="no information"):
        ConversationTurn.model_validate(TURN | {"retrieval_results": []})


# AgentResponse


def test_response_answer_must_not_be_empty() -> None:
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(GROUNDED | {"answer": ""})


def test_response_retrieval_count_of_0_is_allowed() -> None:
    AgentResponse.model_validate(GROUNDED | {"retrieval_count": 0})


def test_response_retrieval_count_below_0_is_refused() -> None:
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(GROUNDED | {"retrieval_count": -1})


def test_response_tokens_above_0_are_allowed() -> None:
    AgentResponse.model_validate(GROUNDED | {"tokens_used": 1})


def test_response_tokens_of_0_are_refused() -> None:
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(GROUNDED | {"tokens_used": 0})


def test_ungrounded_response_with_the_phrase_is_allowed() -> None:
    assert not AgentResponse.model_validate(UNGROUNDED).grounded


@pytest.mark.parametrize("change", [{"answer": "No idea."}, {"citations": [RESULT]}])
def test_ungrounded_response_without_the_phrase_or_with_citations_is_refused(
    change: dict[str, Any],
) -> None:
    with pytest.raises(ValidationError, match="ungrounded"):
        AgentResponse.model_validate(UNGROUNDED | change)


def test_grounded_response_with_citations_is_allowed() -> None:
    assert AgentResponse.model_validate(GROUNDED).citations


def test_grounded_response_without_citations_is_refused() -> None:
    with pytest.raises(ValidationError, match="must have citations"):
        AgentResponse.model_validate(GROUNDED | {"citations": []})

"""Document 004, rule by rule and invariant by invariant."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from bythebook.contracts.grounded import (
    REFUSAL_MESSAGES,
    Citation,
    ErrorCode,
    ErrorDetail,
    GroundedAnswer,
    PlannedWorkflow,
    QueryEmbedding,
    QueryRequest,
    QueryResponse,
    RefusalMessage,
    RefusalType,
    ResponseMetadata,
    ResponseStatus,
    RetrievedChunk,
    WorkflowMode,
    plan,
)
from bythebook.contracts.registry import to_json

SESSION_ID = "550e8400-e29b-41d4-a716-446655440000"
PAGE = "https://shumailaaijaz.github.io/physical-ai-textbook/docs/02-ros2-fundamentals"
NOT_IN_BOOK = (
    "The provided book content does not contain sufficient information to answer this question"
)
REQUEST: dict[str, Any] = {
    "query": "How does ROS 2 work?",
    "selected_text": "Nodes in ROS 2 communicate via topics",
    "top_k": 10,
    "session_id": SESSION_ID,
}
WORKFLOW: dict[str, Any] = {
    "mode": "standard_rag",
    "query": "How does ROS 2 work?",
    "top_k": 5,
    "selected_text": None,
}
EMBEDDING: dict[str, Any] = {
    "vector": [0.123, -0.456] * 512,
    "model": "embed-multilingual-v3.0",
    "input_type": "search_query",
}
CHUNK: dict[str, Any] = {
    "chunk_id": "abc123",
    "text": "ROS 2 is the nervous system of modern robots...",
    "chapter": "Chapter 2: ROS 2 Fundamentals",
    "section": "Learning Objectives",
    "source_url": PAGE,
    "similarity_score": 0.672,
}
CITATION: dict[str, Any] = {
    "chapter": "Chapter 2: ROS 2 Fundamentals",
    "section": "Learning Objectives",
    "source_url": PAGE,
    "referenced_text": "ROS 2 is the nervous system of modern robots",
}
ANSWER: dict[str, Any] = {
    "text": "ROS 2 is the nervous system of modern robots, connecting sensors, actuators, and AI "
    "into a unified organism...",
    "citations": [CITATION],
    "mode": "standard_rag",
}
REFUSAL = {"reason": NOT_IN_BOOK, "refusal_type": "empty_retrieval"}
ERROR: dict[str, Any] = {
    "code": "QDRANT_TIMEOUT",
    "message": "The search service is temporarily unavailable. Please try again.",
    "details": "Qdrant connection timeout after 5s",
    "retry_after": None,
}
METADATA = {
    "chunks_retrieved": 5,
    "processing_time_ms": 1200,
    "session_id": None,
    "request_id": SESSION_ID,
}
RESPONSE: dict[str, Any] = {
    "status": "success",
    "answer": ANSWER,
    "refusal": None,
    "error": None,
    "metadata": METADATA,
}
REFUSED = RESPONSE | {"status": "refused", "answer": None, "refusal": REFUSAL}
FAILED = RESPONSE | {"status": "error", "answer": None, "error": ERROR}


@pytest.mark.parametrize(
    ("model", "example"),
    [
        (QueryRequest, REQUEST),
        (QueryRequest, REQUEST | {"selected_text": None, "session_id": None}),
        (PlannedWorkflow, WORKFLOW),
        (QueryEmbedding, EMBEDDING),
        (RetrievedChunk, CHUNK),
        (Citation, CITATION),
        (GroundedAnswer, ANSWER),
        (RefusalMessage, REFUSAL),
        (ErrorDetail, ERROR),
        (ResponseMetadata, METADATA),
        (QueryResponse, RESPONSE),
        (QueryResponse, REFUSED),
        (QueryResponse, FAILED),
    ],
)
def test_004_examples_parse_and_print_the_same_json(model: Any, example: dict[str, Any]) -> None:
    assert json.loads(to_json(model.model_validate(example))) == example


# QueryRequest


def test_request_has_the_documents_defaults() -> None:
    request = QueryRequest(query="Why?")
    assert (request.selected_text, request.top_k, request.session_id) == (None, 5, None)


def test_request_query_is_trimmed() -> None:
    assert QueryRequest(query="  Why?\n").query == "Why?"


@pytest.mark.parametrize(
    "allowed",
    [
        {"query": "x"},
        {"query": "x" * 500},
        {"selected_text": "x" * 10},
        {"selected_text": "x" * 5000},
        {"top_k": 1},
        {"top_k": 20},
    ],
)
def test_request_in_bounds_is_allowed(allowed: dict[str, Any]) -> None:
    QueryRequest.model_validate(REQUEST | allowed)


@pytest.mark.parametrize(
    "bad",
    [
        {"query": ""},
        {"query": "   "},
        {"query": "x" * 501},
        {"selected_text": "x" * 9},
        {"selected_text": "x" * 5001},
        {"top_k": 0},
        {"top_k": 21},
        {"session_id": "abc"},
        {"session_id": "550e8400-e29b-11d4-a716-446655440000"},
    ],
)
def test_request_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        QueryRequest.model_validate(REQUEST | bad)


def test_request_is_immutable() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        QueryRequest(query="Why?").top_k = 7


def test_request_becomes_the_engines_query() -> None:
    request = QueryRequest.model_validate(REQUEST | {"page_url": PAGE})
    query = request.to_query()
    assert (query.text, query.top_k, query.page_url) == ("How does ROS 2 work?", 10, PAGE)
    assert str(query.session_id) == SESSION_ID


# PlannedWorkflow and the planner


@pytest.mark.parametrize(
    ("selected", "mode"),
    [(None, "standard_rag"), ("Nodes communicate via topics", "selected_text_only")],
)
def test_planner_decides_by_the_selected_text(selected: str | None, mode: str) -> None:
    workflow = plan(QueryRequest(query="Why?", selected_text=selected, top_k=7))
    assert workflow.model_dump(mode="json") == {
        "mode": mode,
        "query": "Why?",
        "top_k": 7,
        "selected_text": selected,
    }


@pytest.mark.parametrize(
    ("mode", "selected"),
    [("selected_text_only", None), ("standard_rag", "Nodes communicate via topics")],
)
def test_selected_text_that_does_not_fit_the_mode_is_refused(
    mode: str, selected: str | None
) -> None:
    with pytest.raises(ValidationError, match="selected_text"):
        PlannedWorkflow.model_validate(WORKFLOW | {"mode": mode, "selected_text": selected})


def test_workflow_must_state_its_selected_text() -> None:
    with pytest.raises(ValidationError):
        PlannedWorkflow.model_validate({k: v for k, v in WORKFLOW.items() if k != "selected_text"})


@pytest.mark.parametrize("bad", [{"query": ""}, {"query": "x" * 501}, {"top_k": 0}, {"top_k": 21}])
def test_workflow_keeps_the_bounds_of_the_request(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PlannedWorkflow.model_validate(WORKFLOW | bad)


def test_workflow_modes_are_the_documents() -> None:
    assert [mode.value for mode in WorkflowMode] == ["standard_rag", "selected_text_only"]
    with pytest.raises(ValidationError):
        PlannedWorkflow.model_validate(WORKFLOW | {"mode": "agentic"})


# QueryEmbedding


@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_embedding_of_1024_values_in_range_is_allowed(value: float) -> None:
    QueryEmbedding.model_validate(EMBEDDING | {"vector": [value] * 1024})


@pytest.mark.parametrize(
    "bad",
    [
        {"vector": [0.1] * 1023},
        {"vector": [0.1] * 1025},
        {"vector": [0.1] * 1023 + [1.01]},
        {"vector": [0.1] * 1023 + [-1.01]},
        {"model": "embed-english-v3.0"},
        {"input_type": "search_document"},
    ],
)
def test_embedding_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        QueryEmbedding.model_validate(EMBEDDING | bad)


# RetrievedChunk


@pytest.mark.parametrize(
    "allowed",
    [
        {"similarity_score": 0.0},
        {"similarity_score": 1.0},
        {"text": "x" * 10_000},
        {"chapter": None, "section": None, "source_url": None},
    ],
)
def test_retrieved_chunk_in_bounds_is_allowed(allowed: dict[str, Any]) -> None:
    RetrievedChunk.model_validate(CHUNK | allowed)


@pytest.mark.parametrize(
    "bad",
    [
        {"similarity_score": -0.01},
        {"similarity_score": 1.01},
        {"chunk_id": ""},
        {"text": ""},
        {"text": "x" * 10_001},
        {"source_url": "docs/02"},
    ],
)
def test_retrieved_chunk_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RetrievedChunk.model_validate(CHUNK | bad)


def test_selected_text_chunk_without_metadata_is_allowed() -> None:
    RetrievedChunk(chunk_id="selected_text", text="Nodes", similarity_score=1.0)


@pytest.mark.parametrize("bad", [{"section": "Topics"}, {"similarity_score": 0.9}])
def test_selected_text_chunk_with_metadata_or_another_score_is_refused(
    bad: dict[str, Any],
) -> None:
    given = {"chunk_id": "selected_text", "text": "Nodes", "similarity_score": 1.0}
    with pytest.raises(ValidationError, match="selected_text must have"):
        RetrievedChunk.model_validate(given | bad)


# Citation


@pytest.mark.parametrize("field", ["chapter", "section", "source_url"])
def test_citation_with_one_place_is_allowed(field: str) -> None:
    Citation.model_validate({field: CITATION[field]})


@pytest.mark.parametrize("given", [{}, {"referenced_text": "x"}, {"chapter": "", "section": ""}])
def test_citation_without_a_place_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="at least one of: chapter, section, source_url"):
        Citation.model_validate(given)


def test_citation_referenced_text_of_500_is_allowed_and_more_refused() -> None:
    Citation.model_validate(CITATION | {"referenced_text": "x" * 500})
    with pytest.raises(ValidationError):
        Citation.model_validate(CITATION | {"referenced_text": "x" * 501})


# GroundedAnswer


def test_answer_of_2000_characters_is_allowed() -> None:
    GroundedAnswer.model_validate(ANSWER | {"text": "x" * 2000})


@pytest.mark.parametrize("text", ["", "x" * 2001])
def test_answer_empty_or_longer_than_2000_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        GroundedAnswer.model_validate(ANSWER | {"text": text})


def test_invariant_citation_requirement() -> None:
    assert len(GroundedAnswer.model_validate(ANSWER).citations) == 1
    with pytest.raises(ValidationError, match="at least one citation"):
        GroundedAnswer.model_validate(ANSWER | {"citations": []})


def test_answer_is_immutable() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        GroundedAnswer.model_validate(ANSWER).text = "edited"


# RefusalMessage


def test_refusal_messages_are_the_documents_byte_for_byte() -> None:
    assert {kind.value: message for kind, message in REFUSAL_MESSAGES.items()} == {
        "empty_retrieval": NOT_IN_BOOK,
        "low_relevance": NOT_IN_BOOK,
        "insufficient_grounding": NOT_IN_BOOK,
        "selected_text_missing": "The selected text does not contain this information",
    }


@pytest.mark.parametrize("kind", list(RefusalType))
def test_invariant_refusal_standardization_allows_the_standard_message(kind: RefusalType) -> None:
    RefusalMessage(reason=REFUSAL_MESSAGES[kind], refusal_type=kind)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (NOT_IN_BOOK + ".", "empty_retrieval"),
        ("Sorry", "low_relevance"),
        (NOT_IN_BOOK, "selected_text_missing"),
        ("The selected text does not contain this information", "insufficient_grounding"),
        (NOT_IN_BOOK, "tired"),
    ],
)
def test_invariant_refusal_standardization_refuses_others(reason: str, kind: str) -> None:
    with pytest.raises(ValidationError):
        RefusalMessage.model_validate({"reason": reason, "refusal_type": kind})


# QueryResponse


@pytest.mark.parametrize("given", [RESPONSE, REFUSED, FAILED])
def test_invariant_exclusive_response_allows_the_part_its_status_names(
    given: dict[str, Any],
) -> None:
    assert QueryResponse.model_validate(given).status is ResponseStatus(given["status"])


@pytest.mark.parametrize(
    "given",
    [
        RESPONSE | {"answer": None},
        REFUSED | {"refusal": None},
        FAILED | {"error": None},
        RESPONSE | {"status": "refused"},
        RESPONSE | {"status": "error"},
        REFUSED | {"status": "success"},
        RESPONSE | {"refusal": REFUSAL},
        RESPONSE | {"error": ERROR},
        RESPONSE | {"refusal": REFUSAL, "error": ERROR},
        RESPONSE | {"status": "maybe"},
    ],
)
def test_invariant_exclusive_response_refuses_any_other(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        QueryResponse.model_validate(given)


@pytest.mark.parametrize(
    "bad", [{"chunks_retrieved": -1}, {"processing_time_ms": -1}, {"request_id": "x"}]
)
def test_metadata_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ResponseMetadata.model_validate(METADATA | bad)


def test_metadata_session_id_may_be_missing() -> None:
    given = {name: value for name, value in METADATA.items() if name != "session_id"}
    assert ResponseMetadata.model_validate(given).session_id is None


# ErrorDetail


def test_error_codes_are_the_documents() -> None:
    assert [code.value for code in ErrorCode] == [
        "QDRANT_TIMEOUT",
        "COHERE_FAILURE",
        "OPENROUTER_TIMEOUT",
        "VALIDATION_FAILED",
        "RATE_LIMIT_EXCEEDED",
    ]


@pytest.mark.parametrize(
    "allowed",
    [{"message": "x" * 200}, {"details": "x" * 500}, {"details": None}, {"retry_after": 0}],
)
def test_error_in_bounds_is_allowed(allowed: dict[str, Any]) -> None:
    ErrorDetail.model_validate(ERROR | allowed)


@pytest.mark.parametrize(
    "bad",
    [
        {"message": ""},
        {"message": "x" * 201},
        {"details": "x" * 501},
        {"retry_after": -1},
        {"code": "TIRED"},
    ],
)
def test_error_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ErrorDetail.model_validate(ERROR | bad)

"""Document 002, rule by rule; it has no JSON examples, so one value of each kind stands here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from bythebook.contracts import search
from bythebook.contracts.search import (
    AgentError,
    AgentQuery,
    AgentResponse,
    ResultSet,
    SearchResult,
    SourceCitation,
)

RESULT: dict[str, Any] = {
    "score": 0.82,
    "content": "ROS 2 nodes communicate over topics.",
    "source_url": "https://example.org/docs/module-1-ros2/topics",
    "section_title": "Topics",
    "chunk_id": "chunk-1",
    "chapter": "module-1-ros2",
    "page_title": "Nodes and Topics",
    "position": 3,
    "content_hash": "0cc175b9c0f1b6a831c399e269772661",
}
RESULT_SET: dict[str, Any] = {
    "query": "What is a topic?",
    "results": [RESULT],
    "total_count": 1,
    "query_time_ms": 12.5,
    "search_time_ms": 3.5,
    "total_time_ms": 16.0,
}
CITATION = {
    "chapter": "module-1-ros2",
    "section": "Topics",
    "url": "https://example.org/docs/module-1-ros2/topics",
    "relevance_score": 0.82,
}
RESPONSE: dict[str, Any] = {
    "answer": "Nodes communicate over topics.",
    "sources": [CITATION],
    "has_relevant_context": True,
    "retrieval_time_ms": 16.0,
    "generation_time_ms": 800.0,
    "total_time_ms": 816.0,
}
ERROR = {"error_type": "retrieval", "message": "Try again.", "details": "timeout after 5 s"}


@pytest.mark.parametrize(
    ("model", "example"),
    [
        (SearchResult, RESULT),
        (ResultSet, RESULT_SET),
        (AgentQuery, {"text": "Why?", "top_k": 5, "relevance_threshold": 0.5}),
        (SourceCitation, CITATION),
        (AgentResponse, RESPONSE),
        (AgentError, ERROR),
    ],
)
def test_002_values_parse_and_print_the_same_json(model: Any, example: dict[str, Any]) -> None:
    assert json.loads(model.model_validate(example).model_dump_json()) == example


def test_002_constants_are_the_documents() -> None:
    assert search.DEFAULT_TOP_K == 5
    assert search.DEFAULT_RELEVANCE_THRESHOLD == 0.5
    assert search.MAX_TOP_K == 20
    assert search.MAX_QUERY_LENGTH == 2000
    assert search.COLLECTION_NAME == "physical-ai-textbook"


# SearchResult


@pytest.mark.parametrize(
    "allowed",
    [{"score": 0.0}, {"score": 1.0}, {"content": "x"}, {"source_url": "http://a"}],
)
def test_search_result_in_bounds_is_allowed(allowed: dict[str, Any]) -> None:
    SearchResult.model_validate(RESULT | allowed)


@pytest.mark.parametrize(
    "bad",
    [
        {"score": -0.01},
        {"score": 1.01},
        {"content": ""},
        {"source_url": "not a url"},
        {"source_url": ""},
        {"chunk_id": ""},
        {"position": -1},
    ],
)
def test_search_result_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SearchResult.model_validate(RESULT | bad)


# AgentQuery


def test_agent_query_has_the_documents_defaults() -> None:
    query = AgentQuery(text="Why?")
    assert (query.top_k, query.relevance_threshold) == (5, 0.5)


@pytest.mark.parametrize(
    "allowed",
    [
        {"text": "x" * 2000},
        {"top_k": 1},
        {"top_k": 20},
        {"relevance_threshold": 0.0},
        {"relevance_threshold": 1.0},
    ],
)
def test_agent_query_in_bounds_is_allowed(allowed: dict[str, Any]) -> None:
    AgentQuery.model_validate({"text": "Why?"} | allowed)


@pytest.mark.parametrize(
    "bad",
    [
        {"text": ""},
        {"text": " \n\t"},
        {"text": "x" * 2001},
        {"top_k": 0},
        {"top_k": 21},
        {"relevance_threshold": -0.1},
        {"relevance_threshold": 1.1},
    ],
)
def test_agent_query_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AgentQuery.model_validate({"text": "Why?"} | bad)


# AgentResponse


def test_agent_response_answer_must_not_be_empty() -> None:
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(RESPONSE | {"answer": ""})


def test_sources_may_be_empty_without_relevant_context() -> None:
    AgentResponse.model_validate(RESPONSE | {"sources": [], "has_relevant_context": False})


def test_sources_may_not_be_empty_with_relevant_context() -> None:
    with pytest.raises(ValidationError, match="sources may be empty only"):
        AgentResponse.model_validate(RESPONSE | {"sources": []})


@pytest.mark.parametrize("field", ["retrieval_time_ms", "generation_time_ms", "total_time_ms"])
def test_times_of_zero_are_allowed_and_below_zero_refused(field: str) -> None:
    AgentResponse.model_validate(RESPONSE | {field: 0})
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(RESPONSE | {field: -0.1})


@pytest.mark.parametrize(
    "field", ["query_time_ms", "search_time_ms", "total_time_ms", "total_count"]
)
def test_result_set_times_below_zero_are_refused(field: str) -> None:
    with pytest.raises(ValidationError):
        ResultSet.model_validate(RESULT_SET | {field: -1})


# AgentError


@pytest.mark.parametrize("kind", ["validation", "retrieval", "generation", "no_context"])
def test_error_types_of_the_document_are_allowed(kind: str) -> None:
    assert AgentError.model_validate({"error_type": kind, "message": "m"}).details is None


def test_error_type_not_in_the_document_is_refused() -> None:
    with pytest.raises(ValidationError):
        AgentError.model_validate(ERROR | {"error_type": "weather"})

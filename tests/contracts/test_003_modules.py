"""Document 003, rule by rule; it has no JSON examples, so one value of each kind stands here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from bythebook.contracts.modules import (
    AgentConfig,
    AgentResponse,
    Citation,
    Query,
    RetrievalContext,
    SearchResult,
    build_prompt,
    confidence_of,
)

RESULT: dict[str, Any] = {
    "text": "Nodes communicate over topics.",
    "score": 0.82,
    "page_title": "Nodes and Topics",
    "page_url": "https://example.org/ros2/topics",
    "module_name": "ros2",
    "chunk_index": 0,
}
CONTEXT: dict[str, Any] = {
    "query": "What is a topic?",
    "chunks": [RESULT, RESULT | {"page_title": "Messages", "text": "A topic has a type."}],
    "total_found": 2,
    "query_time_ms": 20.5,
    "has_relevant_results": True,
}
CITATION = {
    "page_title": "Nodes and Topics",
    "page_url": "https://example.org/ros2/topics",
    "module_name": "ros2",
}
RESPONSE: dict[str, Any] = {
    "answer": "Nodes communicate over topics [Source: Nodes and Topics].",
    "citations": [CITATION],
    "query": "What is a topic?",
    "retrieval_time_ms": 20.5,
    "generation_time_ms": 700.0,
    "total_time_ms": 720.5,
    "confidence": "high",
    "error": None,
}
CONFIG = {
    "model": "gpt-4o-mini",
    "temperature": 0.1,
    "top_k": 5,
    "min_relevance_score": 0.3,
}


@pytest.mark.parametrize(
    ("model", "example"),
    [
        (Query, {"text": "Why?", "top_k": 5, "module_filter": "ros2"}),
        (SearchResult, RESULT),
        (RetrievalContext, CONTEXT),
        (Citation, CITATION),
        (AgentResponse, RESPONSE),
        (AgentConfig, CONFIG),
    ],
)
def test_003_values_parse_and_print_the_same_json(model: Any, example: dict[str, Any]) -> None:
    assert json.loads(model.model_validate(example).model_dump_json()) == example


# Query


def test_modules_query_has_the_documents_defaults() -> None:
    query = Query(text="Why?")
    assert (query.top_k, query.module_filter) == (5, None)


@pytest.mark.parametrize("text", ["", "  \n"])
def test_modules_query_text_empty_or_blank_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        Query(text=text)


@pytest.mark.parametrize("top_k", [1, 100])
def test_modules_top_k_from_1_to_100_is_allowed(top_k: int) -> None:
    assert Query(text="Why?", top_k=top_k).top_k == top_k


@pytest.mark.parametrize("top_k", [0, 101])
def test_modules_top_k_outside_1_to_100_is_refused(top_k: int) -> None:
    with pytest.raises(ValidationError):
        Query(text="Why?", top_k=top_k)


@pytest.mark.parametrize("name", ["intro", "ros2", "simulation", "isaac", "vla"])
def test_module_filter_of_the_document_is_allowed(name: str) -> None:
    assert Query(text="Why?", module_filter=name).module_filter == name


@pytest.mark.parametrize("name", ["", "astrology", "ROS2"])
def test_module_filter_that_is_no_module_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="module_filter must be one of: intro, ros2"):
        Query(text="Why?", module_filter=name)


def test_module_filter_follows_the_modules_of_another_book() -> None:
    given = {"text": "Why?", "module_filter": "optics"}
    context = {"modules": ["optics", "waves"]}
    assert Query.model_validate(given, context=context).module_filter == "optics"
    with pytest.raises(ValidationError, match="optics, waves"):
        Query.model_validate(given | {"module_filter": "ros2"}, context=context)


# SearchResult and RetrievalContext


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_modules_score_from_0_to_1_is_allowed(score: float) -> None:
    SearchResult.model_validate(RESULT | {"score": score})


@pytest.mark.parametrize("bad", [{"score": -0.01}, {"score": 1.01}, {"chunk_index": -1}])
def test_modules_score_outside_0_to_1_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        SearchResult.model_validate(RESULT | bad)


@pytest.mark.parametrize("bad", [{"total_found": -1}, {"query_time_ms": -0.1}])
def test_context_counts_below_zero_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        RetrievalContext.model_validate(CONTEXT | bad)


@pytest.mark.parametrize(
    ("scores", "relevant"),
    [([0.3], True), ([0.299], False), ([], False), ([0.1, 0.9], True)],
)
def test_context_is_relevant_when_a_chunk_reaches_three_tenths(
    scores: list[float], relevant: bool
) -> None:
    chunks = [RESULT | {"score": score} for score in scores]
    context = RetrievalContext.model_validate(CONTEXT | {"chunks": chunks})
    assert context.has_relevant_results is relevant


# Citation and AgentResponse


def test_citation_without_a_url_is_allowed() -> None:
    assert Citation(page_title="Topics", module_name="ros2").page_url is None


@pytest.mark.parametrize("missing", ["page_title", "module_name"])
def test_citation_without_title_or_module_is_refused(missing: str) -> None:
    with pytest.raises(ValidationError):
        Citation.model_validate({k: v for k, v in CITATION.items() if k != missing})


@pytest.mark.parametrize(
    ("top", "name"),
    [(0.3, "high"), (1.0, "high"), (0.299, "low"), (0.001, "low"), (None, "none")],
)
def test_confidence_follows_the_top_score(top: float | None, name: str) -> None:
    assert confidence_of(top) == name


def test_confidence_not_in_the_document_is_refused() -> None:
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(RESPONSE | {"confidence": "medium"})


def test_response_error_defaults_to_none() -> None:
    given = {name: value for name, value in RESPONSE.items() if name != "error"}
    assert AgentResponse.model_validate(given).error is None


# AgentConfig


def test_config_has_the_documents_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    config = AgentConfig()
    assert config.model_dump() == CONFIG
    assert config.openai_api_key == "from-the-environment"


def test_config_never_prints_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    config = AgentConfig()
    assert "from-the-environment" not in repr(config) + config.model_dump_json()


@pytest.mark.parametrize(
    "bad",
    [
        {"top_k": 0},
        {"top_k": 101},
        {"min_relevance_score": 1.1},
        {"temperature": -1},
        {"temperature": 2.1},
    ],
)
def test_config_out_of_bounds_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AgentConfig.model_validate(bad)


# The prompt


def test_prompt_is_the_documents_to_the_letter() -> None:
    assert build_prompt(RetrievalContext.model_validate(CONTEXT)) == (
        "\n"
        "You are an expert assistant for the Physical AI & Robotics book.\n"
        "\n"
        "RULES:\n"
        "1. ONLY answer using the CONTEXT provided below\n"
        "2. If the answer is not in the CONTEXT, say "
        '"I couldn\'t find that information in the book"\n'
        "3. ALWAYS cite your sources using [Source: Page Title] format\n"
        "4. Be concise and accurate\n"
        "\n"
        "CONTEXT:\n"
        "[1] Nodes and Topics\nNodes communicate over topics.\n\n"
        "[2] Messages\nA topic has a type.\n"
        "\n"
        "USER QUESTION: What is a topic?\n"
    )

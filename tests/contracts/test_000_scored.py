"""Document 000, rule by rule: what is allowed and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError

from bythebook.contracts.scored import (
    AgentResponse,
    ChunkMetadata,
    ConfidenceScore,
    Query,
    ResponseMetadata,
    ResponseStatus,
    RetrievalParameters,
    RetrievalResult,
    SourceReference,
    TextChunk,
)

QUERY = {
    "text": "What is inverse kinematics in humanoid robotics?",
    "timestamp": "2025-12-12T10:30:00Z",
    "query_id": "550e8400-e29b-41d4-a716-446655440000",
    "metadata": {"session_id": "abc123"},
}
CHUNK: dict[str, Any] = {
    "chunk_id": "chunk_1234",
    "text": "Inverse kinematics (IK) is the mathematical process of calculating the variable "
    "joint parameters needed to place the end of a kinematic chain...",
    "vector": None,
    "metadata": {
        "page_number": 42,
        "section_title": "Inverse Kinematics Fundamentals",
        "chapter": "Chapter 3: Motion Control",
        "url": "https://physical-ai-humanoid-robotics-textb-dun.vercel.app/chapter-3",
        "chunk_index": 15,
    },
    "similarity_score": 0.89,
}
PARAMETERS = {
    "top_k": 5,
    "score_threshold": 0.7,
    "collection_name": "humanoid_robotics_textbook",
    "embedding_model": "embed-english-v3.0",
}
RETRIEVAL: dict[str, Any] = {
    "query": QUERY,
    "chunks": [
        CHUNK,
        CHUNK | {"chunk_id": "chunk_5678", "similarity_score": 0.82},
        CHUNK | {"chunk_id": "chunk_9012", "similarity_score": 0.76},
    ],
    "retrieval_time_ms": 245.3,
    "total_candidates": 1500,
    "filtered_count": 12,
    "parameters": PARAMETERS,
}
METADATA = {
    "model": "gpt-4-turbo-preview",
    "temperature": 0.2,
    "total_time_ms": 1850.5,
    "retrieval_time_ms": 245.3,
    "generation_time_ms": 1605.2,
    "tokens_used": 450,
    "timestamp": "2025-12-12T10:30:02Z",
}
SOURCE: dict[str, Any] = {
    "chunk_id": "chunk_1234",
    "citation_index": 1,
    "relevance_score": 0.89,
    "excerpt": "Inverse kinematics (IK) is the mathematical process...",
    "metadata": {
        "page_number": 42,
        "section_title": "IK Fundamentals",
        "chapter": "Chapter 3: Motion Control",
        "url": "https://physical-ai-humanoid-robotics-textb-dun.vercel.app/chapter-3",
        "chunk_index": 15,
    },
}
SUCCESS: dict[str, Any] = {
    "query_id": "550e8400-e29b-41d4-a716-446655440000",
    "status": "success",
    "answer": "Inverse kinematics (IK) is the mathematical process of calculating the variable "
    "joint parameters needed to place the end of a kinematic chain, such as a robot manipulator, "
    "in a desired position and orientation [1]. In humanoid robotics, IK is essential for "
    "computing joint angles that achieve specific end-effector poses [2].",
    "confidence": {
        "retrieval_quality": 0.89,
        "coverage_score": 0.85,
        "entailment_score": 0.92,
        "lexical_overlap": 0.78,
        "overall": 0.87,
        "level": "high",
    },
    "sources": [SOURCE],
    "metadata": METADATA,
    "error_message": None,
}
INSUFFICIENT: dict[str, Any] = {
    "query_id": "550e8400-e29b-41d4-a716-446655440001",
    "status": "insufficient_context",
    "answer": None,
    "confidence": {
        "retrieval_quality": 0.45,
        "coverage_score": 0.0,
        "entailment_score": 0.0,
        "lexical_overlap": 0.0,
        "overall": 0.16,
        "level": "low",
    },
    "sources": [],
    "metadata": METADATA
    | {
        "total_time_ms": 280.1,
        "retrieval_time_ms": 280.1,
        "generation_time_ms": 0.0,
        "tokens_used": 0,
        "timestamp": "2025-12-12T10:35:00Z",
    },
    "error_message": "I cannot find sufficient information in the provided textbook content to "
    "answer this question. The most relevant chunks found had similarity scores below the 0.7 "
    "threshold.",
}


@pytest.mark.parametrize(
    ("model", "example"),
    [
        (Query, QUERY),
        (TextChunk, CHUNK),
        (ChunkMetadata, CHUNK["metadata"]),
        (RetrievalParameters, PARAMETERS),
        (RetrievalResult, RETRIEVAL),
        (SourceReference, SOURCE),
        (ResponseMetadata, METADATA),
        (AgentResponse, SUCCESS),
        (
            AgentResponse,
            SUCCESS | {"sources": [SOURCE, SOURCE | {"chunk_id": 5678, "citation_index": 2}]},
        ),
        (AgentResponse, INSUFFICIENT),
    ],
)
def test_000_examples_parse_and_print_the_same_json(model: Any, example: dict[str, Any]) -> None:
    assert json.loads(model.model_validate(example).model_dump_json()) == example


# Query


@pytest.mark.parametrize("length", [1, 500])
def test_query_text_of_1_to_500_characters_is_allowed(length: int) -> None:
    assert len(Query(text="x" * length).text) == length


@pytest.mark.parametrize("text", ["", "   ", "x" * 501])
def test_query_text_empty_or_longer_than_500_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        Query(text=text)


def test_query_timestamp_defaults_to_now_in_utc() -> None:
    stamp = Query(text="Why?").timestamp
    assert stamp.tzinfo is UTC
    assert datetime.now(UTC) - stamp < timedelta(minutes=1)


def test_query_times_print_in_utc_with_a_z() -> None:
    naive = Query(text="Why?", timestamp=datetime(2025, 12, 12, 10, 30))  # noqa: DTZ001
    abroad = datetime(2025, 12, 12, 12, 30, tzinfo=timezone(timedelta(hours=2)))
    for query in (naive, Query(text="Why?", timestamp=abroad)):
        assert json.loads(query.model_dump_json())["timestamp"] == "2025-12-12T10:30:00Z"


def test_query_timestamp_that_is_no_time_is_refused() -> None:
    with pytest.raises(ValidationError):
        Query.model_validate({"text": "Why?", "timestamp": "yesterday"})


def test_query_id_is_a_new_uuid4() -> None:
    first, second = Query(text="Why?").query_id, Query(text="Why?").query_id
    assert UUID(first).version == UUID(second).version == 4
    assert first != second


def test_query_and_chunk_are_immutable() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Query(text="Why?").text = "How?"
    with pytest.raises(ValidationError, match="frozen"):
        TextChunk.model_validate(CHUNK).text = "edited"
    with pytest.raises(ValidationError, match="frozen"):
        TextChunk.model_validate(CHUNK).metadata.url = "edited"


# TextChunk


@pytest.mark.parametrize("chunk_id", ["chunk_1", 7])
def test_chunk_id_text_or_number_is_allowed(chunk_id: str | int) -> None:
    assert TextChunk.model_validate(CHUNK | {"chunk_id": chunk_id}).chunk_id == chunk_id


def test_chunk_ids_that_repeat_are_refused() -> None:
    with pytest.raises(ValidationError, match="unique"):
        RetrievalResult.model_validate(RETRIEVAL | {"chunks": [CHUNK, CHUNK]})


def test_chunk_text_must_not_be_empty() -> None:
    with pytest.raises(ValidationError):
        TextChunk.model_validate(CHUNK | {"text": ""})


def test_chunk_vector_of_1024_dimensions_is_allowed() -> None:
    assert TextChunk.model_validate(CHUNK | {"vector": [0.5] * 1024}).vector == [0.5] * 1024


@pytest.mark.parametrize("length", [0, 384, 1023, 1025])
def test_chunk_vector_of_other_dimensions_is_refused(length: int) -> None:
    with pytest.raises(ValidationError):
        TextChunk.model_validate(CHUNK | {"vector": [0.5] * length})


@pytest.mark.parametrize("score", [None, 0.0, 1.0])
def test_chunk_similarity_from_0_to_1_is_allowed(score: float | None) -> None:
    assert TextChunk.model_validate(CHUNK | {"similarity_score": score}).similarity_score == score


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan")])
def test_chunk_similarity_outside_0_to_1_is_refused(score: float) -> None:
    with pytest.raises(ValidationError):
        TextChunk.model_validate(CHUNK | {"similarity_score": score})


def test_missing_optional_fields_are_none() -> None:
    chunk = TextChunk.model_validate({"chunk_id": 1, "text": "x", "metadata": {}})
    assert chunk.vector is None
    assert chunk.similarity_score is None
    assert set(chunk.metadata.model_dump().values()) == {None}


# RetrievalResult


def test_retrieval_parameters_have_the_documents_defaults() -> None:
    parameters = RetrievalParameters(collection_name="book")
    assert parameters.model_dump() == PARAMETERS | {"collection_name": "book"}
    for bad in ({}, {"collection_name": "book", "top_k": 0}):
        with pytest.raises(ValidationError):
            RetrievalParameters.model_validate(bad)


def test_retrieval_chunks_in_descending_order_are_allowed() -> None:
    assert len(RetrievalResult.model_validate(RETRIEVAL).chunks) == 3


def test_retrieval_chunks_out_of_order_are_refused() -> None:
    with pytest.raises(ValidationError, match="descending"):
        RetrievalResult.model_validate(RETRIEVAL | {"chunks": RETRIEVAL["chunks"][::-1]})


def test_retrieval_chunk_at_the_threshold_is_allowed() -> None:
    RetrievalResult.model_validate(RETRIEVAL | {"chunks": [CHUNK | {"similarity_score": 0.7}]})


@pytest.mark.parametrize("score", [0.69, None])
def test_retrieval_chunk_below_the_threshold_is_refused(score: float | None) -> None:
    with pytest.raises(ValidationError, match="score_threshold"):
        RetrievalResult.model_validate(
            RETRIEVAL | {"chunks": [CHUNK | {"similarity_score": score}]}
        )


def test_retrieval_chunks_up_to_top_k_are_allowed() -> None:
    RetrievalResult.model_validate(RETRIEVAL | {"parameters": PARAMETERS | {"top_k": 3}})


def test_retrieval_of_more_chunks_than_top_k_is_refused() -> None:
    with pytest.raises(ValidationError, match="top_k"):
        RetrievalResult.model_validate(RETRIEVAL | {"parameters": PARAMETERS | {"top_k": 2}})


def test_retrieval_time_of_zero_is_allowed() -> None:
    RetrievalResult.model_validate(RETRIEVAL | {"retrieval_time_ms": 0})


@pytest.mark.parametrize("field", ["retrieval_time_ms", "total_candidates", "filtered_count"])
def test_retrieval_time_below_zero_is_refused(field: str) -> None:
    with pytest.raises(ValidationError):
        RetrievalResult.model_validate(RETRIEVAL | {field: -1})


# ConfidenceScore


@pytest.mark.parametrize(
    ("factor", "overall", "level"),
    [(1.0, 1.0, "high"), (0.8, 0.8, "high"), (0.6, 0.6, "medium"), (0.0, 0.0, "low")],
)
def test_confidence_levels_begin_at_exactly_six_and_eight_tenths(
    factor: float, overall: float, level: str
) -> None:
    score = ConfidenceScore(
        retrieval_quality=factor,
        coverage_score=factor,
        entailment_score=factor,
        lexical_overlap=factor,
    )
    assert (score.overall, score.level) == (overall, level)


@pytest.mark.parametrize(("quality", "level"), [(0.799, "medium"), (0.599, "low")])
def test_confidence_just_below_a_level_never_prints_as_if_it_reached_it(
    quality: float, level: str
) -> None:
    score = ConfidenceScore(
        retrieval_quality=quality,
        coverage_score=quality,
        entailment_score=quality,
        lexical_overlap=quality,
    )
    printed = json.loads(score.model_dump_json())
    assert printed["level"] == level
    assert printed["overall"] == quality


@pytest.mark.parametrize("bad", [-0.1, 1.1])
def test_confidence_factor_outside_0_to_1_is_refused(bad: float) -> None:
    with pytest.raises(ValidationError):
        ConfidenceScore(
            retrieval_quality=bad, coverage_score=0, entailment_score=0, lexical_overlap=0
        )


# AgentResponse


def test_status_values_are_the_documents() -> None:
    assert [status.value for status in ResponseStatus] == [
        "success",
        "insufficient_context",
        "error",
    ]
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(SUCCESS | {"status": "partial"})


def test_success_with_answer_and_sources_is_allowed() -> None:
    assert AgentResponse.model_validate(SUCCESS).status is ResponseStatus.SUCCESS


@pytest.mark.parametrize("missing", [{"answer": None, "sources": []}, {"sources": []}])
def test_success_without_answer_or_sources_is_refused(missing: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="answer and at least one source"):
        AgentResponse.model_validate(SUCCESS | missing)


def test_insufficient_context_with_a_message_is_allowed() -> None:
    assert AgentResponse.model_validate(INSUFFICIENT).answer is None


@pytest.mark.parametrize("change", [{"answer": "Perhaps."}, {"error_message": None}])
def test_insufficient_context_with_an_answer_or_no_message_is_refused(
    change: dict[str, Any],
) -> None:
    with pytest.raises(ValidationError):
        AgentResponse.model_validate(INSUFFICIENT | change)


def test_error_with_a_message_is_allowed() -> None:
    AgentResponse.model_validate(INSUFFICIENT | {"status": "error", "error_message": "down"})


@pytest.mark.parametrize("message", [None, ""])
def test_error_without_a_message_is_refused(message: str | None) -> None:
    with pytest.raises(ValidationError, match="error_message"):
        AgentResponse.model_validate(INSUFFICIENT | {"status": "error", "error_message": message})


def test_citation_index_in_the_answer_is_allowed() -> None:
    AgentResponse.model_validate(SUCCESS | {"sources": [SOURCE | {"citation_index": 2}]})


@pytest.mark.parametrize("index", [0, 3])
def test_citation_index_not_in_the_answer_is_refused(index: int) -> None:
    with pytest.raises(ValidationError, match="citation_index"):
        AgentResponse.model_validate(SUCCESS | {"sources": [SOURCE | {"citation_index": index}]})


@pytest.mark.parametrize("temperature", [0.1, 0.3])
def test_temperature_from_one_to_three_tenths_is_allowed(temperature: float) -> None:
    ResponseMetadata.model_validate(METADATA | {"temperature": temperature})


@pytest.mark.parametrize("temperature", [0.0, 0.31])
def test_temperature_outside_one_to_three_tenths_is_refused(temperature: float) -> None:
    with pytest.raises(ValidationError):
        ResponseMetadata.model_validate(METADATA | {"temperature": temperature})


def test_tokens_below_zero_and_a_citation_index_of_zero_are_refused() -> None:
    with pytest.raises(ValidationError):
        ResponseMetadata.model_validate(METADATA | {"tokens_used": -1})
    with pytest.raises(ValidationError):
        SourceReference.model_validate(SOURCE | {"citation_index": 0})

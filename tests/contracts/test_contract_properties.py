"""The numeric rules, for any numbers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bythebook.contracts import grounded, modules, scored, search, session

scores = st.floats(min_value=0, max_value=1)
milliseconds = st.floats(min_value=0, max_value=1e9)
texts = st.text(min_size=1, max_size=80).filter(lambda text: bool(text.strip()))
times = st.datetimes(min_value=datetime(1970, 1, 2), timezones=st.just(UTC))  # noqa: DTZ001  # hypothesis adds the zone

confidences = st.builds(
    scored.ConfidenceScore,
    retrieval_quality=scores,
    coverage_score=scores,
    entailment_score=scores,
    lexical_overlap=scores,
)


@given(confidences)
def test_overall_is_the_weighted_sum_and_lies_in_0_to_1(score: scored.ConfidenceScore) -> None:
    expected = (
        0.35 * score.retrieval_quality
        + 0.25 * score.coverage_score
        + 0.25 * score.entailment_score
        + 0.15 * score.lexical_overlap
    )
    assert score.overall == pytest.approx(expected, abs=1e-9)
    assert 0.0 <= score.overall <= 1.0


@given(confidences)
def test_level_follows_overall_at_exactly_six_and_eight_tenths(
    score: scored.ConfidenceScore,
) -> None:
    expected = "high" if score.overall >= 0.8 else "medium" if score.overall >= 0.6 else "low"
    assert score.level == expected


@given(confidences)
def test_printed_overall_has_the_printed_level(score: scored.ConfidenceScore) -> None:
    printed = score.model_dump()
    level = (
        "high" if printed["overall"] >= 0.8 else "medium" if printed["overall"] >= 0.6 else "low"
    )
    assert printed["level"] == level
    assert printed["overall"] == pytest.approx(score.overall, abs=0.005001)


@given(st.integers(min_value=1, max_value=100), st.lists(texts, max_size=130))
def test_history_is_never_longer_than_max_history_and_the_system_stays_first(
    max_history: int, said: list[str]
) -> None:
    chat = session.AgentSession.start("gpt-4", "system", max_history=max_history)
    for text in said:
        chat.add(session.Message(role="user", content=text))
        assert len(chat.conversation_history) <= max_history
        assert chat.conversation_history[0].role == "system"
    kept = [message.content for message in chat.conversation_history[1:]]
    assert kept == said[len(said) - len(kept) :]
    assert len(kept) == min(len(said), max_history - 1)


@given(st.sampled_from(list(grounded.ResponseStatus)), st.booleans(), st.booleans(), st.booleans())
def test_a_response_has_exactly_one_of_answer_refusal_and_error(
    status: grounded.ResponseStatus, has_answer: bool, has_refusal: bool, has_error: bool
) -> None:
    citation = {"section": "Topics"}
    parts: dict[str, Any] = {
        "answer": {"text": "x", "citations": [citation], "mode": "standard_rag"},
        "refusal": {
            "reason": "The selected text does not contain this information",
            "refusal_type": "selected_text_missing",
        },
        "error": {"code": "QDRANT_TIMEOUT", "message": "x"},
    }
    present = dict(zip(parts, (has_answer, has_refusal, has_error), strict=True))
    metadata = {"chunks_retrieved": 0, "processing_time_ms": 0, "request_id": UUID(int=4)}
    envelope: dict[str, Any] = {"status": status, "metadata": metadata}
    envelope |= {name: parts[name] if there else None for name, there in present.items()}
    names = {"success": "answer", "refused": "refusal", "error": "error"}
    if [name for name, there in present.items() if there] == [names[status.value]]:
        grounded.QueryResponse.model_validate(envelope)
        return
    with pytest.raises(ValidationError):
        grounded.QueryResponse.model_validate(envelope)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_score_is_accepted_only_in_0_to_1(score: float) -> None:
    def build() -> grounded.RetrievedChunk:
        return grounded.RetrievedChunk(chunk_id="a", text="b", similarity_score=score)

    if 0.0 <= score <= 1.0:
        assert build().similarity_score == score
        return
    with pytest.raises(ValidationError):
        build()


@given(st.lists(scores, max_size=8), scores)
def test_a_retrieval_result_holds_only_sorted_chunks_above_its_threshold(
    given_scores: list[float], threshold: float
) -> None:
    chunks = [
        scored.TextChunk(
            chunk_id=number, text="x", metadata=scored.ChunkMetadata(), similarity_score=score
        )
        for number, score in enumerate(given_scores)
    ]

    def build() -> scored.RetrievalResult:
        return scored.RetrievalResult(
            query=scored.Query(text="Why?"),
            chunks=chunks,
            retrieval_time_ms=0,
            total_candidates=9,
            filtered_count=len(chunks),
            parameters=scored.RetrievalParameters(
                top_k=5, score_threshold=threshold, collection_name="book"
            ),
        )

    is_sorted = given_scores == sorted(given_scores, reverse=True)
    if is_sorted and len(chunks) <= 5 and all(score >= threshold for score in given_scores):
        assert len(build().chunks) == len(chunks)
        return
    with pytest.raises(ValidationError):
        build()


results = st.builds(
    session.RetrievalResult,
    chunk_id=texts,
    chunk_text=texts,
    similarity_score=scores,
    source_url=st.just("https://example.org/a"),
    chapter_id=texts,
    module_name=texts,
    heading_hierarchy=st.lists(texts, max_size=3),
    token_count=st.integers(min_value=1, max_value=9999),
    chunk_index=st.integers(min_value=0, max_value=9999),
)
VALUES = st.one_of(
    confidences,
    st.builds(scored.Query, text=texts, timestamp=times, query_id=texts, metadata=st.none()),
    results,
    st.builds(session.Message, role=st.just("user"), content=texts, timestamp=times),
    st.builds(
        session.AgentResponse,
        answer=texts,
        citations=st.lists(results, min_size=1, max_size=2),
        retrieval_count=st.integers(min_value=0, max_value=99),
        model_used=texts,
        tokens_used=st.integers(min_value=1, max_value=9999),
        grounded=st.just(True),
        timestamp=times,
    ),
    st.builds(
        search.AgentQuery,
        text=texts,
        top_k=st.integers(min_value=1, max_value=20),
        relevance_threshold=scores,
    ),
    st.builds(
        search.SourceCitation, chapter=texts, section=texts, url=texts, relevance_score=scores
    ),
    st.builds(
        modules.SearchResult,
        text=texts,
        score=scores,
        page_title=texts,
        page_url=texts,
        module_name=texts,
        chunk_index=st.integers(min_value=0, max_value=9999),
    ),
    st.builds(
        grounded.ErrorDetail,
        code=st.sampled_from(list(grounded.ErrorCode)),
        message=texts,
        details=st.none() | texts,
        retry_after=st.none() | st.integers(min_value=0, max_value=9999),
    ),
    st.builds(
        grounded.Citation,
        chapter=st.none() | texts,
        section=texts,
        source_url=st.none() | st.just("https://example.org/a"),
        referenced_text=st.none() | texts,
        start=st.none() | st.integers(min_value=0),
        relevance_score=st.none() | scores,
    ),
)


@given(VALUES)
def test_every_value_survives_the_round_trip_through_json(value: Any) -> None:
    assert type(value).model_validate_json(value.model_dump_json()) == value


@given(milliseconds)
def test_times_survive_the_round_trip_through_json(duration: float) -> None:
    response = search.AgentResponse(
        answer="x",
        sources=[],
        has_relevant_context=False,
        retrieval_time_ms=duration,
        generation_time_ms=0,
        total_time_ms=duration,
    )
    assert search.AgentResponse.model_validate_json(response.model_dump_json()) == response

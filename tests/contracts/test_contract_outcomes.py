"""Every contract, built from real outcomes of the sample book."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from bythebook import types
from bythebook.contracts import grounded, modules, scored, search, session
from bythebook.contracts.citing import carried_by, relabel
from bythebook.contracts.profiles import PROFILE_NAMES
from bythebook.contracts.registry import invalid, respond, to_json
from bythebook.contracts.session_errors import ErrorState, SessionError
from bythebook.contracts.tokens import count_tokens
from bythebook.contracts.troubles import Trouble, trouble_of
from bythebook.types import Outcome, RefusalType

ANSWERS = ("answer", "module", "selected")
REFUSALS = (
    "empty_retrieval",
    "low_relevance",
    "insufficient_grounding",
    "selected_text_missing",
)
FAILURES = ("validation", "store", "embedding", "writing", "checking", "rate_limit")


def test_the_sample_book_gives_every_kind_of_outcome(outcomes: dict[str, Outcome]) -> None:
    assert all(isinstance(outcomes[name].result, types.Answer) for name in ANSWERS)
    for name in REFUSALS:
        refusal = outcomes[name].result
        assert isinstance(refusal, types.Refusal)
        assert refusal.type is RefusalType(name)
    kinds = {}
    for name in FAILURES:
        failure = outcomes[name].result
        assert isinstance(failure, types.Failure)
        kinds[name] = trouble_of(failure)
    assert kinds == {
        "validation": Trouble.QUESTION,
        "store": Trouble.STORE,
        "embedding": Trouble.EMBEDDING,
        "writing": Trouble.WRITING,
        "checking": Trouble.CHECKING,
        "rate_limit": Trouble.RATE_LIMIT,
    }


@pytest.mark.parametrize("profile", PROFILE_NAMES)
@pytest.mark.parametrize("name", ANSWERS + REFUSALS + FAILURES)
def test_every_outcome_fits_every_contract_and_survives_json(
    outcomes: dict[str, Outcome], profile: str, name: str
) -> None:
    response = respond(profile, outcomes[name])
    again = type(response).model_validate_json(to_json(response))
    assert to_json(again) == to_json(response)


# --- 000 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERS)
def test_scored_answer_has_cited_sources(outcomes: dict[str, Outcome], name: str) -> None:
    outcome = outcomes[name]
    response = scored.from_outcome(outcome)
    assert response.status is scored.ResponseStatus.SUCCESS
    assert response.query_id == str(outcome.query.request_id)
    assert response.answer is not None
    assert "[1]" in response.answer
    assert response.error_message is None
    assert isinstance(outcome.result, types.Answer)
    assert [source.excerpt for source in response.sources] == [
        citation.excerpt for citation in outcome.result.citations
    ]


def test_scored_refusal_explains_the_threshold(outcomes: dict[str, Outcome]) -> None:
    response = scored.from_outcome(outcomes["low_relevance"])
    assert response.status is scored.ResponseStatus.INSUFFICIENT_CONTEXT
    assert response.error_message == (
        "I cannot find sufficient information in the provided textbook content to answer this "
        "question. The most relevant chunks found had similarity scores below the 0.99 threshold."
    )


@pytest.mark.parametrize("name", REFUSALS)
def test_scored_refusal_has_no_answer_and_no_tokens(
    outcomes: dict[str, Outcome], name: str
) -> None:
    response = scored.from_outcome(outcomes[name])
    assert response.status is scored.ResponseStatus.INSUFFICIENT_CONTEXT
    assert response.answer is None
    assert response.sources == []
    assert response.metadata.tokens_used == 0
    assert response.error_message is not None
    assert response.error_message.startswith("I cannot find sufficient information")


@pytest.mark.parametrize("name", FAILURES)
def test_scored_failure_is_an_error_with_a_message(outcomes: dict[str, Outcome], name: str) -> None:
    response = scored.from_outcome(outcomes[name])
    assert response.status is scored.ResponseStatus.ERROR
    assert response.answer is None
    assert response.error_message


def test_scored_retrieval_result_comes_from_a_search(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["answer"]
    assert outcome.retrieval is not None
    result = scored.from_retrieval(outcome.query, outcome.retrieval)
    assert len(result.chunks) == len(outcome.retrieval.passages)
    assert result.parameters.score_threshold == outcome.retrieval.threshold
    assert result.total_candidates > len(result.chunks)


# --- 001 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERS)
def test_session_answer_is_grounded_and_names_its_sources(
    outcomes: dict[str, Outcome], name: str
) -> None:
    response = session.from_outcome(outcomes[name])
    assert isinstance(response, session.AgentResponse)
    assert response.grounded
    assert response.citations
    assert "[Source: " in response.answer
    assert "[1]" not in response.answer
    assert response.tokens_used > 0


@pytest.mark.parametrize("name", REFUSALS)
def test_session_refusal_says_it_has_no_information(
    outcomes: dict[str, Outcome], name: str
) -> None:
    response = session.from_outcome(outcomes[name])
    assert isinstance(response, session.AgentResponse)
    assert not response.grounded
    assert "I don't have information" in response.answer
    assert response.citations == []


def test_session_refusal_counts_the_tokens_of_the_question(outcomes: dict[str, Outcome]) -> None:
    response = session.from_outcome(outcomes["low_relevance"])
    assert isinstance(response, session.AgentResponse)
    assert response.tokens_used == count_tokens(outcomes["low_relevance"].query.text)


def test_session_refusal_proposes_topics_of_the_book(outcomes: dict[str, Outcome]) -> None:
    response = session.from_outcome(outcomes["low_relevance"])
    assert isinstance(response, session.AgentResponse)
    refusal = outcomes["low_relevance"].result
    assert isinstance(refusal, types.Refusal)
    assert f"Please ask about {refusal.nearest[0].title}" in response.answer


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("validation", ErrorState.INVALID_INPUT),
        ("store", ErrorState.QDRANT_ERROR),
        ("embedding", ErrorState.API_ERROR),
        ("writing", ErrorState.API_ERROR),
        ("checking", ErrorState.API_ERROR),
        ("rate_limit", ErrorState.API_ERROR),
    ],
)
def test_session_failure_is_an_error_state(
    outcomes: dict[str, Outcome], name: str, state: ErrorState
) -> None:
    error = session.from_outcome(outcomes[name])
    assert isinstance(error, SessionError)
    assert error.state is state


def test_session_store_failure_says_unable_to_retrieve_content(
    outcomes: dict[str, Outcome],
) -> None:
    error = session.from_outcome(outcomes["store"])
    assert isinstance(error, SessionError)
    assert error.message.startswith("Unable to retrieve content")


def test_session_results_are_sorted_by_similarity(outcomes: dict[str, Outcome]) -> None:
    retrieval = outcomes["answer"].retrieval
    assert retrieval is not None
    results = session.from_retrieval(retrieval)
    assert results == session.sort_results(reversed(results))
    assert len(results) > 1


def test_a_book_without_a_website_gets_addresses_that_lead_nowhere(
    outcomes: dict[str, Outcome],
) -> None:
    response = session.from_outcome(outcomes["selected"].model_copy())
    assert isinstance(response, session.AgentResponse)
    assert response.citations[0].source_url == "https://example.org/book/ros2/dds-and-qos"
    offline = outcomes["selected_text_missing"]
    assert offline.retrieval is not None
    result = session.from_retrieval(offline.retrieval)[0]
    assert result.source_url == "https://book.invalid/Selected%20text"
    assert result.chapter_id == "selected_text"


# --- 002 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERS)
def test_search_answer_has_sources(outcomes: dict[str, Outcome], name: str) -> None:
    response = search.from_outcome(outcomes[name])
    assert isinstance(response, search.AgentResponse)
    assert response.has_relevant_context
    assert response.sources[0].url.startswith("https://example.org/book/")


@pytest.mark.parametrize("name", REFUSALS)
def test_search_refusal_has_no_relevant_context(outcomes: dict[str, Outcome], name: str) -> None:
    response = search.from_outcome(outcomes[name])
    assert isinstance(response, search.AgentResponse)
    assert not response.has_relevant_context
    assert response.sources == []
    assert "no relevant content" in response.answer


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("validation", "validation"),
        ("store", "retrieval"),
        ("embedding", "retrieval"),
        ("writing", "generation"),
        ("checking", "generation"),
        ("rate_limit", "generation"),
    ],
)
def test_search_failure_is_an_agent_error(
    outcomes: dict[str, Outcome], name: str, kind: str
) -> None:
    error = search.from_outcome(outcomes[name])
    assert isinstance(error, search.AgentError)
    assert error.error_type == kind
    assert error.details


def test_search_result_set_comes_from_a_search(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["answer"]
    assert outcome.retrieval is not None
    found = search.from_retrieval(outcome.query, outcome.retrieval)
    assert found.total_count == len(found.results) == len(outcome.retrieval.passages)
    assert all(result.is_intact for result in found.results)
    assert not found.results[0].model_copy(update={"content": "edited"}).is_intact
    scores = [result.score for result in found.results]
    assert scores == sorted(scores, reverse=True)


# --- 003 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERS)
def test_modules_answer_cites_page_titles(outcomes: dict[str, Outcome], name: str) -> None:
    response = modules.from_outcome(outcomes[name])
    answer = outcomes[name].result
    assert isinstance(answer, types.Answer)
    title = answer.citations[0].page_title
    assert f"[Source: {title}]" in response.answer
    assert response.citations[0].page_title == title
    assert response.confidence == "high"
    assert response.error is None


@pytest.mark.parametrize("name", REFUSALS)
def test_modules_refusal_uses_the_documents_words(outcomes: dict[str, Outcome], name: str) -> None:
    response = modules.from_outcome(outcomes[name])
    assert response.answer.startswith("I couldn't find that information in the book")
    assert response.citations == []
    assert response.confidence == ("none" if name == "empty_retrieval" else "low")


@pytest.mark.parametrize("name", FAILURES)
def test_modules_failure_has_an_error_and_no_answer(
    outcomes: dict[str, Outcome], name: str
) -> None:
    response = modules.from_outcome(outcomes[name])
    assert response.error
    assert response.answer == ""
    assert response.confidence == "none"


def test_modules_context_comes_from_a_search(outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes["module"]
    assert outcome.retrieval is not None
    context = modules.from_retrieval(outcome.query, outcome.retrieval)
    assert context.has_relevant_results
    assert {chunk.module_name for chunk in context.chunks} == {"ros2"}
    assert f"[1] {context.chunks[0].page_title}\n" in modules.build_prompt(context)


# --- 004 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ANSWERS)
def test_grounded_answer_carries_citations_and_extras(
    outcomes: dict[str, Outcome], name: str
) -> None:
    outcome = outcomes[name]
    response = grounded.from_outcome(outcome)
    assert response.status is grounded.ResponseStatus.SUCCESS
    assert response.answer is not None
    citation = response.answer.citations[0]
    assert isinstance(outcome.result, types.Answer)
    assert str(citation.source_url) == outcome.result.citations[0].page_url
    assert citation.referenced_text == carried_by(outcome.result, outcome.result.citations[0])
    assert citation.excerpt == outcome.result.citations[0].excerpt
    assert citation.url is not None
    assert ":~:text=" in citation.url
    assert response.answer.confidence is not None
    assert response.answer.confidence.level == outcome.result.confidence.level
    assert response.answer.sentences is not None
    assert response.answer.sentences[0].citations
    assert response.metadata.request_id == outcome.query.request_id
    assert response.metadata.total_candidates


def test_grounded_selected_text_is_cited_under_its_own_section(
    outcomes: dict[str, Outcome],
) -> None:
    response = grounded.from_outcome(outcomes["selected"])
    assert response.answer is not None
    assert response.answer.mode is grounded.WorkflowMode.SELECTED_TEXT_ONLY
    assert response.answer.citations[0].section == "Selected text"
    assert response.answer.citations[0].chunk_id == "selected_text"


@pytest.mark.parametrize("name", REFUSALS)
def test_grounded_refusal_is_byte_exact(outcomes: dict[str, Outcome], name: str) -> None:
    response = grounded.from_outcome(outcomes[name])
    assert response.status is grounded.ResponseStatus.REFUSED
    assert response.refusal is not None
    assert response.refusal.refusal_type.value == name
    expected = (
        b"The selected text does not contain this information"
        if name == "selected_text_missing"
        else b"The provided book content does not contain sufficient information to answer this "
        b"question"
    )
    assert response.refusal.reason.encode() == expected
    assert response.refusal.explanation


def test_grounded_refusal_names_the_nearest_sections(outcomes: dict[str, Outcome]) -> None:
    response = grounded.from_outcome(outcomes["low_relevance"])
    assert response.refusal is not None
    assert response.refusal.nearest
    refusal = outcomes["low_relevance"].result
    assert isinstance(refusal, types.Refusal)
    assert [link.title for link in response.refusal.nearest] == [
        link.title for link in refusal.nearest
    ]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("validation", "VALIDATION_FAILED"),
        ("store", "QDRANT_TIMEOUT"),
        ("embedding", "COHERE_FAILURE"),
        ("writing", "OPENROUTER_TIMEOUT"),
        ("checking", "OPENROUTER_TIMEOUT"),
        ("rate_limit", "RATE_LIMIT_EXCEEDED"),
    ],
)
def test_grounded_failure_has_its_code(outcomes: dict[str, Outcome], name: str, code: str) -> None:
    response = grounded.from_outcome(outcomes[name])
    assert response.status is grounded.ResponseStatus.ERROR
    assert response.error is not None
    assert response.error.code.value == code
    assert response.error.retry_after == (3 if name == "rate_limit" else None)


def test_grounded_long_messages_are_cut_with_an_ellipsis(outcomes: dict[str, Outcome]) -> None:
    failure = outcomes["validation"].result.model_copy(update={"message": "x" * 900})
    response = grounded.from_outcome(outcomes["validation"].model_copy(update={"result": failure}))
    assert response.error is not None
    assert len(response.error.message) == 200
    assert response.error.message.endswith("…")
    assert len(response.error.details or "") == 500


def test_grounded_chunks_come_from_a_search(outcomes: dict[str, Outcome]) -> None:
    retrieval = outcomes["answer"].retrieval
    selection = outcomes["selected"].retrieval
    assert retrieval is not None
    assert selection is not None
    assert len(grounded.from_retrieval(retrieval)) == len(retrieval.passages)
    (chunk,) = grounded.from_retrieval(selection)
    assert chunk.chunk_id == "selected_text"
    assert (chunk.chapter, chunk.section, chunk.source_url) == (None, None, None)
    assert chunk.similarity_score == 1.0


def test_grounded_source_url_is_null_when_the_page_is_not_on_the_web(
    outcomes: dict[str, Outcome],
) -> None:
    outcome = outcomes["answer"]
    assert isinstance(outcome.result, types.Answer)
    offline = outcome.result.model_copy(
        update={"citations": (outcome.result.citations[0].model_copy(update={"page_url": None}),)}
    )
    response = grounded.from_outcome(outcome.model_copy(update={"result": offline}))
    assert response.answer is not None
    assert response.answer.citations[0].source_url is None
    assert '"source_url":null' in to_json(response, indent=None)


# --- all of them ----------------------------------------------------------------------------


def test_invalid_input_is_told_in_each_contracts_own_shape() -> None:
    def told(profile: str) -> BaseModel:
        return invalid(profile, "Why?", "top_k", "must be at most 20", "give a smaller number")

    by_score = told("scored")
    assert isinstance(by_score, scored.AgentResponse)
    assert by_score.status is scored.ResponseStatus.ERROR
    assert by_score.error_message == "top_k: must be at most 20. Give a smaller number."
    in_session = told("session")
    assert isinstance(in_session, SessionError)
    assert in_session.state is ErrorState.INVALID_INPUT
    assert in_session.recovery == "Prompt user to rephrase"
    by_search = told("search")
    assert isinstance(by_search, search.AgentError)
    assert by_search.error_type == "validation"
    by_module = told("modules")
    assert isinstance(by_module, modules.AgentResponse)
    assert by_module.query == "Why?"
    assert by_module.error
    enveloped = told("grounded")
    assert isinstance(enveloped, grounded.QueryResponse)
    assert enveloped.error is not None
    assert enveloped.error.code is grounded.ErrorCode.VALIDATION_FAILED


def test_extras_that_are_not_set_are_left_out_of_the_json() -> None:
    parsed = json.loads(to_json(invalid("grounded", "", "query", "is empty")))
    assert set(parsed["metadata"]) == {
        "chunks_retrieved",
        "processing_time_ms",
        "session_id",
        "request_id",
    }
    assert parsed["answer"] is None
    assert parsed["error"]["retry_after"] is None


def test_relabelling_leaves_brackets_in_code_alone(outcomes: dict[str, Outcome]) -> None:
    answer = outcomes["answer"].result
    assert isinstance(answer, types.Answer)
    code = types.AnswerSentence(text="print(a[1])", citations=(1,), support=1.0)
    edited = answer.model_copy(
        update={"text": "```\nprint(a[1])\n```\n[1]", "sentences": (code,)},
    )
    assert relabel(edited, lambda _: "[here]") == "```\nprint(a[1])\n```\n[here]"

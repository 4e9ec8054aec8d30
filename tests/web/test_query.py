from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

import pytest

from bythebook.assembly import open_desk
from bythebook.contracts import grounded, modules, scored, search, session
from bythebook.contracts.profiles import load_profile
from bythebook.settings import load_settings
from bythebook.web import requests
from tests.web.serving import Service, serving

QUESTION = "What is a costmap?"
UNANSWERED = "Who won the football world cup in 1998?"


def test_an_answer_comes_in_the_envelope_with_its_citations(service: Service) -> None:
    response = service.ask(QUESTION)
    assert response.status_code == 200
    envelope = grounded.QueryResponse.model_validate(response.json())
    assert envelope.answer
    assert "grid" in envelope.answer.text
    citation = envelope.answer.citations[0]
    assert citation.excerpt
    assert str(citation.source_url).startswith("https://example.org/book/")


def test_what_the_book_does_not_answer_is_a_refusal_with_status_200(service: Service) -> None:
    response = service.ask(UNANSWERED)
    assert response.status_code == 200
    refusal = grounded.QueryResponse.model_validate(response.json()).refusal
    assert refusal
    assert refusal.reason == grounded.REFUSAL_MESSAGES[refusal.refusal_type]


def test_marked_text_answers_alone_and_is_cited_where_it_stands(service: Service) -> None:
    text = "A costmap is a grid in which each cell stores how undesirable it is to be there."
    page = "https://example.org/book/nav2"
    answer = service.ask(QUESTION, selected_text=text, page_url=page).json()["answer"]
    assert answer["mode"] == "selected_text_only"
    assert answer["citations"][0]["section"] == "Selected text"
    assert answer["citations"][0]["source_url"] == page


def test_a_module_filter_keeps_to_the_module(service: Service) -> None:
    module = service.client.get("/api/book").json()["modules"][0]
    results = service.client.post(
        "/api/search", json={"query": QUESTION, "module_filter": module}
    ).json()["results"]
    assert {result["module_name"] for result in results} == {module}
    response = service.ask(QUESTION, module_filter=module)
    assert response.status_code == 200
    assert "module" in str(response.json()) or response.json()["refusal"]


def test_a_module_that_is_not_in_the_book_is_named(service: Service) -> None:
    response = service.ask(QUESTION, module_filter="cooking")
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (422, "VALIDATION_FAILED")
    assert "'cooking'" in error["message"]


def test_a_threshold_nothing_reaches_is_a_refusal(service: Service) -> None:
    refusal = service.ask(QUESTION, relevance_threshold=1.0).json()["refusal"]
    assert refusal["refusal_type"] == "low_relevance"


@pytest.mark.parametrize(
    ("profile", "shape"),
    [
        ("scored", scored.AgentResponse),
        ("session", session.AgentResponse),
        ("search", search.AgentResponse),
        ("modules", modules.AgentResponse),
        ("grounded", grounded.QueryResponse),
    ],
)
@pytest.mark.parametrize("question", [QUESTION, UNANSWERED])
def test_a_profile_gives_the_response_of_its_contract(
    service: Service, profile: str, shape: type, question: str
) -> None:
    response = service.ask(question, profile=profile)
    assert response.status_code == 200
    assert shape.model_validate_json(response.content)  # type: ignore[attr-defined]  # a model


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        (requests.GroundedRequest, "grounded"),
        (requests.ScoredRequest, "scored"),
        (requests.SessionRequest, "session"),
        (requests.SearchRequest, "search"),
        (requests.ModulesRequest, "modules"),
    ],
)
def test_the_limits_of_a_request_are_those_of_its_profile(
    service: Service, model: type, profile: str
) -> None:
    limits = load_profile(profile)
    fits = "?" * limits.max_question_characters
    assert service.ask(fits, profile=profile, top_k=limits.max_top_k).status_code == 200
    assert service.ask(fits + "?", profile=profile).status_code == 422
    assert service.ask(QUESTION, profile=profile, top_k=limits.max_top_k + 1).status_code == 422
    fields = model.model_fields  # type: ignore[attr-defined]  # a model
    assert fields["top_k"].default == limits.default_top_k


def test_a_profile_words_its_own_validation_errors(service: Service) -> None:
    response = service.ask(QUESTION, profile="session", top_k=99)
    assert response.status_code == 422
    assert response.json()["state"] == "INVALID_INPUT"
    assert "top_k" in response.json()["message"]


@pytest.mark.parametrize("profile", ["scored", "session", "search", "modules"])
def test_half_a_character_is_a_validation_error_in_every_profile(
    service: Service, profile: str
) -> None:
    body = b'{"query": "What is \\ud800?", "profile": "%s"}' % profile.encode()
    response = service.client.post(
        "/api/query", content=body, headers={"content-type": "application/json"}
    )
    assert response.status_code == 422
    assert "query" in response.text


def test_the_request_id_stands_in_the_body_and_in_the_header(service: Service) -> None:
    response = service.ask(QUESTION)
    request_id = response.headers["x-request-id"]
    assert response.json()["metadata"]["request_id"] == request_id
    assert UUID(request_id)


def test_a_valid_request_id_of_the_caller_is_honoured(service: Service) -> None:
    mine = str(uuid4())
    response = service.client.post(
        "/api/query", json={"query": QUESTION}, headers={"X-Request-ID": mine}
    )
    assert response.headers["x-request-id"] == mine
    assert response.json()["metadata"]["request_id"] == mine


@pytest.mark.parametrize("theirs", ["7", "x" * 36, "urn:uuid:12345678123456781234567812345678"])
def test_any_other_request_id_is_replaced(service: Service, theirs: str) -> None:
    response = service.client.get("/api/book", headers={"X-Request-ID": theirs})
    assert UUID(response.headers["x-request-id"])
    assert response.headers["x-request-id"] != theirs


def test_the_request_id_stands_in_the_log(
    sample_index: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desk = open_desk(load_settings(index=sample_index))
    with caplog.at_level("INFO", "bythebook.access"), serving(desk) as service:
        request_id = service.ask(QUESTION).headers["x-request-id"]
    # The line is written behind the response; now that the service has ended, it is there.
    assert "POST /api/query 200" in caplog.text
    assert request_id in caplog.text


def test_marked_text_that_is_one_endless_sentence_is_refused_and_breaks_nothing(
    service: Service,
) -> None:
    response = service.ask(QUESTION, selected_text="0" * 5000)
    assert response.status_code == 200
    assert response.json()["refusal"]["refusal_type"] == "selected_text_missing"

"""What hosted embedders send: models, input types, batches, headers, parts of long texts."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from bythebook.embedders.cohere import CohereEmbedder
from bythebook.embedders.openai import OpenAIEmbedder
from bythebook.errors import EmbeddingError, SettingsError
from tests.standins.embeddings import EmbeddingService
from tests.standins.hosted import KEY, make_hosted
from tests.standins.server import StandInServer
from tests.unit.embedders.conftest import MakeEmbedder

ENGLISH = "cohere:embed-english-v3.0"
SMALL = "openai:text-embedding-3-small"
BOTH = pytest.mark.parametrize("name", [ENGLISH, SMALL])


def sizes(server: StandInServer) -> list[int]:
    return [len(request.json.get("texts") or request.json["input"]) for request in server.received]


def test_cohere_is_asked_for_passages_and_questions_in_its_own_way(
    server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    subject = make_embedder("cohere:embed-multilingual-v3.0")
    subject.embed_passages(["A node computes."])
    subject.embed_query("What is a node?")
    passage, question = (request.json for request in server.received)
    shared = {
        "model": "embed-multilingual-v3.0",
        "embedding_types": ["float"],
        "truncate": "NONE",
    }
    assert passage == shared | {"texts": ["A node computes."], "input_type": "search_document"}
    assert question == shared | {"texts": ["What is a node?"], "input_type": "search_query"}
    assert {request.path for request in server.received} == {"/v2/embed"}


def test_openai_is_asked_for_plain_numbers(
    server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    make_embedder(SMALL).embed_query("What is a node?")
    assert server.received[0].path == "/v1/embeddings"
    assert server.received[0].json == {
        "model": "text-embedding-3-small",
        "input": ["What is a node?"],
        "encoding_format": "float",
    }


def test_dimensions_are_sent_only_when_they_are_wished(
    server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    subject = make_embedder(SMALL, dimensions=256)
    assert subject.embed_query("What is a node?").shape == (256,)
    assert server.received[0].json["dimensions"] == 256
    assert subject.spec.dimensions == 256


@BOTH
def test_the_key_is_sent_as_a_bearer(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    make_embedder(name).embed_query("What is a node?")
    assert server.received[0].headers["authorization"] == f"Bearer {KEY}"


@BOTH
def test_texts_go_out_in_batches_of_96_and_come_back_in_order(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    subject = make_embedder(name)
    texts = [f"Passage {number} about part{number}." for number in range(200)]
    steps: list[int] = []
    vectors = subject.embed_passages(texts, steps.append)
    assert sizes(server) == [96, 96, 8]
    assert steps == [96, 96, 8]
    for number in (0, 95, 96, 199):
        alone = subject.embed_passages([texts[number]])[0]
        np.testing.assert_allclose(vectors[number], alone, atol=1e-6)


def test_another_batch_size_can_be_set_for_openai(
    server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    make_embedder(SMALL, batch=2).embed_passages(["one", "two", "three"])
    assert sizes(server) == [2, 1]


@BOTH
def test_a_long_text_is_sent_in_parts_that_fit_and_counted_once(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    subject = make_embedder(name)
    text = "The robot walks over the floor and looks around. " * 120
    steps: list[int] = []
    subject.embed_passages([text, "Torque."], steps.append)
    (request,) = server.received
    sent = request.json.get("texts") or request.json["input"]
    assert "".join(sent) == text + "Torque."
    assert len(sent) == 4
    assert all(subject.count_tokens(part) <= subject.spec.max_tokens - 2 for part in sent)
    assert steps == [2]


@BOTH
def test_a_blank_text_is_sent_as_something_that_is_not_refused(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    vectors = make_embedder(name).embed_passages(["", " \n", "Torque."])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    sent = server.received[0].json
    assert (sent.get("texts") or sent["input"]) == [".", ".", "Torque."]


@BOTH
def test_a_text_the_service_finds_too_long_is_read_in_halves_and_the_others_whole(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    long = "x" * 3000  # one token by our count
    texts = ["Torque turns a joint.", f"{long} bananas", "A node computes.", "Sensors see."]
    with StandInServer(EmbeddingService(longest=1000).endpoints()) as server:
        subject = make_hosted(name, server)
        vectors = subject.embed_passages(texts)
        for text, vector in zip(texts, vectors, strict=True):
            np.testing.assert_allclose(subject.embed_passages([text])[0], vector, atol=1e-6)
        bare, bananas = subject.embed_passages([long, "bananas"])
        assert float(vectors[1] @ bananas) > float(bare @ bananas) + 0.2
        subject.close()


@BOTH
def test_a_service_that_finds_everything_too_long_is_not_asked_for_ever(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with StandInServer(EmbeddingService(longest=2).endpoints()) as server:
        subject = make_hosted(name, server)
        with pytest.raises(EmbeddingError, match="longer than model") as caught:
            subject.embed_passages(["A robot walks over the floor. " * 5])
        subject.close()
    assert not caught.value.retryable
    assert len(server.received) < 10


def test_dimensions_nobody_knows_are_asked_for_once(
    server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    subject = make_embedder("openai:bge-small-en")
    assert subject.spec.dimensions == 384
    assert subject.spec == subject.spec
    assert subject.embed_passages([]).shape == (0, 384)
    assert len(server.received) == 1


def test_dimensions_are_known_from_the_first_answer(
    server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    subject = make_embedder("openai:bge-small-en")
    subject.embed_passages(["A node computes."])
    assert subject.spec.dimensions == 384
    assert len(server.received) == 1


@BOTH
def test_known_models_tell_their_facts_without_being_asked(
    name: str, server: StandInServer, make_embedder: MakeEmbedder
) -> None:
    assert make_embedder(name).spec.name == name
    assert make_embedder(name).embed_passages([]).shape[0] == 0
    assert server.received == []


def test_the_facts_tell_embedders_apart_whose_vectors_differ(make_embedder: MakeEmbedder) -> None:
    subjects = [
        make_embedder(ENGLISH),
        make_embedder("cohere:embed-multilingual-v3.0"),
        make_embedder(SMALL),
        make_embedder(SMALL, dimensions=256),
        make_embedder(SMALL, max_tokens=256),
        make_embedder("openai:text-embedding-3-large"),
    ]
    assert len({subject.spec.revision for subject in subjects}) == len(subjects)


def test_the_thresholds_are_the_documents_and_a_low_one(make_embedder: MakeEmbedder) -> None:
    assert make_embedder(ENGLISH).spec.default_threshold == 0.4
    assert make_embedder(ENGLISH, threshold=0.7).spec.default_threshold == 0.7
    assert make_embedder(SMALL).spec.default_threshold == 0.2


@pytest.mark.parametrize("key", [None, "", " \n"])
def test_a_missing_key_names_the_variable(key: str | None) -> None:
    with pytest.raises(SettingsError, match="COHERE_API_KEY"):
        CohereEmbedder(key)
    with pytest.raises(SettingsError, match="OPENAI_API_KEY"):
        OpenAIEmbedder(key)


@pytest.mark.parametrize("key", ["sk-two\nlines", "sk-“quoted”"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(key: str) -> None:
    for make in (CohereEmbedder, OpenAIEmbedder):
        with pytest.raises(SettingsError) as caught:
            make(key)
        assert "sk-" not in f"{caught.value.message} {caught.value.hint}"


def test_the_line_end_behind_a_key_is_not_sent(server: StandInServer) -> None:
    subject = CohereEmbedder(f"{KEY}\n", base_url=server.url)
    subject.embed_query("What is a node?")
    subject.close()
    assert server.received[0].key == KEY


def test_a_server_of_ones_own_needs_no_key(server: StandInServer) -> None:
    subject = OpenAIEmbedder(None, "bge-small-en", base_url=f"{server.url}/v1")
    assert subject.embed_query("What is a node?").shape == (384,)
    subject.close()
    assert server.received[0].key == "none"


def test_an_address_without_its_scheme_is_told() -> None:
    for make in (CohereEmbedder, OpenAIEmbedder):
        with pytest.raises(SettingsError, match="http://"):
            make(KEY, base_url="127.0.0.1:8080/v1")


def test_a_cohere_model_we_do_not_know_is_told_with_those_we_do() -> None:
    with pytest.raises(SettingsError, match=r"cohere:embed-english-v9") as caught:
        CohereEmbedder(KEY, "embed-english-v9")
    assert "cohere:embed-english-v3.0" in str(caught.value.hint)


@BOTH
def test_the_book_is_not_told_to_the_log(
    name: str, make_embedder: MakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        make_embedder(name).embed_passages(["The secret zanzibar chapter."])
    assert "zanzibar" not in caplog.text
    assert KEY not in caplog.text

"""The five profiles: each document's defaults, and nothing that contradicts its data model."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bythebook.contracts import grounded, modules, scored, search, session
from bythebook.contracts.profiles import PROFILE_NAMES, Profile, load_profile
from bythebook.contracts.registry import CONTRACTS
from bythebook.errors import SettingsError

MINILM = "minilm"


@pytest.mark.parametrize(
    ("name", "document", "characters", "top_k", "threshold"),
    [
        ("scored", "000", 500, 100, 0.7),
        ("session", "001", 2000, 10, 0.7),
        ("search", "002", 2000, 20, 0.5),
        ("modules", "003", 2000, 100, 0.3),
        ("grounded", "004", 500, 20, 0.4),
    ],
)
def test_profile_keeps_its_documents_numbers(
    name: str, document: str, characters: int, top_k: int, threshold: float
) -> None:
    profile = load_profile(name)
    assert profile.contract == name
    assert profile.document == document
    assert profile.max_question_characters == characters
    assert (profile.min_top_k, profile.default_top_k, profile.max_top_k) == (1, 5, top_k)
    assert profile.relevance_threshold == threshold


def test_profiles_agree_with_the_data_models() -> None:
    by_score, in_search = load_profile("scored"), load_profile("search")
    by_module, enveloped = load_profile("modules"), load_profile("grounded")
    parameters = scored.RetrievalParameters(collection_name=by_score.collection_name or "")
    assert parameters.score_threshold == by_score.relevance_threshold
    assert parameters.embedding_model == by_score.embedding_model
    assert load_profile("session").max_history == session.DEFAULT_MAX_HISTORY
    assert session.NO_INFORMATION in load_profile("session").wording["refusal"]
    assert in_search.collection_name == search.COLLECTION_NAME
    assert in_search.relevance_threshold == search.DEFAULT_RELEVANCE_THRESHOLD
    assert in_search.max_question_characters == search.MAX_QUERY_LENGTH
    config = modules.AgentConfig(openai_api_key="")
    assert (config.model, config.temperature) == (by_module.llm_model, by_module.temperature)
    assert by_module.relevance_threshold == config.min_relevance_score
    assert enveloped.embedding_model == "embed-multilingual-v3.0"
    fields = grounded.QueryRequest.model_json_schema()["properties"]
    assert fields["query"]["maxLength"] == enveloped.max_question_characters
    assert fields["selected_text"]["anyOf"][0]["minLength"] == enveloped.min_selected_characters
    assert fields["selected_text"]["anyOf"][0]["maxLength"] == enveloped.max_selected_characters


def test_every_profile_has_a_contract() -> None:
    assert set(CONTRACTS) == set(PROFILE_NAMES)


def test_unknown_profile_is_refused_with_the_valid_names() -> None:
    with pytest.raises(SettingsError, match="'fancy'") as problem:
        load_profile("fancy")
    assert problem.value.hint == "valid profiles: scored, session, search, modules, grounded"


def test_profile_whose_default_is_out_of_bounds_is_refused() -> None:
    given = load_profile("search").model_dump()
    with pytest.raises(ValidationError, match="default_top_k"):
        Profile.model_validate(given | {"default_top_k": 21})


@pytest.mark.parametrize(
    "bad",
    [
        {"max_question_characters": 0},
        {"max_question_characters": 2001},
        {"min_top_k": 0},
        {"max_top_k": 101},
        {"relevance_threshold": -0.1},
        {"relevance_threshold": 1.1},
        {"temperature": -0.1},
        {"temperature": 2.1},
        {"max_history": 0},
        {"max_history": 101},
        {"min_selected_characters": 0},
        {"max_selected_characters": 0},
        {"surprise": 1},
    ],
)
def test_profile_out_of_bounds_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Profile.model_validate(load_profile("search").model_dump() | bad)


def test_profile_is_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load_profile("search").max_top_k = 7


@pytest.mark.parametrize(
    ("name", "embedder", "threshold"),
    [
        ("scored", "cohere:embed-english-v3.0", 0.7),
        ("scored", "cohere:embed-multilingual-v3.0", None),
        ("grounded", "cohere:embed-multilingual-v3.0", 0.4),
        ("search", "cohere:embed-english-v3.0", 0.5),
        ("scored", MINILM, None),
        ("modules", MINILM, None),
    ],
)
def test_threshold_belongs_to_the_documents_embedder(
    name: str, embedder: str, threshold: float | None
) -> None:
    assert load_profile(name).threshold_for(embedder) == threshold

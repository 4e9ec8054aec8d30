from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from bythebook.assembly import make_embedder, open_assistant
from bythebook.errors import SettingsError
from bythebook.settings import Settings, load_settings


def test_without_any_setting_the_defaults_hold() -> None:
    settings = load_settings()
    assert settings.index == Path(".bythebook")
    assert (settings.embedder, settings.writer, settings.threads) == ("minilm", "extractive", 0)


def test_the_environment_goes_before_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYTHEBOOK_INDEX", "elsewhere")
    assert load_settings().index == Path("elsewhere")


def test_the_caller_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYTHEBOOK_INDEX", "elsewhere")
    assert load_settings(index=Path("here")).index == Path("here")


def test_an_option_that_is_none_is_left_to_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BYTHEBOOK_INDEX", "elsewhere")
    assert load_settings(index=None).index == Path("elsewhere")


def test_a_value_that_cannot_work_is_named_with_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BYTHEBOOK_THREADS", "many")
    with pytest.raises(SettingsError, match="'threads' has the value 'many'") as caught:
        load_settings()
    assert "BYTHEBOOK_THREADS" in str(caught.value.hint)


def test_a_misspelt_variable_is_named_with_the_one_that_was_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BYTHEBOOK_EMBEDER", "minilm")
    with pytest.raises(SettingsError, match="the environment has the setting 'BYTHEBOOK_EMBEDER'"):
        load_settings()
    monkeypatch.delenv("BYTHEBOOK_EMBEDER")
    monkeypatch.setenv("BYTHEBOOK_COHERE_API_KEY", "secret")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "COHERE_API_KEY" in str(caught.value.hint)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "line"), [(".env", "BYTHEBOOK_THREDS=2"), ("bythebook.toml", "threds = 2")]
)
def test_a_misspelt_line_of_a_file_is_named_with_the_one_that_was_meant(
    file: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text(line, encoding="utf-8")
    with pytest.raises(SettingsError, match=f"{file} has the setting") as caught:
        load_settings()
    assert "threads" in str(caught.value.hint).lower()


def test_other_programs_may_have_what_they_like_in_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("DJANGO_THREDS=2\nbythebook_threads=3", encoding="utf-8")
    assert load_settings().threads == 3


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        load_settings().threads = 3


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_an_unknown_embedder_is_named() -> None:
    with pytest.raises(SettingsError, match="there is no embedder 'word2vec'"):
        make_embedder(load_settings(embedder="word2vec"))


def test_an_unknown_writer_is_named(sample_index: Path) -> None:
    with pytest.raises(SettingsError, match="there is no writer 'poet'"):
        open_assistant(load_settings(index=sample_index, writer="poet"))


def test_vendors_keep_the_names_of_their_own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_URL", "http://127.0.0.1:6333")
    monkeypatch.setenv("QDRANT_COLLECTION_NAME", "my-book")
    monkeypatch.setenv("COHERE_API_KEY", "secret-1")
    monkeypatch.setenv("OPENAI_MODEL", "tiny")
    settings = load_settings()
    assert (settings.qdrant_url, settings.qdrant_collection) == ("http://127.0.0.1:6333", "my-book")
    assert settings.cohere_api_key
    assert settings.cohere_api_key.get_secret_value() == "secret-1"
    assert settings.openai_model == "tiny"


def test_an_empty_variable_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_URL", "")
    assert load_settings().qdrant_url is None


def test_settings_come_from_the_environment_then_dotenv_then_toml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bythebook.toml").write_text(
        'writer = "agent"\nthreads = 3\nopenai_model = "from-toml"\n[fields]\ntext = "content"\n'
    )
    (tmp_path / ".env").write_text("BYTHEBOOK_THREADS=2\nOPENAI_MODEL=from-dotenv\n")
    monkeypatch.setenv("OPENAI_MODEL", "from-environment")
    settings = load_settings()
    assert (settings.writer, settings.threads) == ("agent", 2)
    assert settings.openai_model == "from-environment"
    assert settings.fields == {"text": "content"}


def test_a_toml_file_that_is_none_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "bythebook.toml").write_text("writer = \n")
    with pytest.raises(SettingsError, match=r"bythebook\.toml is not valid TOML"):
        load_settings()


def test_keys_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert "very-secret" not in repr(load_settings())


def test_a_vendors_option_with_a_bad_value_names_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BYTHEBOOK_TEMPERATURE", "0.9")
    with pytest.raises(SettingsError, match=r"'temperature' has the value '0\.9'") as caught:
        load_settings()
    assert "BYTHEBOOK_TEMPERATURE" in str(caught.value.hint)


@pytest.mark.parametrize(
    "value", ["https://a.org, https://b.org/", '["https://a.org", "https://b.org"]']
)
def test_a_list_stands_between_commas_or_as_json(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("BYTHEBOOK_CORS_ORIGINS", value)
    assert load_settings().cors_origins == ("https://a.org", "https://b.org")


def test_a_list_that_cannot_be_read_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYTHEBOOK_CORS_ORIGINS", '["https://a.org"')
    with pytest.raises(SettingsError, match="'cors_origins' has the value"):
        load_settings()

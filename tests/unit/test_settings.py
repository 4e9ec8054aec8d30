from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from bythebook.assembly import make_embedder, make_writer
from bythebook.embedders.base import Embedder
from bythebook.errors import SettingsError
from bythebook.lexicon import Lexicon
from bythebook.relevance import Relevance
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


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        load_settings().threads = 3


def test_every_setting_says_what_it_is() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_an_unknown_embedder_is_named() -> None:
    with pytest.raises(SettingsError, match="there is no embedder 'word2vec'"):
        make_embedder(load_settings(embedder="word2vec"))


def test_an_unknown_writer_is_named(embedder: Embedder) -> None:
    relevance = Relevance(Lexicon.of([]), embedder)
    with pytest.raises(SettingsError, match="there is no writer 'poet'"):
        make_writer(load_settings(writer="poet"), relevance)

from __future__ import annotations

import asyncio
import json
from importlib.resources import files
from pathlib import Path

import pytest

import bythebook
from bythebook.types import Answer, Outcome
from tests.builders import run_python

HEAVY = ("numpy", "pydantic", "onnxruntime", "tokenizers", "qdrant_edge", "typer", "rich")


def test_everything_that_is_exported_is_there_and_nothing_else_shows() -> None:
    assert bythebook.__all__ == sorted(bythebook.__all__)
    assert dir(bythebook) == bythebook.__all__
    for name in bythebook.__all__:
        assert getattr(bythebook, name) is not None


def test_a_name_that_is_not_exported_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = bythebook.nonsense


def test_importing_the_package_loads_nothing_heavy() -> None:
    done = run_python("import bythebook, sys, json; print(json.dumps(list(sys.modules)))")
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert "bythebook" in loaded
    assert not loaded & set(HEAVY)


def test_the_package_says_that_it_is_typed() -> None:
    assert (files("bythebook") / "py.typed").is_file()


def test_a_script_asks_in_one_call(sample_index: Path) -> None:
    outcome = bythebook.ask("What is Physical AI?", index=sample_index)
    assert isinstance(outcome, Outcome)
    assert isinstance(outcome.result, Answer)


def test_an_opened_book_answers_many_questions(sample_index: Path) -> None:
    book = bythebook.open_book(str(sample_index))
    try:
        for question in ("What is Physical AI?", "What is inverse kinematics?"):
            outcome = asyncio.run(book.ask(bythebook.Query(text=question)))
            assert isinstance(outcome.result, Answer)
    finally:
        book.close()

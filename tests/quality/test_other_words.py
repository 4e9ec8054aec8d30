"""Questions in a reader's own words: that they are, and what is found for them at the least."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from typing import Any

import pytest

from bythebook.assistant import Assistant
from bythebook.types import Query
from tests.builders import ROOT

QUESTIONS = [
    json.loads(line)
    for line in (ROOT / "tests" / "quality" / "other_words.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
# A question or two under what was measured (docs/retrieval.md), for the engine's ties.
SENTENCES_FOUND = 44  # of 118


@pytest.fixture(scope="module")
def tool() -> Any:
    """The measure of tools/retrieval.py, so that the tool and the gate agree."""
    spec = importlib.util.spec_from_file_location("retrieval", ROOT / "tools" / "retrieval.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_questions_are_the_ones_the_floor_was_set_for() -> None:
    assert Counter(row["split"] for row in QUESTIONS) == {"dev": 58, "held": 60}


def test_no_question_shares_a_rare_word_with_its_page(book: Assistant, tool: Any) -> None:
    chunks = list(book._store.chunks())
    assert [row["id"] for row in QUESTIONS if tool.shared_rare_words(row, chunks)] == []


def test_every_gold_sentence_stands_in_the_book(book: Assistant, tool: Any) -> None:
    chunks = list(book._store.chunks())
    lost = [r["id"] for r in QUESTIONS if not any(tool.holds_gold(r, chunk) for chunk in chunks)]
    assert lost == []


def test_enough_gold_sentences_are_found_by_the_plain_search(book: Assistant, tool: Any) -> None:
    found = 0
    for row in QUESTIONS:
        hits = book._retriever.retrieve(Query(text=row["question"])).hits
        found += any(tool.holds_gold(row, hit.chunk) for hit in hits)
    assert found >= SENTENCES_FOUND

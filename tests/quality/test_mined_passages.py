"""Passages of one book that are found for a question: the one that answers, and the others.

Nothing was fitted to `books/bees`, and its questions are by another author than its text.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tools.mined_from_books import Read, area, read_book

BOOKS = Path(__file__).with_name("books")
LEAST_AREA = 0.79


@pytest.fixture(scope="module")
def read() -> list[Read]:
    return asyncio.run(read_book(BOOKS / "bees", [BOOKS / "bees.jsonl"]))


def test_the_passages_are_the_ones_the_floor_was_set_for(read: list[Read]) -> None:
    assert len({one.question for one in read}) >= 49
    assert sum(not one.answers for one in read) >= 200


def test_the_reader_tells_what_answers_from_what_was_found_beside_it(read: list[Read]) -> None:
    answers = [one.answers for one in read]
    by_reader = area([one.probability for one in read], answers)
    assert by_reader >= LEAST_AREA
    assert by_reader >= area([one.cosine for one in read], answers)

"""A question in another language than the book's is told so."""

from __future__ import annotations

import asyncio

import pytest

from bythebook.assistant import Assistant
from bythebook.languages import foreign_language
from bythebook.types import Query, Refusal


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie funktioniert ein Regler?", "German"),
        ("Comment est-ce que le robot marche, et pourquoi ?", "French"),
        ("¿Qué es una red neuronal y para qué sirve?", "Spanish"),
        ("Hoe werkt een regelaar en waarom?", "Dutch"),
        ("Что такое робототехника", "Cyrillic script"),
        ("روبوٹ کیا ہے", "Arabic script"),
        ("ロボットとは何ですか", "Japanese"),
    ],
)
def test_the_refusal_names_the_language(book: Assistant, question: str, language: str) -> None:
    result = asyncio.run(book.ask(Query(text=question))).result
    assert isinstance(result, Refusal)
    assert f"seems to be in {language}," in result.explanation


@pytest.mark.parametrize(
    "words",
    [
        ["Kalman", "filter"],
        ["der", "blockchain"],
        ["como"],
        ["is", "as", "do"],
        ["α", "β", "γ", "δ"],
        ["Los", "Angeles", "Las", "Vegas"],
        ["Ursula", "von", "der", "Leyen"],
        ["o", "e"],
        [],
    ],
)
def test_a_few_strange_words_are_no_language(words: list[str]) -> None:
    assert foreign_language(words) is None

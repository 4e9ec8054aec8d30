"""What a book says of itself, and who gets to see it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bythebook.about import Aspect, aspect_of
from bythebook.assembly import make_source, open_assistant
from bythebook.assistant import Assistant
from bythebook.indexing import Indexer
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import Answer, Query, Refusal


@pytest.mark.parametrize(
    "question",
    [
        "What is this book about?",
        "what's the book about",
        "Summarise this textbook, please",
        "What will I learn in this course?",
        "Hi, can you tell me about this book?",
        "what does the guide cover?",
    ],
)
def test_a_question_for_the_book_as_a_whole_is_known_as_one(question: str) -> None:
    assert aspect_of(question) is Aspect.SUBJECT


@pytest.mark.parametrize("question", ["Who is this book for?", "who should read this book"])
def test_so_is_a_question_for_its_readers(question: str) -> None:
    assert aspect_of(question) is Aspect.AUDIENCE


@pytest.mark.parametrize(
    "question",
    [
        "What does this book say about PID?",
        "What is this book's licence?",
        "Who wrote this book?",
        "What is the guide rail of a linear axis?",
        "What is Physical AI about?",
        "How is the book organised?",
        "Who is the lidar for?",
        "What is the Rust Style Guide?",
        "What is the user manual?",
        "What is the other book about?",
        "What does the vendor documentation explain?",
        "Who should take the advanced course?",
    ],
)
def test_a_question_for_one_thing_in_the_book_is_taken_as_any_other(question: str) -> None:
    assert aspect_of(question) is None


def test_what_a_book_is_about_is_told_in_the_words_of_its_first_page(
    calibrated_book: Assistant,
) -> None:
    result = asyncio.run(calibrated_book.ask(Query(text="What is this book about?"))).result
    assert isinstance(result, Answer)
    (sentence,) = result.sentences
    assert sentence.text.startswith("This short textbook explains how the software of a modern")
    assert result.citations[0].page_title == "Physical AI, a Short Textbook"
    assert result.confidence.probability is None  # nothing was weighed


def test_whom_a_book_is_for_is_told_as_well(book: Assistant) -> None:
    result = asyncio.run(book.ask(Query(text="Who is this book for?"))).result
    assert isinstance(result, Answer)
    assert "assumed to know some Python" in result.text


def test_a_book_that_does_not_introduce_itself_is_not_made_to(
    write_book: Callable[[Mapping[str, str | bytes]], Path], indexer: Indexer, tmp_path: Path
) -> None:
    page = "# Motors\n\nA motor turns current into torque. It gets warm when it is blocked.\n"
    shelf = FolderShelf(tmp_path / "index")
    indexer.index(make_source(write_book({"motors.md": page})), shelf)
    assistant = open_assistant(load_settings(index=shelf.folder))
    try:
        result = asyncio.run(assistant.ask(Query(text="What is this book about?"))).result
    finally:
        assistant.close()
    assert isinstance(result, Refusal)


def test_within_a_module_the_book_as_a_whole_is_not_told(book: Assistant) -> None:
    module = book.manifest.modules[-1]
    query = Query(text="What is this book about?", module=module)
    passages = asyncio.run(book.search(query)).retrieval.passages
    assert {passage.chunk.module for passage in passages} <= {module}

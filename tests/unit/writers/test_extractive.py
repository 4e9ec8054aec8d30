from __future__ import annotations

import asyncio

import pytest

from bythebook.embedders.base import Embedder
from bythebook.lexicon import Lexicon
from bythebook.planning import selected_passage
from bythebook.relevance import Relevance
from bythebook.types import Draft, Passage, Query
from bythebook.writers.extractive import MAX_CHARACTERS, ExtractiveWriter
from tests.builders import CODE, HEADER, HEADING, ITEM, ROW, P, make_passage

TOPICS = make_passage(
    (P, "Robots talk a lot. A topic is a named channel that carries messages. Many nodes listen."),
    id="topics",
    heading_path=("Topics",),
)
SERVICES = make_passage(
    (P, "A service is a call that waits for one reply. Few nodes offer services."),
    id="services",
    heading_path=("Services",),
    rank=2,
)
BUILD = make_passage(
    (P, "To build the workspace with colcon, run these commands:"),
    (CODE, "cd ~/ws\ncolcon build"),
    (P, "Then you can go home."),
    id="build",
    heading_path=("Building",),
    rank=3,
)
MASSES = make_passage(
    (P, "The masses of the joints are known."),
    (HEADER, "Joint | Mass"),
    (ROW, "knee | 4 kg"),
    (ROW, "elbow | 2 kg"),
    id="masses",
    heading_path=("Masses",),
    rank=4,
)
STEPS = make_passage(
    (P, "Calibrate the gripper in this order:"),
    (ITEM, "Open the gripper."),
    (ITEM, "Press the button."),
    (ITEM, "Close the gripper."),
    id="steps",
    heading_path=("Calibrating the gripper",),
    rank=5,
)
BOOK = (TOPICS, SERVICES, BUILD, MASSES, STEPS)


@pytest.fixture
def writer(embedder: Embedder) -> ExtractiveWriter:
    return ExtractiveWriter(Relevance(Lexicon.of(p.chunk.text for p in BOOK), embedder))


def write(writer: ExtractiveWriter, question: str, *passages: Passage) -> Draft:
    return asyncio.run(writer.write(Query(text=question), passages or BOOK))


def texts(draft: Draft) -> list[str]:
    return [sentence.text for sentence in draft.sentences]


def test_what_is_x_begins_with_the_sentence_that_defines_it(writer: ExtractiveWriter) -> None:
    draft = write(writer, "What is a topic?")
    assert texts(draft)[0] == "A topic is a named channel that carries messages."
    assert draft.model == "extractive"


def test_how_to_gives_the_code_whole_with_its_introduction(writer: ExtractiveWriter) -> None:
    draft = write(writer, "How do I build the workspace with colcon?")
    code = next(sentence for sentence in draft.sentences if sentence.layout == "code")
    assert code.text == "cd ~/ws\ncolcon build"
    assert texts(draft)[0].startswith("To build the workspace")


def test_how_to_gives_every_step_of_a_list_in_order(writer: ExtractiveWriter) -> None:
    items = [s.text for s in write(writer, "How do I calibrate the gripper?").sentences[:4]]
    assert items == [
        "Calibrate the gripper in this order:",
        "Open the gripper.",
        "Press the button.",
        "Close the gripper.",
    ]


def test_a_comparison_speaks_of_both_sides(writer: ExtractiveWriter) -> None:
    said = " ".join(texts(write(writer, "What is the difference between a topic and a service?")))
    assert "topic" in said.lower()
    assert "service" in said.lower()


def test_a_row_is_written_under_its_headers(writer: ExtractiveWriter) -> None:
    draft = write(writer, "What is the mass of the knee joint?", MASSES)
    assert "Joint: knee; Mass: 4 kg" in texts(draft)


def test_each_sentence_leans_on_its_own_words_in_the_book(writer: ExtractiveWriter) -> None:
    chunks = {passage.chunk.id: passage.chunk for passage in BOOK}
    for question in ("What is a topic?", "How do I build?", "Compare topics and services"):
        for sentence in write(writer, question).sentences:
            (span,) = sentence.evidence
            assert chunks[span.chunk_id].text[span.start : span.end] == sentence.text


def test_nothing_is_said_twice(writer: ExtractiveWriter) -> None:
    twin = TOPICS.model_copy(update={"chunk": TOPICS.chunk.model_copy(update={"id": "twin"})})
    said = texts(write(writer, "What is a topic?", TOPICS, twin))
    assert len(set(said)) == len(said)


def test_a_draft_is_never_longer_than_an_answer_may_be(writer: ExtractiveWriter) -> None:
    sentence = "A topic is a named channel that carries messages number {} to all the nodes. "
    long = make_passage((P, "".join(sentence.format(n) for n in range(80)).strip()))
    items = make_passage(
        (P, "A topic carries the following:"), *[(ITEM, sentence.format(n) * 5) for n in range(9)]
    )
    for passage in (long, items):
        said = texts(write(writer, "What does a topic carry?", passage))
        assert said
        assert sum(map(len, said)) <= MAX_CHARACTERS


def test_headings_and_questions_are_not_quoted(writer: ExtractiveWriter) -> None:
    passage = make_passage(
        (HEADING, "What is a topic?"),
        (P, "What is a topic? A topic is a named channel."),
    )
    assert "What is a topic?" not in texts(write(writer, "What is a topic?", passage))


def test_passages_without_a_sentence_give_an_empty_draft(writer: ExtractiveWriter) -> None:
    assert write(writer, "What is a topic?", make_passage((HEADER, "A | B"))).sentences == ()


def test_marked_text_is_quoted_without_its_markdown(writer: ExtractiveWriter) -> None:
    marked = selected_passage("A **topic** is a [channel](https://example.org).")
    assert texts(write(writer, "What is a topic?", marked)) == ["A topic is a channel."]

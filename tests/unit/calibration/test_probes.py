"""Questions made from the sample book: what must hold of each kind."""

from __future__ import annotations

from collections import Counter

import pytest

from bythebook.assistant import Assistant
from bythebook.calibration.questions import Probe
from bythebook.terms import stem_set
from bythebook.types import Chunk


@pytest.fixture(scope="module")
def probes(book: Assistant) -> list[Probe]:
    return book.probes()


@pytest.fixture(scope="module")
def chunks(book: Assistant) -> dict[str, Chunk]:
    return {chunk.id: chunk for chunk in book.chunks()}


def of_kind(probes: list[Probe], kind: str) -> list[Probe]:
    return [probe for probe in probes if probe.kind == kind]


def test_every_kind_is_there_and_about_as_many_are_answered_as_not(probes: list[Probe]) -> None:
    kinds = Counter(probe.kind for probe in probes)
    assert set(kinds) == {
        "definition", "row", "steps", "heading", "removed", "swapped", "unsaid", "off_topic"
    }  # fmt: skip
    answered = sum(probe.is_answerable for probe in probes)
    assert 0.3 < answered / len(probes) < 0.6


def test_the_same_book_gives_the_same_questions(book: Assistant, probes: list[Probe]) -> None:
    assert book.probes() == probes


def test_no_question_is_asked_twice_of_the_same_book(probes: list[Probe]) -> None:
    asked = [(probe.text, probe.kind == "removed") for probe in probes]
    assert len(set(asked)) == len(asked)


def test_what_answers_is_a_chunk_of_the_book(probes: list[Probe], chunks: dict[str, Chunk]) -> None:
    for probe in probes:
        assert probe.answers | probe.hidden <= set(chunks)


def test_a_definition_stands_in_what_answers_it(
    probes: list[Probe], chunks: dict[str, Chunk]
) -> None:
    for probe in of_kind(probes, "definition"):
        assert any(" is " in chunks[c].text or " are " in chunks[c].text for c in probe.answers)


def test_a_removed_answer_is_hidden_whole(probes: list[Probe]) -> None:
    answered = {probe.text: probe for probe in probes if probe.is_answerable}
    for probe in of_kind(probes, "removed"):
        assert not probe.is_answerable
        assert answered[probe.text].answers <= probe.hidden


def test_no_passage_has_all_words_of_a_swapped_question(
    probes: list[Probe], chunks: dict[str, Chunk]
) -> None:
    for probe in of_kind(probes, "swapped"):
        wanted = stem_set(probe.text)
        assert not any(wanted <= stem_set(f"{c.context} {c.text}") for c in chunks.values())


def test_what_is_off_topic_has_words_the_book_lacks(
    probes: list[Probe], chunks: dict[str, Chunk]
) -> None:
    known = frozenset().union(*(stem_set(chunk.text) for chunk in chunks.values()))
    for probe in of_kind(probes, "off_topic"):
        assert stem_set(probe.text) - known

"""What every reader must do, run over every one there is."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from bythebook.assembly import make_embedder, make_reader
from bythebook.readers.base import Reader, Reading
from bythebook.settings import load_settings

QUESTION = "When was the bridge over the Elbow river opened?"
ANSWER = "The bridge over the Elbow river was opened in 1907."
PASSAGES = [
    "Ferries ran for forty years. " + ANSWER + " It carries two lanes of traffic.",
    "The Elbow river is 120 kilometres long and rises in the mountains.",
    "Salt the aubergines an hour before frying so that they give up their water.",
    "- item one\n- item two\n\n| a | b |\n| 1 | 2 |",
    "",
]
FILLER = "The valley is known for its orchards, its mills and its long winters. "


@pytest.fixture(scope="module", params=["minilm"])
def subject(request: pytest.FixtureRequest) -> Reader:
    reader = make_reader(load_settings(reader=request.param))
    assert reader is not None
    return reader


def test_there_is_one_reading_for_each_passage_in_order(subject: Reader) -> None:
    forward = subject.read(QUESTION, PASSAGES)
    backward = subject.read(QUESTION, PASSAGES[::-1])[::-1]
    assert len(forward) == len(PASSAGES)
    for one, other in zip(forward, backward, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-3)
        assert (one.start, one.end) == (other.start, other.end)


def test_no_passages_give_no_readings(subject: Reader) -> None:
    assert subject.read(QUESTION, []) == []
    assert subject.supports([], []) == []


def test_the_passage_that_answers_comes_first_and_the_evidence_is_its_sentence(
    subject: Reader,
) -> None:
    readings = subject.read(QUESTION, PASSAGES)
    best = max(readings, key=lambda reading: reading.probability)
    assert best is readings[0]
    assert PASSAGES[0][best.sentence_start : best.sentence_end] == ANSWER
    assert "1907" in PASSAGES[0][best.start : best.end]


def test_probabilities_and_offsets_make_sense(subject: Reader) -> None:
    for passage, reading in zip(PASSAGES, subject.read(QUESTION, PASSAGES), strict=True):
        assert 0.0 <= reading.probability <= 1.0
        assert 0.0 <= reading.score <= 1.0
        assert 0 <= reading.sentence_start <= reading.start <= reading.end
        assert reading.end <= reading.sentence_end <= len(passage)


def test_the_weights_of_a_passage_add_up_to_one(subject: Reader) -> None:
    for passage, reading in zip(PASSAGES, subject.read(QUESTION, PASSAGES), strict=True):
        assert reading.weight(0, len(passage)) == pytest.approx(1.0 if passage else 0.0, abs=1e-4)
        middle = len(passage) // 2
        parts = reading.weight(0, middle) + reading.weight(middle, len(passage))
        assert parts == pytest.approx(reading.weight(0, len(passage)))


def test_the_same_text_is_read_the_same_way_every_time(subject: Reader) -> None:
    assert subject.read(QUESTION, PASSAGES) == subject.read(QUESTION, PASSAGES)


def test_a_reading_does_not_depend_on_the_passages_beside_it(subject: Reader) -> None:
    together = subject.read(QUESTION, PASSAGES)
    for passage, reading in zip(PASSAGES, together, strict=True):
        (alone,) = subject.read(QUESTION, [passage])
        assert alone.probability == pytest.approx(reading.probability, abs=1e-3)


def test_a_passage_that_comes_closer_to_the_question_answers_more_probably(
    subject: Reader,
) -> None:
    texts = [PASSAGES[1]] * 3
    far, near, nearer = subject.read(QUESTION, texts, [0.1, 0.5, 0.9])
    assert far.probability < near.probability < nearer.probability
    assert far.marks == near.marks == nearer.marks


def test_what_the_reader_is_told_of_closeness_is_what_it_finds_by_itself(subject: Reader) -> None:
    embedder = make_embedder(load_settings())
    assert subject.spec.embedder in ("", embedder.spec.revision)
    question, *passages = embedder.embed_passages([QUESTION, *PASSAGES[:3]])
    told = [float(question @ passage) for passage in passages]
    by_itself = subject.read(QUESTION, PASSAGES[:3])
    for one, other in zip(subject.read(QUESTION, PASSAGES[:3], told), by_itself, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-3)


def test_an_empty_passage_answers_and_supports_nothing(subject: Reader) -> None:
    for empty in ("", "  \n", "\x00\x07"):
        (reading,) = subject.read(QUESTION, [empty])
        assert reading.probability == 0.0
        assert (reading.start, reading.end) == (0, 0)
        assert subject.supports([ANSWER], [empty]) == [0.0]


@pytest.mark.parametrize("place", [0, 40, 80])
def test_a_long_passage_is_read_to_its_end(subject: Reader, place: int) -> None:
    passage = FILLER * place + ANSWER + " " + FILLER * (80 - place)
    reading, plain = subject.read(QUESTION, [passage, FILLER * 80])
    assert passage[reading.sentence_start : reading.sentence_end] == ANSWER
    assert reading.probability > plain.probability


def test_nothing_of_a_long_question_or_claim_is_cut_off(subject: Reader) -> None:
    words = "Please tell me, because my aunt wants to know and will not rest before she does: "
    (short,), (long,) = (
        subject.read(text, [ANSWER]) for text in (words * 20, words * 20 + QUESTION)
    )
    assert short.probability != long.probability
    false = " The river dried up in 1950 and all the fish moved to Paris by train."
    whole, spoilt = subject.supports([ANSWER, ANSWER * 12 + false], [ANSWER, ANSWER * 12])
    assert spoilt < whole


def test_claims_are_held_against_the_passage_at_the_same_place(subject: Reader) -> None:
    claims = [ANSWER, ANSWER, "Aubergines are salted before frying."]
    passages = [PASSAGES[0], PASSAGES[2], PASSAGES[2]]
    said, other, salted = subject.supports(claims, passages)
    assert all(0.0 <= probability <= 1.0 for probability in (said, other, salted))
    assert other < min(said, salted)


def test_claims_and_passages_must_be_as_many(subject: Reader) -> None:
    with pytest.raises(ValueError, match="zip"):
        subject.supports([ANSWER], [])


def test_odd_characters_are_read_like_any_other(subject: Reader) -> None:
    odd = ["🤖", "日本語のロボット", "a" * 3000, "\n\n", "x" + "\u0301" * 400, "e.g. i.e. ..."]
    for reading in subject.read("🤖?\x00", odd):
        assert math.isfinite(reading.probability)
    assert all(map(math.isfinite, subject.supports(odd, odd)))


def test_several_threads_may_read_at_once(subject: Reader) -> None:
    expected = subject.read(QUESTION, PASSAGES)

    def read(_: int) -> list[Reading]:
        return subject.read(QUESTION, PASSAGES)

    with ThreadPoolExecutor(4) as pool:
        assert all(readings == expected for readings in pool.map(read, range(12)))


def test_the_facts_that_fitted_numbers_depend_on_are_told(subject: Reader) -> None:
    assert subject.spec.name
    assert subject.spec.revision


def test_the_reader_can_be_switched_off() -> None:
    assert make_reader(load_settings(reader="none")) is None

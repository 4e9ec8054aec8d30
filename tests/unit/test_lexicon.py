from __future__ import annotations

import pytest

from bythebook.lexicon import Lexicon
from bythebook.terms import stem, stem_set

PASSAGES = (
    "The zero moment point (ZMP) keeps a robot upright.",
    "A robot has joints.",
    "A robot has a camera. DDS (Data Distribution Service) carries its images.",
)


@pytest.fixture
def lexicon() -> Lexicon:
    return Lexicon.of(PASSAGES)


def test_a_rare_word_tells_more_than_a_common_one(lexicon: Lexicon) -> None:
    assert lexicon.weight(stem("camera")) > lexicon.weight(stem("robot")) > 0


def test_a_word_that_stands_nowhere_tells_most_and_is_unknown(lexicon: Lexicon) -> None:
    assert lexicon.weight("quasar") > lexicon.weight(stem("camera"))
    assert not lexicon.knows("quasar")
    assert lexicon.knows(stem("joints"))


def test_the_share_of_known_words_counts_telling_ones_more(lexicon: Lexicon) -> None:
    common, rare = stem("robot"), stem("camera")
    assert lexicon.known_share([common, rare]) == 1.0
    assert lexicon.known_share(["quasar"]) == 0.0
    assert lexicon.known_share([common, "quasar"]) < lexicon.known_share([rare, "quasar"]) < 0.5


def test_a_question_without_words_has_none_that_are_unknown(lexicon: Lexicon) -> None:
    assert lexicon.known_share([]) == 1.0


def test_a_word_counts_once_a_passage() -> None:
    once, often = Lexicon.of(["robot", "arm"]), Lexicon.of(["robot robot robot", "arm"])
    assert once.weight("robot") == often.weight("robot")


@pytest.mark.parametrize(
    ("short", "spelled_out"),
    [("zmp", "zero moment point"), ("dds", "data distribution service")],
)
def test_abbreviations_are_learnt_where_the_book_explains_them(
    lexicon: Lexicon, short: str, spelled_out: str
) -> None:
    assert lexicon.aliases[stem(short)] == stem_set(spelled_out)


def test_brackets_that_explain_something_else_are_no_abbreviation() -> None:
    assert Lexicon.of(["The left arm (see above) and the gripper (ROS) move."]).aliases == {}


def test_a_saved_lexicon_reads_back_the_same(lexicon: Lexicon) -> None:
    loaded = Lexicon.from_json(lexicon.to_json())
    assert loaded.passages == lexicon.passages == len(PASSAGES)
    assert loaded.aliases == lexicon.aliases
    for word in ("robot", "camera", "quasar"):
        assert loaded.weight(stem(word)) == lexicon.weight(stem(word))


def test_an_empty_book_has_an_empty_lexicon() -> None:
    empty = Lexicon.of([])
    assert empty.passages == 0
    assert not empty.knows("robot")
    assert empty.weight("robot") > 0


# The limit is no measure of speed: before it, a page of one endless word took minutes.
@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["x", "1", "a-", "'", "A ("])
def test_endless_repetition_does_not_hang(text: str) -> None:
    Lexicon.of([text * 50_000])

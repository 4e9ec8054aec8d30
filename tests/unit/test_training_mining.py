"""Negatives mined for the reader: near a question, and no answer to it."""

from __future__ import annotations

from training.mining import Ranking, add_mined, mine
from training.rows import Data, Pair

MAST = "The mast is 12 m high and was built in 1931."
HOUSE = "The house beside the mast was sold twice."
SOIL = "Sandy soil drains fast and warms early."


def _asked(question: str, passage: str, evidence: str | None) -> Pair:
    at = passage.find(evidence) if evidence else -1
    span = (at, at + len(evidence)) if evidence else None
    return Pair("answer", "own", question, passage, span is not None, (), span, passage[:9])


PAIRS = [
    _asked("How high is the mast?", MAST, MAST),
    _asked("Who sold the house?", HOUSE, None),
    _asked("Which soil drains fast?", SOIL, SOIL),
]


def test_the_passage_that_shares_the_rarest_words_comes_first() -> None:
    others = [f"The {name}." for name in "sky sea hill road ship lamp wall pond".split()]
    passages = [MAST, HOUSE, SOIL, *others]
    assert Ranking(passages).nearest("the mast beside the house", 2) == [1, 0]


def test_a_question_is_laid_beside_other_passages_which_do_not_answer_it() -> None:
    mined = list(mine(PAIRS))
    high = [pair for pair in mined if pair.first == "How high is the mast?"]
    assert {HOUSE} <= {pair.passage for pair in high} <= {HOUSE, SOIL}
    assert not any(pair.label or pair.spans or pair.evidence for pair in mined)
    assert all(pair.title == pair.passage[:9] for pair in mined)


def test_a_question_without_an_answer_is_not_mined_for() -> None:
    assert "Who sold the house?" not in {pair.first for pair in mine(PAIRS)}


def test_a_passage_that_says_most_of_what_answers_is_left_out() -> None:
    again = _asked("When was it put up?", "In 1931 the mast, 12 m high, was built.", "In 1931")
    high = [pair for pair in mine([*PAIRS, again]) if pair.first == "How high is the mast?"]
    assert again.passage not in {pair.passage for pair in high}


def test_two_runs_mine_the_same() -> None:
    assert list(mine(PAIRS)) == list(mine(PAIRS))


def test_what_is_kept_apart_is_mined_from_passages_kept_apart() -> None:
    data = Data()
    data.train["own questions"] = PAIRS
    apart = [
        _asked("What is a keel?", "A keel is the spine of a boat.", "A keel is"),
        _asked("What does a rudder do?", "A rudder steers a boat.", "A rudder steers"),
    ]
    data.dev["own questions"] = apart
    add_mined(data)
    trained = {pair.passage for pair in data.train["mined own"]}
    assert not trained & {pair.passage for pair in data.dev["mined own"]}
    assert {pair.label for pair in data.dev["mined own"]} == {True, False}

from __future__ import annotations

import pytest

from bythebook.evaluation.key_points import says, share_said
from bythebook.evaluation.matching import covered_share, holds, is_cited, touches

GOLD = "Use an action when the caller needs progress or may change its mind."


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (f"Before. {GOLD} After.", GOLD),
        ("Motor current | 10 to 40 kHz | 25 to 100 µs", "| Motor current | 10 to 40 kHz | 25"),
        ("- Disk: 50 GB", "**Disk**: 50 GB"),
        ("set ROS_DOMAIN_ID\n to 0", "Set `ROS_DOMAIN_ID` to 0"),
        ("the file ﬁts", "the file fits"),
    ],
)
def test_a_gold_sentence_is_found_whatever_its_markup_and_white_space(text: str, gold: str) -> None:
    assert holds(text, gold)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("Use an action when needed.", GOLD),
        ("a note", "a no"),
        ("anything", ""),
        ("anything", "→ !"),
    ],
)
def test_other_words_parts_of_words_and_nothing_are_not_found(text: str, gold: str) -> None:
    assert not holds(text, gold)


def test_an_excerpt_touches_gold_when_one_stands_in_the_other() -> None:
    assert touches(f"First. {GOLD}", GOLD)
    assert touches("the caller needs progress", GOLD)
    assert touches("50 GB", "50 GB")
    assert not touches("an action", GOLD)  # two words stand anywhere
    assert not touches("the caller is gone", GOLD)


def test_excerpts_cover_gold_together_and_no_word_counts_twice() -> None:
    assert covered_share(["a b", "b c"], "a b c d") == 0.75
    assert covered_share(["a b", "a b"], "a b c d") == 0.5
    assert covered_share(["x", "before a b c d after"], "a b c d") == 1.0
    assert covered_share([], "a b") == covered_share(["a"], "") == 0.0


def test_a_gold_sentence_is_cited_by_most_of_its_words() -> None:
    words = [f"w{number}" for number in range(10)]
    gold = " ".join(words)
    assert is_cited([" ".join(words[:7])], gold)
    assert not is_cited([" ".join(words[:6])], gold)


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("Latency drops from ~50ms to ~1ms.", "drops from about 50 ms to 1 ms"),
        ("It was trained on 680,000 hours of audio.", "680000 hours"),
        ("Publishers do not know who listens.", "a publisher does not know its listener"),
        ("Nothing but 256.", "256"),
    ],
)
def test_a_key_point_is_said_in_other_forms_of_its_words(text: str, point: str) -> None:
    assert says(text, point)


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("Latency drops from 50 ms to 2 ms.", "drops from 50 ms to 1 ms"),
        ("The robot falls.", "the controller keeps the robot upright"),
        ("", "256"),
        ("It is 12560 wide.", "256"),
    ],
)
def test_a_key_point_needs_every_number_and_most_words(text: str, point: str) -> None:
    assert not says(text, point)


def test_the_share_of_points_said_is_counted() -> None:
    assert share_said("reset maps in 5 s", ["reset maps", "5 s", "7 s", "cancel"]) == 0.5

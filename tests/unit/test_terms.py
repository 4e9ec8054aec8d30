from __future__ import annotations

import pytest

from bythebook.terms import question_terms, stem, stem_set, stems, words


def test_words_are_lower_case_and_lose_what_hangs_on_an_apostrophe() -> None:
    assert words("The Robot's arm, it’s strong!") == ["the", "robot", "arm", "it", "strong"]


@pytest.mark.parametrize("spelling", ["ROS2", "ROS 2", "ros-2"])
def test_a_name_with_a_number_is_the_same_however_it_is_joined(spelling: str) -> None:
    assert words(spelling) == ["ros", "2"]


def test_an_underscore_parts_words() -> None:
    assert words("joint_state_publisher") == ["joint", "state", "publisher"]


def test_a_plural_in_the_question_meets_the_singular_in_the_book() -> None:
    assert stem_set("Publishers") == stem_set("a publisher")


def test_stop_words_carry_no_meaning() -> None:
    assert stems("what is it that they do") == []


def test_stems_keep_the_order_of_the_text() -> None:
    assert stems("sensors feed controllers") == [
        stem("sensors"),
        stem("feed"),
        stem("controllers"),
    ]


def test_a_question_is_about_its_content_in_the_words_of_the_reader() -> None:
    assert question_terms("Please explain what Actuators mean") == {stem("actuators"): "actuators"}


def test_a_question_of_nothing_but_question_words_is_about_those() -> None:
    assert set(question_terms("What is the difference?")) == {stem("difference")}


def test_a_question_of_stop_words_is_about_nothing() -> None:
    assert question_terms("what is it?") == {}


@pytest.mark.parametrize(
    ("british", "american"),
    [("randomisation", "randomization"), ("behaviour", "behavior"), ("modelling", "modeling")],
)
def test_both_spellings_of_a_word_are_one(british: str, american: str) -> None:
    assert stem(british) == stem(american)


def test_a_word_with_a_hyphen_is_also_found_without_it() -> None:
    assert stem("wifi") in stem_set("Wi-Fi")


# The limit is no measure of speed: before it, a page of one endless word took minutes.
@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["x", "1", "a-", "'"])
def test_endless_repetition_does_not_hang(text: str) -> None:
    stem_set(text * 50_000)

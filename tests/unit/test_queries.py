from __future__ import annotations

import pytest

from bythebook.errors import QueryError
from bythebook.queries import MAX_SELECTED_CHARACTERS, Limits, make_query
from bythebook.types import MAX_QUESTION_CHARACTERS, MAX_TOP_K


def test_a_question_loses_the_space_around_it_and_keeps_its_options() -> None:
    query = make_query("  What is a node?\n", top_k=3, threshold=0.5, module="m", chapter="c")
    assert (query.text, query.top_k, query.threshold) == ("What is a node?", 3, 0.5)
    assert (query.module, query.chapter, query.selected_text) == ("m", "c", None)


@pytest.mark.parametrize("question", ["", "   ", "\n\t "])
def test_an_empty_question_is_refused(question: str) -> None:
    with pytest.raises(QueryError, match="the question is empty") as caught:
        make_query(question)
    assert caught.value.field == "text"


def test_a_question_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assert len(make_query("x" * MAX_QUESTION_CHARACTERS).text) == MAX_QUESTION_CHARACTERS
    with pytest.raises(QueryError, match="2,001 characters; 2,000 are allowed"):
        make_query("x" * (MAX_QUESTION_CHARACTERS + 1))


@pytest.mark.parametrize("top_k", [0, -1, MAX_TOP_K + 1])
def test_top_k_out_of_range_is_refused_with_the_range(top_k: int) -> None:
    with pytest.raises(QueryError, match=f"top_k is {top_k}; it must be between 1 and 100") as e:
        make_query("q", top_k=top_k)
    assert e.value.field == "top_k"


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(QueryError, match="it must be between 0 and 1") as caught:
        make_query("q", threshold=threshold)
    assert caught.value.field == "threshold"


@pytest.mark.parametrize("text", ["", "  ", "x" * (MAX_SELECTED_CHARACTERS + 1)])
def test_selected_text_of_the_wrong_length_is_refused(text: str) -> None:
    with pytest.raises(QueryError, match="the selected text has") as caught:
        make_query("q", selected_text=text)
    assert caught.value.field == "selected_text"


def test_a_profile_brings_its_own_limits() -> None:
    limits = Limits(max_question_characters=5, max_top_k=2, default_top_k=2)
    assert make_query("short", limits=limits).top_k == 2
    with pytest.raises(QueryError, match="5 are allowed"):
        make_query("longer", limits=limits)
    with pytest.raises(QueryError, match="between 1 and 2"):
        make_query("short", top_k=3, limits=limits)


def test_text_that_is_no_unicode_is_refused_in_words() -> None:
    with pytest.raises(QueryError) as caught:
        make_query("what is \udcff ROS?")
    assert caught.value.field == "text"
    with pytest.raises(QueryError) as caught:
        make_query("what is ROS?", selected_text="ROS is \udcff a framework.")
    assert caught.value.field == "selected_text"

"""What is too long for the model is read in parts, and none of it is left out."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bythebook.embedders.tokens import count_tokens, shipped_tokenizer
from bythebook.readers.windows import (
    MAX_FIRST_TOKENS,
    MAX_TOKENS,
    split_pairs,
    with_line_ends,
)

counts = st.integers(min_value=0, max_value=900)


@given(question=counts, passage=counts)
def test_windows_fit_the_model_and_cover_both_texts(question: int, passage: int) -> None:
    first, second = "why " * question, "because " * passage
    windows = split_pairs([first], [second])
    assert all(window.length == len(window.tokens) <= MAX_TOKENS for window in windows)
    parts = {window.part: window.first for window in windows}
    assert sum(map(len, parts.values())) == question
    assert all(len(part) <= MAX_FIRST_TOKENS for part in parts.values())
    for part in parts:
        covered = {span for window in windows if window.part == part for span in window.offsets}
        assert len(covered) == passage


def test_windows_overlap_so_that_an_answer_stands_whole_in_one() -> None:
    windows = split_pairs(["why"], ["because " * 600])
    assert len(windows) > 2
    for one, following in pairwise(windows):
        assert len(set(one.offsets) & set(following.offsets)) >= 40


def test_a_short_passage_is_read_at_once_and_a_longer_one_in_parts() -> None:
    windows = split_pairs(["why"] * 2, ["because " * 128, "because " * 129], 128, 80)
    assert [len(window.passage) for window in windows if window.pair == 0] == [128]
    parts = [window for window in windows if window.pair == 1]
    assert len(parts) == 2
    assert max(len(window.passage) for window in parts) == 80
    assert len({span for window in parts for span in window.offsets}) == 129


def test_most_pairs_are_one_window() -> None:
    question, passage = "What is a node?", "A node is a process that computes. " * 20
    (window,) = split_pairs([question], [passage])
    assert window.length == count_tokens(question) + count_tokens(passage) + 3
    start, end = window.offsets[0]
    assert passage[start:end] == "A"
    assert window.tokens[window.passage_start] == window.passage[0]


def test_windows_know_the_pair_they_belong_to() -> None:
    windows = split_pairs(["a", "b", "a"], ["x", "y " * 500, ""])
    assert [window.pair for window in windows] == [0, 1, 1, 1, 2]
    assert windows[-1].passage == []


def test_a_model_that_learnt_from_line_ends_is_shown_them() -> None:
    passage = "Blue | 300\n\nGrey | 340  \n  Straw | 230\n"
    shown = []
    for line_ends in (True, False):
        (window,) = split_pairs(["why"], [passage], line_ends=line_ends)
        shown.append(shipped_tokenizer().decode(list(window.passage)))
    assert shown == ["blue | 300. grey | 340. straw | 230", "blue | 300 grey | 340 straw | 230"]


def test_what_has_no_lines_is_shown_as_it_is() -> None:
    for passage in ("", " \n ", "One line.", "\nOne line.\n"):
        assert with_line_ends(passage) == passage


@given(st.text(alphabet="ab .|\n\r\t", max_size=60))
def test_showing_where_lines_end_moves_no_offset(passage: str) -> None:
    shown = with_line_ends(passage)
    assert len(shown) == len(passage)
    assert all(new == old or old.isspace() for new, old in zip(shown, passage, strict=True))

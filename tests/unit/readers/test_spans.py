"""From numbers for word pieces to a stretch and a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from bythebook.readers.base import Mark
from bythebook.readers.spans import (
    Floats,
    Place,
    WindowOdds,
    best_place,
    best_sentence,
    marks_of,
    odds,
    split_evidence,
)


def floats(*values: float) -> Floats:
    return np.array(values, np.float32)


def window(start: list[float], end: list[float], first: int = 0, weight: float = 1.0) -> WindowOdds:
    offsets = [(at, at + 1) for at in range(first, first + len(start))]
    return WindowOdds(offsets, floats(*start), floats(*end), weight)


def test_the_best_stretch_never_ends_before_it_starts() -> None:
    place = best_place([window([0.1, 0.2, 0.7], [0.6, 0.1, 0.3])])
    assert (place.start, place.end) == (2, 3)
    assert place.score == pytest.approx((0.7 * 0.3) ** 0.5)


def test_a_stretch_is_never_as_long_as_a_passage() -> None:
    start, end = [0.0] * 100, [0.0] * 100
    start[0], end[99], end[20] = 1.0, 0.9, 0.1
    place = best_place([window(start, end)])
    assert (place.start, place.end) == (0, 21)


def test_the_window_that_more_likely_answers_wins() -> None:
    likely, unlikely = window([0.5, 0.5], [0.5, 0.5], 10, 0.9), window([1.0, 0], [1.0, 0], 0, 0.1)
    assert best_place([unlikely, likely]).start == 10


def test_without_word_pieces_there_is_no_stretch() -> None:
    assert best_place([]) == best_place([window([], [])]) == Place(0, 0, 0.0)


def test_marks_of_windows_that_overlap_add_up() -> None:
    marks = marks_of([window([1.0, 0.0], [0.0, 1.0], 0, 0.6), window([1.0], [1.0], 1, 0.4)])
    assert [(mark.start, round(mark.weight, 6)) for mark in marks] == [(0, 0.3), (1, 0.7)]


def test_odds_add_up_to_one_and_stand_large_numbers() -> None:
    assert odds(floats(1e4, -1e4, 0.0)).tolist() == [1.0, 0.0, 0.0]
    assert len(odds(floats())) == 0


def test_lines_of_a_list_or_a_table_count_as_sentences() -> None:
    text = "Do this. Then that.\n- first item\n- second one. And more.\n\n| a | b |"
    assert [text[start:end] for start, end in split_evidence(text)] == [
        "Do this.", "Then that.", "- first item", "- second one.", "And more.", "| a | b |",
    ]  # fmt: skip


def test_a_row_of_a_table_is_never_cut_in_two() -> None:
    text = "What the shell sets:\n  $? | exit status. See above.\n$! | last process"
    assert [text[start:end] for start, end in split_evidence(text)] == [
        "What the shell sets:", "$? | exit status. See above.", "$! | last process",
    ]  # fmt: skip


def test_the_evidence_is_the_sentence_with_most_of_the_answer() -> None:
    text = "One is here. Two is there."
    marks = [Mark(0, 3, 0.3), Mark(13, 16, 0.25), Mark(17, 19, 0.45)]
    assert best_sentence(text, marks) == (13, 26)
    assert best_sentence("", []) == (0, 0)

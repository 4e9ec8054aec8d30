from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.embedders.tokens import count_tokens
from bythebook.embedders.windows import SPECIAL_TOKENS, average, split_windows

TEXTS = ["", "Torque.", "A robot walks. " * 40, "日本語のロボット" * 30, "\x00 a\n\n"]


@given(texts=st.lists(st.text(max_size=200), max_size=5), room=st.integers(3, 40))
def test_the_windows_of_a_text_are_the_whole_text(texts: list[str], room: int) -> None:
    windows = list(split_windows(texts, room))
    for number, text in enumerate(texts):
        own = [window for window in windows if window.text == number]
        assert "".join(text[window.start : window.end] for window in own) == text
        assert sum(len(window.tokens) for window in own) == count_tokens(text)
        assert all(window.length <= room for window in own)


def test_the_windows_of_a_long_text_are_of_about_the_same_length() -> None:
    lengths = [window.length for window in split_windows(["robot " * 101], 50 + SPECIAL_TOKENS)]
    assert len(lengths) == 3
    assert max(lengths) - min(lengths) <= 2


def test_a_text_that_fits_is_one_window() -> None:
    windows = list(split_windows(TEXTS[:2], 256))
    assert [(window.text, window.start, window.end) for window in windows] == [(0, 0, 0), (1, 0, 7)]


def test_windows_are_averaged_by_their_length_whatever_their_order() -> None:
    windows = list(split_windows(["robot " * 9, "arm"], 5 + SPECIAL_TOKENS))
    assert [window.length for window in windows] == [7, 6, 3]
    vectors = np.eye(3, dtype=np.float32)
    expected = np.array([[7, 6, 0], [0, 0, 3]]) / np.array([[np.hypot(7, 6)], [3]])
    np.testing.assert_allclose(average(windows, vectors, 2), expected, atol=1e-6)
    np.testing.assert_allclose(average(windows[::-1], vectors[::-1], 2), expected, atol=1e-6)


@pytest.mark.parametrize(("text", "count"), [("", 0), ("robot", 1), ("robot walks", 2)])
def test_tokens_are_counted_without_the_special_ones(text: str, count: int) -> None:
    assert count_tokens(text) == count

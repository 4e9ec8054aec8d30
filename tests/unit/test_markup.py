from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.markup import strip_markup


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("A [node](https://example.org/a) runs.", "A node runs."),
        ("See ![the arm](arm.png).", "See the arm."),
        ("It is **very** __strong__.", "It is very strong."),
        ("It is *quite* _old_.", "It is quite old."),
        ("Call `spin()` now.", "Call spin() now."),
        ("**Bold [link](x)** and `code`.", "Bold link and code."),
    ],
)
def test_a_sentence_loses_its_markdown(written: str, seen: str) -> None:
    assert strip_markup(written) == seen


@pytest.mark.parametrize("text", ["joint_state_publisher", "2 * 3 * 4", "a[1] (b)", "_", "``"])
def test_signs_that_are_no_markdown_stay(text: str) -> None:
    assert strip_markup(text) == text


@given(st.text(alphabet="ab *_`[]()!"))
def test_no_letter_is_added_or_moved(text: str) -> None:
    seen = strip_markup(text)
    remaining = iter(text)
    assert all(character in remaining for character in seen)


# The limit is no measure of speed: before it, a page of one endless word took minutes.
@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["[", "*", "`", "**a", "[a]("])
def test_endless_repetition_does_not_hang(text: str) -> None:
    strip_markup(text * 50_000)

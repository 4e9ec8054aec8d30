"""Whatever a text holds, it becomes Markdown in which nothing is live."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.markup import fenced, inert, without_invisible
from tests.hostile.proof import live

_SIGNS = """
! [ ] ( ) < > / \\ ` `` ``` ~~~ : // " ' = & ; x a img src href onerror http https: www.
evil.example javascript: data:text/html, [1]: <a <img <script> </a> <!-- --> <?x $$
\\href{x} ![x](http://evil.example)
[x](y) <https://evil.example> me@evil.example | - # \x1b[0m \u202e
""".split()
PIECES = st.lists(st.sampled_from([*_SIGNS, " ", "\n", "\n\n"]), max_size=14).map("".join)


@given(PIECES)
def test_nothing_is_live_in_an_inert_sentence(text: str) -> None:
    assert live(inert(text)) == []


@given(st.lists(PIECES, min_size=2, max_size=3))
def test_nor_in_several_behind_one_another(texts: list[str]) -> None:
    assert live(" [1] ".join(inert(text) for text in texts)) == []


@given(PIECES)
def test_an_inert_sentence_keeps_its_words_in_order(text: str) -> None:
    def words(text: str) -> list[str]:
        return re.findall(r"\w+", without_invisible(text))

    assert words(inert(text)) == words(text)


@given(PIECES)
def test_an_inert_sentence_stays_as_it_is(text: str) -> None:
    assert live(inert(inert(text))) == []


@given(PIECES, PIECES)
def test_no_code_ends_its_own_fence(code: str, language: str) -> None:
    assert live(fenced(code, language)) == []


@pytest.mark.parametrize(
    "text",
    [
        "A node is a process [1].",
        "The first element is v[0] and the next v[1].",
        "Option<T> holds a Vec<i32> or nothing.",
        "Run `ros2 run demo talker` and wait.",
        "If a < b and c > d, stop.",
        "The ratio is 3:1, see std::io and rclpy.node.",
        "Note: this is data: nothing else.",
    ],
)
def test_ordinary_sentences_are_left_alone(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See https://example.org/a, then go.", "See `https://example.org/a`, then go."),
        ("Write ![alt](a.png) for a picture.", "Write `![alt](a.png)` for a picture."),
        ("It shows <b>bold</b> words.", "It shows `<b>`bold`</b>` words."),
        ("[1]: https://evil.example x", "`[1]:` `https://evil.example` x"),
        ("Run `a` at https://evil.example now.", "``Run `a` at https://evil.example now.``"),
        ("An odd ` sign.", "``An odd ` sign.``"),
        ("Red \x1b[31m and \u202eback.", "Red [31m and back."),
    ],
)
def test_what_would_be_live_is_shown_as_code(text: str, shown: str) -> None:
    assert inert(text) == shown


# The limit is no measure of speed: a page of one endless word must not take minutes.
@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", ["[", "](", "[a](", "<a ", "`", "``` `` ` ", "\\", "a@", "//a."])
def test_endless_repetition_does_not_hang(text: str) -> None:
    inert(text * 10_000)

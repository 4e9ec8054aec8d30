from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.sentences import split_sentences

PROSE = st.one_of(st.text(), st.text(alphabet="aB1 .!?\n\"')(:-é_"))


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def test_each_sentence_stands_alone_without_the_space_around_it() -> None:
    assert sentences("  A node runs.  It talks!\nDoes it? ") == [
        "A node runs.",
        "It talks!",
        "Does it?",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Sensors, e.g. Cameras and lidars, see the world.",
        "See Fig. 3 for the layout of the joints.",
        "The gap is 3.5 mm wide.",
        "The work of J. Smith explains it.",
        "1. First turn the robot on.",
        "The run takes approx. 20 minutes on a laptop.",
        "It waits... and then it moves.",
    ],
)
def test_a_dot_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert sentences(text) == [text]


def test_a_unit_that_looks_like_an_abbreviation_ends_a_sentence() -> None:
    assert sentences("It stops after 20 ms. The log stays.") == [
        "It stops after 20 ms.",
        "The log stays.",
    ]
    assert sentences("It pulls with 5 N. Then it stops.") == [
        "It pulls with 5 N.",
        "Then it stops.",
    ]
    assert sentences("Ask Ms. Smith first.") == ["Ask Ms. Smith first."]


def test_closing_quotes_and_brackets_stay_with_their_sentence() -> None:
    assert sentences('He said "stop." (It did.) Then it fell.') == [
        'He said "stop."',
        "(It did.)",
        "Then it fell.",
    ]


def test_a_name_of_code_may_open_a_sentence() -> None:
    assert sentences("Import it first. rclpy.init() starts it.") == [
        "Import it first.",
        "rclpy.init() starts it.",
    ]


def test_an_empty_line_after_a_stop_ends_a_sentence_before_a_small_letter() -> None:
    assert sentences("It runs.\n\nthen stops") == ["It runs.", "then stops"]


def test_only_the_given_range_is_read() -> None:
    text = "One here. Two here. Three here."
    assert [text[a:b] for a, b in split_sentences(text, 10, 19)] == ["Two here."]


@given(PROSE)
def test_spans_are_ordered_and_cover_all_that_is_not_space(text: str) -> None:
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@given(PROSE, st.integers(0, 40), st.integers(0, 40))
def test_spans_never_leave_the_range(text: str, first: int, length: int) -> None:
    start = min(first, len(text))
    end = min(start + length, len(text))
    spans = split_sentences(text, start, end)
    assert all(start <= a < b <= end for a, b in spans)
    assert sum(len("".join(text[a:b].split())) for a, b in spans) == len(
        "".join(text[start:end].split())
    )


# The limit is no measure of speed: before it, a page of one endless word took minutes.
@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", [".", "!", "x", "1."])
def test_endless_repetition_does_not_hang(text: str) -> None:
    split_sentences(text * 100_000)

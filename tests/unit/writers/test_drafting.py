from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.types import DraftSentence
from bythebook.writers.drafting import DraftReader, split_draft
from tests.builders import P, make_passage

PASSAGES = [make_passage((P, "x"), id=f"c{number}") for number in (1, 2, 3)]


def split(text: str) -> list[DraftSentence]:
    return split_draft(text, PASSAGES)


@pytest.mark.parametrize(
    ("draft", "text", "cites"),
    [
        ("A node is a process [1].", "A node is a process.", ("c1",)),
        ("A node is a process. [1][2]", "A node is a process.", ("c1", "c2")),
        ("A node is a process [1, 3].", "A node is a process.", ("c1", "c3")),
        ("A node is a process [1-3].", "A node is a process.", ("c1", "c2", "c3")),
        ("A node is a process 【2】.", "A node is a process.", ("c2",)),
        ("A node is a process [Passage 2].", "A node is a process.", ("c2",)),
        ("A node is a process [Source: ROS 2].", "A node is a process.", ()),
        ("A node is a process [9] [0].", "A node is a process.", ()),
        ("A node is a process [99999999999].", "A node is a process.", ()),
        ("According to [2], a node is a process.", "A node is a process.", ("c2",)),
        ("A **node** is a [process](http://evil.example).", "A node is a process.", ()),
        ("The first is v[1] and `x[2]` [3].", "The first is v[1] and `x[2]`.", ("c3",)),
    ],
)
def test_marks_come_off_and_become_hints(draft: str, text: str, cites: tuple[str, ...]) -> None:
    (sentence,) = split(draft)
    assert (sentence.text, sentence.cites) == (text, cites)


def test_items_sentences_and_code_keep_their_layout() -> None:
    draft = (
        "# Answer\nDo this [1]:\n\n1. Open it. Then wait [2].\n2. Close it.\n\n"
        "```bash\nros2 run a b  # see [1]\n```\nThat is all."
    )
    assert [(s.layout, s.marker, s.language, s.text) for s in split(draft)] == [
        ("prose", "", "", "Do this:"),
        ("item", "1.", "", "Open it."),
        ("item", "", "", "Then wait."),
        ("item", "2.", "", "Close it."),
        ("code", "", "bash", "ros2 run a b  # see [1]"),
        ("prose", "", "", "That is all."),
    ]


def test_what_a_model_says_to_itself_is_no_draft() -> None:
    assert [s.text for s in split("<think>Hm. Is it?</think>It is so.")] == ["It is so."]
    assert split("<think>Hm. Is it?") == []


def test_a_sentence_comes_as_soon_as_the_next_one_has_begun() -> None:
    reader = DraftReader(PASSAGES)
    assert reader.feed("A node is a process. ") == []
    assert reader.feed("[1] ") == []
    (first,) = reader.feed("It talks ")
    assert (first.text, first.cites) == ("A node is a process.", ("c1",))
    assert [s.text for s in reader.finish()] == ["It talks"]


@pytest.mark.parametrize(
    ("draft", "kept"),
    [
        ("It is so [1]. It wal", ["It is so."]),
        ("It is so [1].", ["It is so."]),
        ("It is so. [1", ["It is so."]),
        ("It is so.\n```\nros2 run a", ["It is so."]),
        ("It is so.\n```\nros2 run a\n```", ["It is so.", "ros2 run a"]),
    ],
)
def test_of_a_draft_that_was_cut_off_only_whole_sentences_stay(draft: str, kept: list[str]) -> None:
    reader = DraftReader(PASSAGES)
    given_out = reader.feed(draft) + reader.finish(was_cut_off=True)
    assert [s.text for s in given_out] == kept


PIECES = st.sampled_from(
    """A node| runs|.| |\n|\n\n|[1]|[2, 3]|- |1. |```|```sh\n|x_y[1]|`a. B`|**b**|# |!|?|[|]"""
    """|e.g.| It|:|<think>|</think>|~~~""".split("|")
)


@given(st.lists(PIECES, max_size=25))
def test_a_stream_gives_the_same_sentences_as_the_whole_text(pieces: list[str]) -> None:
    reader = DraftReader(PASSAGES)
    streamed = [s for piece in pieces for s in reader.feed(piece)] + reader.finish()
    assert [s.text for s in streamed] == [s.text for s in split("".join(pieces))]

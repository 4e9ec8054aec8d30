"""Sentences of the book, spoilt in every way we could think of: what passes must still be carried.

A model's mistakes differ from machine to machine. These are the same everywhere, and more.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator

import pytest

from bythebook.grounding.support import check
from bythebook.sentences import split_sentences
from bythebook.types import Draft, DraftSentence
from tests.builders import SAMPLE, P, make_passage
from tests.quality.independent import faults

_PROSE = re.compile(r"^[A-Z][^|`$<>{}\[\]]{60,}$")
_NUMBER = re.compile(r"\d+")
_STRONG = "only not never always exclusively cannot no without the sole".split()
_EACH = 60

Change = Callable[[str, str, random.Random], str]


def paragraphs() -> list[list[str]]:
    """Return the sentences of each paragraph of plain prose that has at least two."""
    pages = [page.read_text(encoding="utf-8") for page in sorted(SAMPLE.rglob("*.md"))]
    lines = [line for page in pages for line in page.splitlines() if _PROSE.match(line)]
    cut = [[line[start:end] for start, end in split_sentences(line)] for line in lines]
    return [sentences for sentences in cut if len(sentences) > 1]


def put_in(one: str, _: str, draw: random.Random) -> str:
    words = one.split()
    words.insert(draw.randrange(1, len(words)), draw.choice(_STRONG))
    return " ".join(words)


def exchange_a_word(one: str, other: str, draw: random.Random) -> str:
    words = one.split()
    words[draw.randrange(len(words))] = draw.choice(other.split())
    return " ".join(words)


def join_halves(one: str, other: str, _: random.Random) -> str:
    left, right = one.split(), other.split()
    return " ".join(left[: len(left) // 2] + right[len(right) // 2 :])


def let_it_follow(one: str, other: str, draw: random.Random) -> str:
    word = draw.choice(("which means that", "so", "therefore"))
    return f"{one.rstrip('.')}, {word} {other[:1].lower()}{put_in(other, one, draw)[1:]}"


def change_the_number(one: str, other: str, draw: random.Random) -> str:
    values = _NUMBER.findall(other) or [str(draw.randrange(200))]
    return _NUMBER.sub(draw.choice(values), one, count=1)


def rename(one: str, _: str, draw: random.Random) -> str:
    words = one.split()
    words[draw.randrange(len(words))] = draw.choice(("max_rate", "`/scan`", "--force", "Honda"))
    return " ".join(words)


CHANGES = (put_in, exchange_a_word, join_halves, let_it_follow, change_the_number, rename)


def spoilt(change: Change) -> Iterator[tuple[str, str]]:
    """Yield the same changed sentences every time, each with the paragraph it is made of."""
    draw = random.Random(change.__name__)
    known = paragraphs()
    for _ in range(_EACH):
        sentences = draw.choice(known)
        one, other = draw.sample(sentences, 2)
        yield change(one, other, draw), " ".join(sentences)


@pytest.mark.parametrize("change", CHANGES)
def test_what_passes_of_spoilt_sentences_is_carried(change: Change) -> None:
    for text, paragraph in spoilt(change):
        passage = make_passage((P, paragraph))
        for passed in check(Draft(sentences=(DraftSentence(text=text),), model="test"), [passage]):
            (span,) = passed.evidence
            source = passage.chunk.text[span.start : span.end]
            assert not faults(text, source), (text, source)


def test_the_paragraphs_are_there_to_be_spoilt() -> None:
    assert len(paragraphs()) > 60


# Each is false of its source, and a check that let all of them by would prove nothing.
SPOILT = [
    ("The robot weighs 45 kg.", "The robot weighs 40 kg."),
    ("Set max_rate to true.", "Set max_speed to true."),
    ("Only the arm moves.", "The arm moves."),
    ("The arm does not move.", "The arm moves."),
    ("Sensors of penguins swim happily northwards.", "The arm moves."),
]


@pytest.mark.parametrize(("sentence", "source"), SPOILT)
def test_the_independent_check_can_fail(sentence: str, source: str) -> None:
    assert faults(sentence, source)
    assert not faults(source, source)

"""Does an answer say what a good answer says? Counted by stems and numbers, not understood."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bythebook.terms import stem_set

# The least share of a key point's words, in any order, that an answer must have. Its author put
# the point in words of his own, so not every word can be asked for; every number can.
_SHARE = 2 / 3

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_UNIT = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")


def says(text: str, point: str) -> bool:
    """Tell whether a text makes a point: all its numbers and two thirds of its words."""
    numbers, words = _taken_apart(point)
    said_numbers, said_words = _taken_apart(text)
    if not numbers <= said_numbers:
        return False
    return len(words & said_words) >= _SHARE * len(words)


def share_said(text: str, points: Sequence[str]) -> float:
    """Return which share of the points a text makes."""
    return sum(says(text, point) for point in points) / len(points)


def _taken_apart(text: str) -> tuple[frozenset[str], frozenset[str]]:
    text = _UNIT.sub(" ", _GROUPS.sub("", text))
    numbers = frozenset(_NUMBER.findall(text))
    return numbers, frozenset(s for s in stem_set(text) if not s.isdigit())

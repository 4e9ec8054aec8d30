"""Fitting a question and a passage into what the model reads at once. Nothing is ever cut off.

A passage that is too long is read in windows that overlap, so that what answers stands whole in
one of them. A question or claim that is very long is read in parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bythebook.embedders.tokens import shipped_tokenizer
from bythebook.sentences import Span

MAX_TOKENS = 256
MAX_FIRST_TOKENS = 96
_OVERLAP = 24
_CLS, _SEP = 101, 102
_SPECIAL = 3

_LINE_END = re.compile(r"(?<=\S)\s*\n\s*(?=\S)")


def with_line_ends(passage: str) -> str:
    """Return a passage with a full stop at the end of each line, and as long as it was.

    The tokenizer takes a line break for a space. The rows of a table, the lines of code and of a
    list run into each other then, and nobody can tell which cell belongs to which row.
    """
    return _LINE_END.sub(lambda found: ".".ljust(len(found.group())), passage)


@dataclass(frozen=True)
class Window:
    """What the model reads at once: a part of a question or claim, and a part of a passage."""

    pair: int  # the number of the pair it belongs to
    part: int  # the number of the part of the question or claim
    first: Sequence[int]
    passage: Sequence[int]
    offsets: Sequence[Span]  # of the passage's word pieces, in the whole passage

    @property
    def tokens(self) -> list[int]:
        """The word pieces with the special ones between them."""
        return [_CLS, *self.first, _SEP, *self.passage, _SEP]

    @property
    def length(self) -> int:
        """How many tokens the model reads."""
        return len(self.first) + len(self.passage) + _SPECIAL

    @property
    def passage_start(self) -> int:
        """The place of the passage's first word piece among the tokens."""
        return len(self.first) + 2


def split_pairs(
    firsts: Sequence[str],
    passages: Sequence[str],
    at_once: int = MAX_TOKENS,
    parts_of: int = MAX_TOKENS,
    *,
    line_ends: bool = False,
) -> list[Window]:
    """Return the windows of each pair of a question or claim with a passage, in order.

    A passage of more than `at_once` word pieces is read in parts of no more than `parts_of`. The
    ends of its lines are shown to a model that learnt from passages with `line_ends`.
    """
    encode = shipped_tokenizer().encode_batch
    # One question goes with many passages; it is worth encoding it once.
    distinct = list(dict.fromkeys(firsts))
    encodings = encode(distinct, add_special_tokens=False)
    ids = {text: encoding.ids for text, encoding in zip(distinct, encodings, strict=True)}
    windows: list[Window] = []
    shown = [with_line_ends(text) for text in passages] if line_ends else list(passages)
    encoded = encode(shown, add_special_tokens=False)
    for pair, (text, passage) in enumerate(zip(firsts, encoded, strict=True)):
        for part, first in enumerate(_parts(ids[text])):
            most = MAX_TOKENS - len(first) - _SPECIAL
            is_short = len(passage.ids) <= min(at_once, most)
            room = most if is_short else min(parts_of, most)
            for start, end in _ranges(len(passage.ids), room):
                windows.append(
                    Window(pair, part, first, passage.ids[start:end], passage.offsets[start:end])
                )
    return windows


def _parts(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    count = max(1, -(-len(ids) // MAX_FIRST_TOKENS))
    size = max(1, -(-len(ids) // count))
    for part in range(count):
        yield ids[part * size : (part + 1) * size]


def _ranges(length: int, room: int) -> Iterator[Span]:
    """Yield ranges of at most `room` tokens that cover all, each overlapping the next."""
    if length <= room:
        yield 0, length
        return
    steps = -(-(length - room) // (room - _OVERLAP))
    for step in range(steps + 1):
        start = (length - room) * step // steps
        yield start, start + room

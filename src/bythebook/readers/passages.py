"""Reading passages of a book one after another, until one answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bythebook.hostile import speaks_to_a_model
from bythebook.readers.base import Reader, Reading
from bythebook.readers.spans import split_evidence
from bythebook.types import Passage

# How many passages are read at most, and how sure the reader must be of the first to leave the
# others: reading costs more than all the rest of an answer.
_MOST = 3
_DECIDED = 0.9


@dataclass(frozen=True)
class _Placed:
    """A reading of a passage under its heading, which shifts the offsets."""

    reading: Reading
    shift: int


@dataclass(frozen=True)
class Perusal:
    """What a reader found in some passages."""

    placed: Mapping[str, _Placed]

    @property
    def probability(self) -> float:
        """How sure the reader is that one of the passages answers."""
        return max(placed.reading.probability for placed in self.placed.values())

    def answer(self, chunk_id: str, start: int, end: int) -> float:
        """Return how sure the reader is that the answer stands in a stretch of a passage."""
        placed = self.placed.get(chunk_id)
        if placed is None:
            return 0.0
        here = placed.reading.weight(start + placed.shift, end + placed.shift)
        return placed.reading.probability * here


def peruse(reader: Reader, question: str, passages: Sequence[Passage]) -> Perusal:
    """Read the first passages, or only the very first if it answers; there has to be one."""
    placed: dict[str, _Placed] = {}
    for some in (passages[:1], passages[1:_MOST]):
        heads = [_heading(passage) for passage in some]
        texts = [head + _innocent(p.chunk.text) for head, p in zip(heads, some, strict=True)]
        for passage, head, reading in zip(some, heads, reader.read(question, texts), strict=True):
            placed[passage.chunk.id] = _Placed(reading, len(head))
        if Perusal(placed).probability >= _DECIDED:
            break
    return Perusal(placed)


def _innocent(text: str) -> str:
    """Return a text with orders to a model blanked out: they are not what the book says."""
    for start, end in split_evidence(text):
        if speaks_to_a_model(text[start:end]):
            text = text[:start] + " " * (end - start) + text[end:]
    return text


def _heading(passage: Passage) -> str:
    """Return the heading above a passage as a line: it often names what the text calls "it"."""
    path = passage.chunk.heading_path
    return f"{path[-1]}\n" if path else ""

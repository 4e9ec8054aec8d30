"""Reading a text that is longer than an embedder's window: in parts, averaged by their length.

Nothing of a book is ever cut off. Most texts are one window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bythebook.embedders.base import Vectors
from bythebook.embedders.tokens import shipped_tokenizer

# Every model puts one token before a text and one behind it.
SPECIAL_TOKENS = 2


@dataclass(frozen=True)
class Window:
    """The part of a text from character `start` to `end`; `text` is the number of the text."""

    text: int
    start: int
    end: int
    tokens: Sequence[int]

    @property
    def length(self) -> int:
        """How many tokens the model reads; never 0, so that an empty text has a weight too."""
        return len(self.tokens) + SPECIAL_TOKENS


def split_windows(texts: Sequence[str], max_tokens: int) -> Iterator[Window]:
    """Yield the windows of each text in order; put together again they are the whole text."""
    room = max_tokens - SPECIAL_TOKENS
    encodings = shipped_tokenizer().encode_batch(list(texts), add_special_tokens=False)
    for number, encoding in enumerate(encodings):
        ids, offsets = encoding.ids, encoding.offsets
        parts = max(1, -(-len(ids) // room))
        size = -(-len(ids) // parts)  # parts of equal length: no last part of a few tokens
        start = 0
        for part in range(parts):
            following = (part + 1) * size
            end = offsets[following][0] if following < len(ids) else len(texts[number])
            yield Window(number, start, end, ids[part * size : following])
            start = end


def average(windows: Sequence[Window], vectors: Vectors, count: int) -> Vectors:
    """Return one unit vector for each of `count` texts: the mean of its windows by length."""
    total = np.zeros((count, vectors.shape[-1]), dtype=np.float32)
    for window, vector in zip(windows, vectors, strict=True):
        total[window.text] += vector * window.length
    return unit(total)


def unit(vectors: Vectors) -> Vectors:
    """Return vectors of length one that point the same way."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Vectors = vectors / np.maximum(lengths, np.float32(1e-12))
    return units

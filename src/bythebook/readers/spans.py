"""From numbers for word pieces to the stretch that answers and the sentence it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bythebook.readers.base import Mark
from bythebook.sentences import Span, split_sentences

Floats = NDArray[np.float32]

# An answer of more word pieces than this is a passage. The longest answers of the data it learnt
# from have about forty.
_LONGEST_ANSWER = 40

_BETWEEN_CELLS = " | "


@dataclass(frozen=True)
class Place:
    """The stretch that answers best, and how sure that is."""

    start: int
    end: int
    score: float


@dataclass(frozen=True)
class WindowOdds:
    """For each word piece of a window, how likely the answer starts and ends there."""

    offsets: Sequence[Span]
    start: Floats
    end: Floats
    weight: float  # the share of the window among all windows of the passage


def odds(logits: Floats) -> Floats:
    """Return the softmax of the numbers of a window."""
    raised = np.exp(logits - logits.max()) if len(logits) else logits
    result: Floats = raised / max(float(raised.sum()), 1e-30)
    return result


def best_place(windows: Sequence[WindowOdds]) -> Place:
    """Return the likeliest stretch of all windows."""
    places = [_best_in(window) for window in windows if len(window.offsets)]
    return max(places, key=lambda place: place.score, default=Place(0, 0, 0.0))


def _best_in(window: WindowOdds) -> Place:
    both = np.outer(window.start, window.end)
    allowed = np.triu(np.ones_like(both)) - np.triu(np.ones_like(both), _LONGEST_ANSWER)
    first, last = divmod(int((both * allowed).argmax()), both.shape[1])
    score = float(np.sqrt(both[first, last])) * window.weight
    return Place(window.offsets[first][0], window.offsets[last][1], score)


def marks_of(windows: Sequence[WindowOdds]) -> tuple[Mark, ...]:
    """Return the weight of each word piece; where windows overlap, theirs are added up."""
    weights: dict[Span, float] = {}
    for window in windows:
        both = (window.start + window.end) / 2 * window.weight
        for span, weight in zip(window.offsets, both.tolist(), strict=True):
            weights[span] = weights.get(span, 0.0) + weight
    return tuple(Mark(start, end, weight) for (start, end), weight in sorted(weights.items()))


def split_evidence(text: str) -> list[Span]:
    """Return the sentences of a text; a line of a list, a table or code counts as one too."""
    spans: list[Span] = []
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        if _BETWEEN_CELLS in line:  # a cell may hold a "?", but its row is read as a whole
            spans.append((end - len(line.lstrip()), start + len(line.rstrip())))
        else:
            spans += split_sentences(text, start, end)
        start = end
    return spans


def best_sentence(text: str, marks: Sequence[Mark]) -> Span:
    """Return the sentence that most of the answer lies in."""
    sentences = split_evidence(text)
    weights = [
        sum(mark.weight for mark in marks if start <= mark.start < end) for start, end in sentences
    ]
    return sentences[weights.index(max(weights))] if sentences else (0, 0)

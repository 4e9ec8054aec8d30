"""Dev figures: ranking answerable above unanswerable, the evidence sentence, claim support."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.mixing import LONGEST, Encoder, Tokens, batches_of
from training.rows import Data, Pair, share

Floats = NDArray[np.float64]
Predict = Callable[[dict[str, Any]], dict[str, Any]]
"""From a batch to `answer`, `support` (a number a row) and `start`, `end` (a row of logits)."""

_BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+")


def area(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve; equal scores count half."""
    positive, negative = scores[labels], scores[~labels]
    if not len(positive) or not len(negative):
        return float("nan")
    ordered = np.sort(negative)
    below = np.searchsorted(ordered, positive, "left")
    up_to = np.searchsorted(ordered, positive, "right")
    return float((below + up_to).sum() / 2 / len(positive) / len(negative))


def balanced(scores: Floats, labels: NDArray[np.bool_], threshold: float = 0.0) -> float:
    """Return the mean of the shares of supported and of other claims that are told rightly."""
    said = scores > threshold
    return float((said[labels].mean() + (~said[~labels]).mean()) / 2)


def interval(
    figure: Callable[..., float], *values: NDArray[Any], rounds: int = 500, seed: int = 1
) -> tuple[float, float]:
    """Return the 95 % interval of a figure, from rows drawn again with replacement."""
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(rounds):
        drawn = chance.integers(0, len(values[0]), len(values[0]))
        found.append(figure(*(value[drawn] for value in values)))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text are."""
    ends = [found.end() for found in _BREAK.finditer(text)] + [len(text)]
    starts = [0, *ends[:-1]]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if b > a]


def best_sentence(row: Tokens, start: Floats, end: Floats) -> tuple[int, int]:
    """Return the sentence with the most of the mass of start and end."""
    spans = sentences(row.pair.passage)
    mass = np.zeros(len(spans))
    bounds = [b for _, b in spans]
    for logits in (start, end):
        inside = logits[row.first_length : row.first_length + len(row.offsets)]
        odds = np.exp(inside - inside.max())
        odds /= odds.sum()
        for (at, _), value in zip(row.offsets, odds, strict=True):
            mass[min(int(np.searchsorted(bounds, at, "right")), len(spans) - 1)] += value
    return spans[int(mass.argmax())]


def sample(pairs: Sequence[Pair], count: int | None) -> list[Pair]:
    """Return an even part of the rows, always the same."""
    if count is None or len(pairs) <= count:
        return list(pairs)
    return sorted(pairs, key=lambda p: share(p.first + p.passage[-50:]))[:count]


@dataclass(frozen=True)
class Said:
    """A dev row with what the model says of it; `sentence` is where it sees the answer."""

    pair: Pair
    answer: float
    support: float
    sentence: tuple[int, int]


def collect(
    data: Data, encoder: Encoder, predict: Predict, count: int | None
) -> dict[str, list[Said]]:
    """Return what the model says of `count` rows of each dev set, or of all of them."""
    return {name: _collect(sample(p, count), encoder, predict) for name, p in data.dev.items()}


def _collect(pairs: Sequence[Pair], encoder: Encoder, predict: Predict) -> list[Said]:
    said: list[Said] = []
    tokens = [encoder.encode(pair, LONGEST, None) for pair in pairs]
    for batch in batches_of(tokens):
        output = {name: np.asarray(value) for name, value in predict(batch).items()}
        for number, row in enumerate(batch["rows"]):
            answer, support = float(output["answer"][number]), float(output["support"][number])
            sentence = best_sentence(row, output["start"][number], output["end"][number])
            said.append(Said(row.pair, answer, support, sentence))
    return said


def measure(said: dict[str, list[Said]], *, intervals: bool = False) -> dict[str, Any]:
    """Return the dev figures by name."""
    figures: dict[str, Any] = {}

    def note(name: str, figure: Callable[..., float], *values: NDArray[Any]) -> None:
        figures[name] = round(figure(*values), 4)
        if intervals:
            low, high = interval(figure, *values)
            figures[f"{name} 95%"] = [round(low, 4), round(high, 4)]
            figures[f"{name} rows"] = len(values[0])

    for name, ones in said.items():
        labels = np.array([one.pair.label for one in ones])
        if name.startswith("support"):
            scores = np.array([one.support for one in ones])
            note(f"{name} balanced", balanced, scores, labels)
            note(f"{name} auc", area, scores, labels)
            continue
        scores = np.array([one.answer for one in ones])
        note(f"{name} auc", area, scores, labels)
        right = np.array(
            [
                _is_right(one.sentence, one.pair)
                for one in ones
                if one.pair.label and (one.pair.spans or one.pair.evidence)
            ]
        )
        note(f"{name} evidence", lambda values: float(np.mean(values)), right)
    return figures


def _is_right(sentence: tuple[int, int], pair: Pair) -> bool:
    # Our own questions have no span, only the sentence.
    spans = pair.spans or ((pair.evidence,) if pair.evidence else ())
    return any(at < sentence[1] and end > sentence[0] for at, end in spans)

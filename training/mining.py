"""Negatives mined from our own and from public passages: near a question, and no answer to it.

A book has one passage that answers among many that speak of the same things. A reader that only
ever saw questions beside the passage they were written on takes any of them for an answer. So each
answered question is also laid beside passages that share its words (BM25), beside those that are
most like its own, and beside some that have nothing to do with it.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from training.rows import Data, Pair

OWN, PUBLIC = "mined own", "mined public"
CUT = "cut own"
# The first of those that share most words may answer too, as two passages of ours on one topic do;
# what shares most of the words of the sentence that answers is left out.
SHARED_EVIDENCE = 0.5
NEAREST, ALIKE, ANY = 3, 3, 1
SHORTEST_LEFT = 80
SEED = 7
_SATURATION, _LENGTH_SHARE = 1.2, 0.75
_WORD = re.compile(r"[a-z0-9]+")


class Ranking:
    """Ranks passages by the words they share with a question (BM25)."""

    def __init__(self, passages: Sequence[str]) -> None:
        counts = [Counter(_words(passage)) for passage in passages]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / max(1, len(lengths))
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            damping = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / mean)
            for word, times in count.items():
                weight = times * (_SATURATION + 1) / (times + damping)
                self._postings[word].append((number, weight))
        self._count = len(passages)

    def nearest(self, question: str, most: int) -> list[int]:
        """Return the numbers of the passages that share most with a question, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(_words(question)):
            found = self._postings.get(word, ())
            rarity = math.log(1 + (self._count - len(found) + 0.5) / (len(found) + 0.5))
            if len(found) > self._count / 5:
                continue  # a word of every fifth passage tells nothing and takes longest
            for number, weight in found:
                scores[number] += rarity * weight
        return sorted(scores, key=lambda number: (-scores[number], number))[:most]


def mine(pairs: Sequence[Pair], seed: int = SEED) -> Iterator[Pair]:
    """Yield each answered question beside passages of the others that do not answer it."""
    homes = {pair.passage: pair for pair in pairs}
    passages = list(homes)
    place = {passage: number for number, passage in enumerate(passages)}
    ranking = Ranking(passages)
    alike = {
        passage: ranking.nearest(passage, ALIKE + 1)
        for passage in {pair.passage for pair in pairs if pair.label}
    }
    chance = random.Random(seed)  # noqa: S311
    for pair in pairs:
        if not pair.label:
            continue
        own = place[pair.passage]
        near = ranking.nearest(pair.first, NEAREST + 1)
        some = [chance.randrange(len(passages)) for _ in range(ANY)]
        for number in dict.fromkeys([*near, *alike[pair.passage], *some]):
            other = homes[passages[number]]
            if number != own and not _may_answer(other.passage, pair):
                yield replace(
                    pair,
                    passage=other.passage,
                    title=other.title,
                    label=False,
                    spans=(),
                    evidence=None,
                    negative="bm25",
                )


def cut(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Yield each answered question beside its own passage, less the sentence that answers it.

    What is left speaks of the same things and lacks only the answer, as most of a book does.
    """
    for pair in pairs:
        if not (pair.label and pair.evidence):
            continue
        start, end = pair.evidence
        left = f"{pair.passage[:start].rstrip()} {pair.passage[end:].lstrip()}".strip()
        if len(left) >= SHORTEST_LEFT and not _may_answer(left, pair):
            yield replace(pair, passage=left, label=False, spans=(), evidence=None, negative="cut")


def add_mined(data: Data) -> None:
    """Add the mined rows to training, and those on our own passages kept apart to dev."""
    for mined, pool in ((OWN, "own questions"), (PUBLIC, "traps")):
        data.train[mined] = list(mine(data.train.get(pool, ())))
    data.train[CUT] = list(cut(data.train.get("own questions", ())))
    apart = data.dev["own questions"]
    answered = [pair for pair in apart if pair.label]
    data.dev[OWN] = [*answered, *mine(apart)]
    data.dev[CUT] = [*answered, *cut(apart)]


def _may_answer(passage: str, pair: Pair) -> bool:
    spans = [pair.evidence] if pair.evidence else list(pair.spans[:1])
    wanted = {word for start, end in spans for word in _words(pair.passage[start:end])}
    shared = wanted & set(_words(passage))
    return bool(wanted) and len(shared) > SHARED_EVIDENCE * len(wanted)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())

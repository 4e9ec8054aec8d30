"""Drawing rows from the pools and turning them into batches of tokens.

Rows are drawn a few hundred at a time, sorted by length and cut into batches of about equal size in
tokens, so that little of a batch is padding. Draw number N is the same in every run with the same
seed, whatever happened before: a stopped run goes on where it was.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from tokenizers import Tokenizer

from bythebook.readers.windows import with_line_ends
from training.rewordings import deny, overstate, reword, swap
from training.rows import Data, Pair
from training.twists import twist

CLS, SEP = 101, 102
LONGEST = 256
MOST_FIRST_TOKENS = 64
BATCH_TOKENS = 2_048

MIX = {
    "unanswerable": 100,
    "traps": 30,
    "changed": 50,
    "mined": 120,
    "mined own": 50,
    "mined public": 40,
    "cut own": 70,
    "spans": 50,
    "counterparts": 15,
    "sentences": 5,
    "no spans": 15,
    "medquad": 3,
    "sample book": 2,
    "own questions": 180,
    "own lines": 200,
    "support fever": 10,
    "support fever-nei-mined": 5,
    "support scitail": 10,
    "support mnli-sample": 30,
    "support copied": 10,
    "support own": 40,
    "support said": 60,
}
"""How many rows of each pool a draw holds, as the seventh run had it. What a run has seen often
enough may be given less in the next part of it."""

PAIRED = (
    "unanswerable",
    "traps",
    "changed",
    "own questions",
    "mined",
    "mined own",
    "mined public",
    "cut own",
)
"""Pools whose unanswerable questions are drawn together with what they lack, if there is such a
row: a question that the same passage answers (for a changed one, the question it was), or for a
mined one the passage that answers it. What is drawn so comes on top of `MIX`."""

# The share of rows whose passage has its title above it. The product reads a passage under its
# heading, and our own passages are the ones that are like a book's.
TITLED, TITLED_OWN = 0.25, 0.7

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")


@dataclass(frozen=True)
class Lengths:
    """How much of a passage is shown: all of it to some rows, a window to the others."""

    window: int
    whole: float  # the share of rows that are shown up to `LONGEST` tokens


# A window of two or three sentences costs half of a long one and teaches most of the lesson, so
# most of a run is spent on such windows, and the end on what the reader will meet: a question is
# read with 128 word pieces of a passage at most (`readers/minilm.py`).
SHORT, LONG = Lengths(96, 0.12), Lengths(116, 0.15)


@dataclass(frozen=True)
class Tokens:
    """A pair as the model reads it. `start` and `end` mark the tokens of the answer, or -1.

    `evidence` are the first and last token of the evidence sentence, or -1. Rows of one `group`
    differ in the question or in the passage, and one of them is answered; -1 stands alone.
    """

    pair: Pair
    ids: list[int]
    first_length: int  # tokens before the passage
    offsets: list[tuple[int, int]]  # of the passage's tokens, in the passage
    start: int
    end: int
    evidence: tuple[int, int]
    group: int = -1


class Encoder:
    """Turns pairs into tokens; a passage that is too long is cut to a window."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def encode(
        self, pair: Pair, longest: int, chance: random.Random | None, group: int = -1
    ) -> Tokens:
        """Return the tokens; without `chance` the window is the one that fits the question best."""
        first = self._ids(pair.first)[:MOST_FIRST_TOKENS]
        passage = with_line_ends(pair.passage)
        encoding = self._tokenizer.encode(passage, add_special_tokens=False)
        ids, offsets = list(encoding.ids), list(encoding.offsets)
        room = longest - len(first) - 3
        begin = 0
        if len(ids) > room:
            # The words beside the answer are what makes it one: its sentence is kept if it fits.
            kept = [span for span in (pair.evidence, *pair.spans[:1]) if span]
            ranges = [_token_range(offsets, span) for span in kept if chance]
            fitting = [marked for marked in ranges if marked[1] - marked[0] < room]
            begin = _window(ids, first, room, (fitting or ranges or [None])[0], chance)
        ids, offsets = ids[begin : begin + room], offsets[begin : begin + room]
        before = len(first) + 2
        start, end = _token_range(offsets, pair.spans[0]) if pair.spans else (-1, -1)
        evidence = _token_range(offsets, pair.evidence) if pair.evidence else (-1, -1)
        return Tokens(
            pair,
            [CLS, *first, SEP, *ids, SEP],
            before,
            offsets,
            start + before if start >= 0 else -1,
            end + before if end >= 0 else -1,
            (evidence[0] + before, evidence[1] + before) if evidence[0] >= 0 else (-1, -1),
            group,
        )

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _token_range(offsets: Sequence[tuple[int, int]], span: tuple[int, int]) -> tuple[int, int]:
    inside = [number for number, (at, end) in enumerate(offsets) if at < span[1] and end > span[0]]
    return (inside[0], inside[-1]) if inside else (-1, -1)


def _window(
    ids: Sequence[int],
    first: Sequence[int],
    room: int,
    marked: tuple[int, int] | None,
    chance: random.Random | None,
) -> int:
    """Return where the window begins: around the marked tokens, or where most words are shared."""
    last = len(ids) - room
    if marked and marked[0] >= 0 and chance:
        low = max(0, min(last, marked[1] + 1 - room))
        high = max(low, min(last, marked[0]))
        return chance.randint(low, high)
    shared = set(first)
    hits = [int(token in shared) for token in ids]
    sums = [0]
    for hit in hits:
        sums.append(sums[-1] + hit)
    best = max(range(last + 1), key=lambda at: sums[at + room] - sums[at])
    return max(0, min(last, best + chance.randint(-20, 20))) if chance else best


class Mixer:
    """Draws training rows by the mix."""

    def __init__(self, data: Data, encoder: Encoder, seed: int) -> None:
        self._pools = data.train
        self._encoder = encoder
        self._seed = seed
        spans = self._pools["spans"]
        self._pools["twisted"] = [p for p in spans if p.spans] + self._pools["sentences"]
        self._answered: dict[str, list[Pair]] = {}
        for pool in ("spans", "counterparts", "traps", "no spans", "medquad", "own questions"):
            for pair in self._pools.get(pool, ()):
                if pair.label:
                    for key in (pair.passage, pair.first):
                        self._answered.setdefault(key, []).append(pair)
        self._pools["support copied"] = spans
        self._pools["own lines"] = [p for p in self._pools["own questions"] if _is_line(p)]
        self._orders: dict[str, tuple[int, list[int]]] = {}

    def draw(self, number: int, lengths: Lengths = LONG) -> list[dict[str, Any]]:
        """Return the batches of draw `number`."""
        chance = random.Random(f"{self._seed}/{number}")  # noqa: S311
        tokens = []
        for name, count in MIX.items():
            if not self._pools.get(name):
                continue
            for place in range(number * count, (number + 1) * count):
                drawn = self._row(name, place)
                pair = self._pair(name, drawn, chance)
                is_whole = (
                    pair.task == "answer" and pair.label and not (pair.spans or pair.evidence)
                )
                longest = lengths.window
                if is_whole or chance.random() < lengths.whole:
                    longest = LONGEST
                partner = self._partner(drawn, chance) if name in PAIRED else None
                group = len(tokens) if partner else -1
                tokens.append(self._encoder.encode(pair, longest, chance, group))
                if partner:
                    partner = self._pair("partner", partner, chance)
                    tokens.append(self._encoder.encode(partner, longest, chance, group))
        batches = [collate(batch) for batch in _cut(tokens)]
        chance.shuffle(batches)
        return batches

    def _partner(self, pair: Pair, chance: random.Random) -> Pair | None:
        """Return what an unanswerable row lacks: another question, or another passage."""
        shared = pair.first if pair.negative else pair.passage
        answered = self._answered.get(shared, ()) if not pair.label else ()
        same = [one for one in answered if one.first == pair.changed_from] or answered
        return chance.choice(same) if same else None

    def _row(self, name: str, place: int) -> Pair:
        """Return row `place` of a pool that is shuffled anew each time it has been gone through."""
        pool = self._pools[name]
        turn, index = divmod(place, len(pool))
        if self._orders.get(name, (-1, []))[0] != turn:
            order = list(range(len(pool)))
            random.Random(f"{self._seed}/{name}/{turn}").shuffle(order)  # noqa: S311
            self._orders[name] = (turn, order)
        return pool[self._orders[name][1][index]]

    def _pair(self, name: str, pair: Pair, chance: random.Random) -> Pair:
        if name == "twisted":
            return self._twisted(pair, chance)
        if name == "support copied":
            return self._copied(pair, chance)
        if name.startswith("support"):
            return self._in_company(pair, chance)
        with_title = TITLED_OWN if pair.source == "own" else TITLED
        return _with_title(pair) if pair.title and chance.random() < with_title else pair

    def _twisted(self, pair: Pair, chance: random.Random) -> Pair:
        while True:
            taken = " ".join(pair.passage[at:end] for at, end in pair.spans)
            question = twist(pair.first, pair.passage, taken, chance)
            if question:
                return replace(
                    pair, first=question, label=False, spans=(), evidence=None, weight=0.7
                )
            pair = chance.choice(self._pools["twisted"])

    def _copied(self, pair: Pair, chance: random.Random) -> Pair:
        """A sentence as a claim: as it says, twisted, or held against another passage."""
        passage = pair.passage
        sentences = [s for s in _SENTENCE_END.split(passage) if 30 < len(s) < 300]
        if not sentences:
            return self._copied(chance.choice(self._pools["spans"]), chance)
        sentence = chance.choice(sentences)
        claim = reword(sentence, chance) if chance.random() < 0.8 else sentence
        way = chance.random()
        if way < 0.45:
            return Pair("support", "copied", claim, passage, True)
        if way < 0.9:
            twists = [deny, overstate, swap, lambda s, c: twist(s, passage, "", c)]
            chance.shuffle(twists)
            for change in twists:
                twisted = change(claim, chance)
                if twisted and twisted.lower() != claim.lower():
                    return Pair("support", "copied", twisted, passage, False)
        other = chance.choice(self._pools["spans"]).passage
        return Pair("support", "copied", claim, other, sentence in other)

    def _in_company(self, pair: Pair, chance: random.Random) -> Pair:
        """Put other sentences around short evidence, so that its length says nothing."""
        if not pair.source.startswith(("fever", "scitail")) or len(pair.passage) > 350:
            return pair
        if chance.random() > 0.4:
            return pair
        others = [
            chance.choice(self._pools["support fever"]).passage for _ in range(chance.randint(1, 2))
        ]
        parts = [*others, pair.passage]
        chance.shuffle(parts)
        return replace(pair, passage=" ".join(parts))


def _is_line(pair: Pair) -> bool:
    """Tell whether a line of a table, a list or code answers, not a sentence of a paragraph."""
    if not (pair.label and pair.evidence):
        return False
    start, end = pair.evidence
    before, behind = pair.passage[:start].rstrip(" "), pair.passage[end:].lstrip(" ")
    return before.endswith("\n") and (not behind or behind.startswith("\n"))


def _with_title(pair: Pair) -> Pair:
    """Put the title before the passage, as a book puts a heading before a section."""
    head = pair.title + "\n"
    shift = len(head)
    return replace(
        pair,
        passage=head + pair.passage,
        spans=tuple((at + shift, end + shift) for at, end in pair.spans),
        evidence=(pair.evidence[0] + shift, pair.evidence[1] + shift) if pair.evidence else None,
    )


def _cut(tokens: Sequence[Tokens], budget: int = BATCH_TOKENS) -> Iterator[list[Tokens]]:
    ordered = sorted(tokens, key=lambda t: len(t.ids), reverse=True)
    first = 0
    while first < len(ordered):
        size = max(1, budget // len(ordered[first].ids))
        yield ordered[first : first + size]
        first += size


def batches_of(tokens: Sequence[Tokens], budget: int = 4_096) -> Iterator[dict[str, Any]]:
    """Yield the batches of dev rows, longest first."""
    for batch in _cut(tokens, budget):
        yield collate(batch)


def collate(rows: Sequence[Tokens]) -> dict[str, Any]:
    """Return the tensors of a batch, padded to its longest row."""
    width = max(len(row.ids) for row in rows)
    shape = (len(rows), width)
    ids = torch.zeros(shape, dtype=torch.long)
    types = torch.zeros(shape, dtype=torch.long)
    mask = torch.zeros(shape, dtype=torch.bool)
    in_evidence = torch.zeros(shape, dtype=torch.bool)
    for number, row in enumerate(rows):
        length = len(row.ids)
        ids[number, :length] = torch.tensor(row.ids)
        types[number, row.first_length : length] = 1
        mask[number, :length] = True
        if row.evidence[0] >= 0:
            in_evidence[number, row.evidence[0] : row.evidence[1] + 1] = True
    return {
        "rows": list(rows),
        "ids": ids,
        "types": types,
        "mask": mask,
        "in_evidence": in_evidence,
        "start": torch.tensor([row.start for row in rows]),
        "end": torch.tensor([row.end for row in rows]),
        "label": torch.tensor([float(row.pair.label) for row in rows]),
        "weight": torch.tensor([row.pair.weight for row in rows]),
        "group": torch.tensor([row.group for row in rows]),
        "is_support": torch.tensor([row.pair.task == "support" for row in rows]),
    }

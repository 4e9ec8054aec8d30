"""Which way: from A to B, A inside B, A during B.

A preposition has no subject and no object for roles.py to compare, and its two sides can be swapped
all the same: "maps A to B" has all words of "maps B to A".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bythebook.grounding.reading import Reading, Word, marks_of
from bythebook.grounding.roles import name_of

_CONTAINING = frozenset("inside within above below behind beneath".split())
_PAIRED = frozenset("during in for with at by under on inside within".split())


@dataclass(frozen=True)
class _Beside:
    word: str
    before: frozenset[str]
    behind: str


def turned_ways(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each way that the source has the other way round."""
    return [*_ways(claim, source), *_sides(claim, source), *_pairs(claim, source)]


def _ways(claim: Reading, source: Reading) -> Iterator[str]:
    """Compare what stands in "from A to B" and "A into B"."""
    there = [way for sentence in source.sentences for way in _from_to(sentence.words)]
    for sentence in claim.sentences:
        for start, end in _from_to(sentence.words):
            if (start, end) not in there and (end, start) in there:
                yield f"'{start} to {end}' is the other way round in the passage"


def _sides(claim: Reading, source: Reading) -> Iterator[str]:
    """Compare what stands in "A inside B" and "A to B"."""
    known = [way for clause in source.clauses for way in _within(clause.words)]
    for inner, outer in (way for clause in claim.clauses for way in _within(clause.words)):
        here, there = inner - outer, outer - inner
        crossed = [bool(here & other) and bool(there & one) for one, other in known]
        straight = [bool(here & one) and bool(there & other) for one, other in known]
        if any(crossed) and not any(straight):
            yield f"{name_of(inner)} and {name_of(outer)} are the other way round in the passage"


def _within(words: Sequence[Word]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield what stands on both sides of "inside" and "to", some words of each."""
    for number, word in enumerate(words):
        if word.lower in _CONTAINING or (word.lower == "to" and number and number + 1 < len(words)):
            inner = [other for other in words[:number] if other.is_content][-3:]
            outer = [other for other in words[number + 1 :] if other.is_content][:3]
            yield marks_of(inner), marks_of(outer)


def _pairs(claim: Reading, source: Reading) -> Iterator[str]:
    """Compare "A during B": in "A during B and C during D", C is not during B."""
    there = [pair for clause in source.sentences for pair in _beside(clause.words)]
    for here in (pair for clause in claim.clauses for pair in _beside(clause.words)):
        alike = [other for other in there if other.word == here.word]
        own = [other for other in alike if other.behind == here.behind]
        rivals = [other for other in alike if other.behind != here.behind]
        is_own = any(here.before & other.before for other in own)
        if own and not is_own and any(here.before <= other.before for other in rivals):
            yield f"the passage does not say this of {here.behind!r}"


def _beside(words: Sequence[Word]) -> Iterator[_Beside]:
    """Yield each preposition with the two words before it and the one behind it."""
    for number, word in enumerate(words):
        if word.lower in _PAIRED:
            before = [other.token for other in words[:number] if other.is_content][-2:]
            behind = [other.token for other in words[number + 1 :] if other.is_content][:1]
            if before and behind:
                yield _Beside(word.lower, frozenset(before), behind[0])


def _from_to(words: Sequence[Word]) -> Iterator[tuple[str, str]]:
    for number, word in enumerate(words):
        if word.lower == "into":
            ends = [w.token for w in words[number + 1 :] if w.is_content][:1]
            starts = [w.token for w in words[:number] if w.is_content][-1:]
            yield from zip(starts, ends, strict=False)
        elif word.lower == "from":
            behind = words[number + 1 :]
            turn = next((n for n, other in enumerate(behind) if other.lower == "to"), None)
            if turn:
                end = next((w.token for w in behind[turn + 1 :] if w.is_content), None)
                start = next((w.token for w in behind[:turn] if w.is_content), None)
                if start and end:
                    yield start, end

"""Which number and which name of code belongs to what: both may stand in the book, swapped."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations

from bythebook.grounding.identifiers import identifiers
from bythebook.grounding.reading import Reading, read

_SEAM = re.compile(
    r"[;:,()]\s|\b(?:and|or|while|whereas|but|because|since|so|when|if|which)\b|[.!?](?=\s|$)",
    re.IGNORECASE,
)
_WHICH = re.compile(r",? which\b")
_NUMBER = re.compile(r"(?<![\w.-])(\d+(?:\.\d+)?)(?![\w.]*\w)(?: (\w+))?")


@dataclass(frozen=True)
class _Part:
    anchors: frozenset[str]
    tokens: frozenset[str]
    counts: dict[str, str]  # each number with the word it counts


def misplaced(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each number or name that the source gives to something else."""
    known = [part for part in _split(source) if part.anchors]
    reasons = []
    for part in _split(claim):
        shared = [len(part.tokens & other.tokens) for other in known]
        best = max(shared, default=0)
        nearest = [other for other, count in zip(known, shared, strict=True) if count == best]
        there = {anchor for other in nearest for anchor in other.anchors}
        is_known = any(part.anchors <= other.anchors for other in known)
        if best and is_known and not part.anchors <= there and len(part.anchors) == 1:
            reasons.append(f"{next(iter(part.anchors))!r} belongs to something else in the passage")
        reasons += _mixed(part, known)
    return reasons


def _mixed(part: _Part, known: list[_Part]) -> list[str]:
    """Return a reason when two numbers stand together that the source gives to two things."""
    counted = {pair for there in known for pair in there.counts.items()}
    for number, word in part.counts.items():
        is_told = (number, word) in counted or not word
        is_rival = any(n == number for n, _ in counted) and any(name == word for _, name in counted)
        if is_rival and not is_told:
            return [f"{number!r} is not the number of {word!r} in the passage"]
    for one, other in combinations(part.counts, 2):
        apart = not any({one, other} <= set(there.counts) for there in known)
        if apart and _rival(part, one, other, known) and _rival(part, other, one, known):
            return [f"{one!r} and {other!r} belong to different things in the passage"]
    return []


def _rival(part: _Part, number: str, beside: str, known: list[_Part]) -> bool:
    """Tell whether the source has another number of the same sort beside a number."""
    return any(
        beside in there.counts
        and any(n != number and c == part.counts[number] for n, c in there.counts.items())
        for there in known
    )


def _split(text: Reading) -> list[_Part]:
    pieces = _SEAM.split(text.text)
    # "B, which does it" says it of B: what stands before a "which" is also read together with it.
    joined = _WHICH.sub(" ", text.text)
    pieces += _SEAM.split(joined) if joined != text.text else []
    return [part for piece in pieces for part in [_part(piece)] if part.tokens]


def _part(piece: str) -> _Part:
    counts = dict(_NUMBER.findall(piece))
    anchors = frozenset(identifiers(piece)) | counts.keys()
    of_anchors = {name for anchor in anchors for name in read(anchor).tokens}
    return _Part(anchors, read(piece).tokens - of_anchors, counts)

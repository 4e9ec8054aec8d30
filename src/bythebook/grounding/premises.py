"""What a question takes for granted, and the sentence of the book that says otherwise.

"Why is UDP slower than TCP?" asks for a reason and slips in a claim. When a sentence of the book
has the words of that claim and turns it round, answering would confirm what the book denies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bythebook.grounding.opposites import turned_words
from bythebook.grounding.reading import Reading, read
from bythebook.grounding.wording import kin_of, pole_of, stem_of

# Fewer words than these say too little to be contradicted.
_FEWEST_WORDS = 3
# The share of a premise's words that a sentence must have to be about the same thing.
_SAME_THING = 0.65

_WHY = re.compile(
    r"^\W*(?:but |so |and )?(?:why|how come)(?: is it that)?\s+"
    r"(?P<aux>is|are|was|were|does|do|did|can|should|must|will|has|have)?(?P<not>n't| not)?\s*"
    r"(?P<claim>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_GIVEN = re.compile(
    r"^\W*(?:since|given that|considering that|as|because|if)\s+(?P<claim>[^,]+),.+\?",
    re.IGNORECASE | re.DOTALL,
)
_COPULA = ("is", "are", "was", "were")
_COMPARED = re.compile(
    r"^(?P<left>.+?)\s+(?P<rest>(?:(?:so|much|far) )?(?:more|less|fewer|\w+er)\b.*\bthan\b.+)$",
    re.IGNORECASE,
)


def premise_of(question: str) -> str:
    """Return what a question takes for granted, as a sentence; nothing when it does not."""
    given = _GIVEN.match(question)
    if given:
        return given["claim"].strip()
    why = _WHY.match(question)
    if not why:
        return ""
    claim = why["claim"].strip(" ?.!")
    auxiliary = (why["aux"] or "").lower()
    compared = _COMPARED.match(claim)
    if compared and auxiliary in _COPULA:
        claim = f"{compared['left']} {auxiliary} {compared['rest']}"
    denied = " not" if why["not"] else ""
    if denied:
        first, _, rest = claim.partition(" ")
        claim = f"{first} {auxiliary} not {rest}"
    return claim


def contradicting(question: str, sentences: Iterable[str]) -> int | None:
    """Return which sentence says the opposite of what a question takes for granted, if one does.

    Only the sentence that has most words of the premise is looked at: what another one says in
    other words about the same things is no contradiction.
    """
    premise = premise_of(question)
    here = read(premise) if premise else None
    if here is None or len(_content(here)) < _FEWEST_WORDS:
        return None
    there = [read(sentence) for sentence in sentences]
    shares = [_share(here, sentence) for sentence in there]
    best = max(shares, default=0.0)
    if best < _SAME_THING:
        return None
    nearest = [number for number, share in enumerate(shares) if share == best]
    against = [number for number in nearest if _says_otherwise(here, there[number], best)]
    return against[0] if len(against) == len(nearest) else None


def _content(text: Reading) -> list[str]:
    return [word.lower for word in text.words if word.is_content]


def _share(premise: Reading, sentence: Reading) -> float:
    """Return the share of a premise's words that a sentence has; opposites and numbers count."""
    words = _content(premise)
    has_number = any(word.lower[0].isdigit() for word in sentence.words)
    shared = sum(
        not kin_of(word).isdisjoint(sentence.stems) or (word[0].isdigit() and has_number)
        for word in words
    )
    return shared / len(words)


def _says_otherwise(premise: Reading, sentence: Reading, share: float) -> bool:
    """Tell whether a sentence has the other side itself: its own order, opposite or number."""
    compared = _comparison(premise.text)
    if compared:
        other = _comparison(sentence.text)
        return other is not None and _is_reversed(compared, other)
    if any(_OPPOSITES in reason for reason in turned_words(premise, sentence)):
        return True
    numbers = {word.lower for word in premise.words if word.lower[0].isdigit()}
    others = {word.lower for word in sentence.words if word.lower[0].isdigit()}
    return bool(numbers and others) and share == 1.0 and numbers.isdisjoint(others)


@dataclass(frozen=True)
class _Comparison:
    """Two things, and which of them has more: the sign of "slower" is that of "less fast"."""

    left: frozenset[str]
    right: frozenset[str]
    measure: str
    sign: int


def _comparison(text: str) -> _Comparison | None:
    found = _THAN.search(text)
    if not found:
        return None
    degree = found["degree"].lower()
    pole = pole_of(degree)
    measure, sign = pole if pole else (stem_of(degree), 1)
    left, right = _things(found["left"]), _things(found["right"])
    return _Comparison(left, right, measure, sign) if left and right else None


def _things(text: str) -> frozenset[str]:
    return frozenset(word.token for word in read(text).words if word.is_content)


def _is_reversed(premise: _Comparison, other: _Comparison) -> bool:
    if premise.measure != other.measure:
        return False
    straight = _same(premise.left, other.left) and _same(premise.right, other.right)
    crossed = _same(premise.left, other.right) and _same(premise.right, other.left)
    if straight == crossed:
        return False
    return (premise.sign == other.sign) is crossed


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one


_OPPOSITES = "are opposites"
_THAN = re.compile(
    r"(?P<left>[^,;:()]*?)\s(?:(?:so|much|far|is|are|was|were)\s)*(?P<degree>more|less|fewer|\w+er)\b"
    r"(?:[^,;:.()]*?)\bthan\s(?P<right>[^,;:.()]+?)"
    r"(?=$|[,;:.()?]|\s(?:because|since|when|if|as|for|in|on|at|and|but)\b)",
    re.IGNORECASE,
)

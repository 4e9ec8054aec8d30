"""What is more than what, and what comes before what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bythebook.grounding.reading import PRONOUNS, Clause, Reading, Word, marks_of
from bythebook.grounding.wording import pole_of


@dataclass(frozen=True)
class _Comparison:
    dimension: str
    more: frozenset[str]  # what has more of it, or comes first
    less: frozenset[str]
    word: str
    is_bare: bool = False  # whether the other side is not named


def reversed_comparisons(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each comparison that the source does not make, or makes in reverse."""
    reasons = []
    known = [*compare(source), *_events(source)]
    for found in compare(claim):
        same = [other for other in known if other.dimension == found.dimension]
        if not same and not found.is_bare:
            reasons.append(f"the comparison {found.word!r} is not in the passage")
        elif same and all(_is_reversed(found, other) for other in same):
            reasons.append(f"the comparison {found.word!r} is reversed in the passage")
    return reasons


def _is_reversed(here: _Comparison, there: _Comparison) -> bool:
    more, less = here.more - here.less, here.less - here.more
    straight = len(more & there.more) + len(less & there.less)
    crossed = len(more & there.less) + len(less & there.more)
    # "Walking robots gain more than running ones": what both share says nothing of which is which.
    is_swapped = bool(more & there.less and less & there.more) and not less & there.less
    return crossed > straight or is_swapped


def compare(text: Reading) -> list[_Comparison]:
    """Return each comparison of a text: with "than", in time, or with one side named only."""
    found = []
    last: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()  # what an "it" of the same sentence stands for
    sentence = -1
    for clause in text.clauses:
        is_relative = bool(clause.words) and clause.words[0].lower == "which"
        points_back = any(word.lower in ("it", "they") for word in clause.words[:3])
        named = first if points_back and clause.sentence == sentence else clause.carried
        for number, word in enumerate(clause.words):
            if word.lower == "than":
                found += _than(clause.words, number, last if is_relative else named)
        last = marks_of(clause.words)
        first = first if clause.sentence == sentence else frozenset()
        opening = clause.carried or marks_of(_content(clause.words)[:2])
        sentence, first = clause.sentence, first or opening
    for whole in text.sentences:
        lowers = [word.lower for word in whole.words]
        for number, lower in enumerate(lowers):
            if lower in ("before", "after", "then"):
                found.append(_in_time(whole, number))
        found += _bare(text, whole) if "than" not in lowers else []
    return found


def _events(text: Reading) -> Iterator[_Comparison]:
    """Yield "when A, B" as A before B: a claim may well say "after A"."""
    for sentence in text.sentences:
        for number, word in enumerate(sentence.words):
            if word.lower in ("when", "if"):
                yield _in_time(sentence, number)


def _than(words: Sequence[Word], place: int, before: frozenset[str]) -> list[_Comparison]:
    marks = [(n, pole_of(words[n].lower)) for n in _degrees(words, place)]
    poles = [(n, pole) for n, pole in marks if pole]
    named = [(n, p) for n, p in poles if p[0] != "±more"] or poles
    more = [word.lower for word in words[max(0, place - 4) : place]]
    sign = -1 if {"less", "fewer"} & set(more) and named and named[-1][1][0] != "±more" else 1
    number, (dimension, pole) = named[-1] if named else (place - 1, (words[place - 1].token, 1))
    if dimension == "±more":
        # "needs less power than": what is compared stands behind "less", or is the verb before it.
        behind, verb = _content(words[number + 1 : place]), _content(words[:number])[-1:]
        dimension = [*behind, *verb, words[number - 1]][0].token
    elif named and dimension == "±cost" and "less" in more:
        sign = -1
    left, right = marks_of(words[:number]), marks_of(_up_to_place(words[place + 1 :]))
    if not left:
        left = marks_of(words[number + 1 : place])  # "It is easier to A than to B."
    elif words[number + 1].lower in _FROM:
        left = left | marks_of(words[number + 1 : place])  # "earlier from A than from B"
    left = left | before
    if {word.lower for word in words[:number]} & PRONOUNS and not left - {dimension}:
        left = before
    ends = (left, right) if pole * sign > 0 else (right, left)
    return [_Comparison(dimension, *ends, words[number].lower)]


_FROM = frozenset("from with in on at for".split())


def _up_to_place(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words before it is said where or when: "than B in a loop" compares with B."""
    end = next((n for n, word in enumerate(words) if n and word.lower in _WHERE), len(words))
    return words[:end]


_WHERE = frozenset("in on at during when if because for while".split())


def _degrees(words: Sequence[Word], place: int) -> Sequence[int]:
    """Return where the word that is compared may stand: the last "easier", or just before."""
    degrees = [
        n for n in range(place) if _DEGREE.search(words[n].lower) and pole_of(words[n].lower)
    ]
    near = range(max(0, place - 4), place)
    return degrees[-1:] if degrees and not set(degrees) & set(near) else near


_DEGREE = re.compile(r"er$|^worse$")


def _in_time(sentence: Clause, place: int) -> _Comparison:
    words = sentence.words
    left, right = words[:place], words[place + 1 :]
    if not any(word.is_content for word in left) and words[place].lower != "then":
        # "After A, do B": the comma parts the two.
        length = _words_before_comma(sentence)
        left, right = words[length:], words[place + 1 : length]
    word = words[place].lower
    ends = (
        marks_of(_content(_joined(left[::-1])[::-1])[-_BESIDE:]),
        marks_of(_content(_joined(right))[:_BESIDE]),
    )
    first, second = ends if word in ("before", "then") else ends[::-1]
    # What is told in a row needs no "then" to happen in that order.
    return _Comparison("±before", first, second, word, is_bare=word == "then")


def _joined(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words up to an "and" behind the first one: "before it ends and gives feedback"."""
    end = next((n for n, word in enumerate(words) if n > 1 and word.lower in _JOINS), len(words))
    return words[:end]


_JOINS = frozenset("and but while so".split())


# How many words on each side of a "before" say what comes first; others are about something else.
_BESIDE = 4


def _content(words: Sequence[Word]) -> list[Word]:
    return [word for word in words if word.is_content]


def _words_before_comma(sentence: Clause) -> int:
    head, comma, _ = sentence.text.partition(",")
    count = len([word for word in head.replace("-", " ").split() if word])
    return count if comma else len(sentence.words)


def _bare(text: Reading, sentence: Clause) -> Iterator[_Comparison]:
    """Yield "the large model is more accurate" as a comparison whose other side is not named."""
    before: frozenset[str] = frozenset()
    for clause in text.clauses:
        if clause.sentence != sentence.sentence:
            continue
        subject, before = before, clause.tokens
        for number, word in enumerate(clause.words[:-1]):
            if word.lower in ("more", "less"):
                following = clause.words[number + 1]
                is_relative = clause.words[0].lower == "which"
                named = subject if is_relative else marks_of(clause.words[:number])
                ends = (named, frozenset[str]())
                more, less = ends if word.lower == "more" else ends[::-1]
                if following.is_content:
                    yield _Comparison(following.token, more, less, word.lower, is_bare=True)

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
    known = compare(source)
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
    return crossed > straight


def compare(text: Reading) -> list[_Comparison]:
    """Return each comparison of a text: with "than", in time, or with one side named only."""
    found = []
    last: frozenset[str] = frozenset()
    for clause in text.clauses:
        is_relative = bool(clause.words) and clause.words[0].lower == "which"
        for number, word in enumerate(clause.words):
            if word.lower == "than":
                found += _than(clause.words, number, last if is_relative else clause.carried)
        last = marks_of(clause.words)
    for sentence in text.sentences:
        lowers = [word.lower for word in sentence.words]
        for number, lower in enumerate(lowers):
            if lower in ("before", "after"):
                found.append(_in_time(sentence, number))
        found += _bare(text, sentence) if "than" not in lowers else []
    return found


def _than(words: Sequence[Word], place: int, before: frozenset[str]) -> list[_Comparison]:
    marks = [(n, pole_of(words[n].lower)) for n in _degrees(words, place)]
    poles = [(n, pole) for n, pole in marks if pole]
    named = [(n, p) for n, p in poles if p[0] != "±more"] or poles
    more = [word.lower for word in words[max(0, place - 4) : place]]
    sign = -1 if {"less", "fewer"} & set(more) and named and named[-1][1][0] != "±more" else 1
    number, (dimension, pole) = named[-1] if named else (place - 1, (words[place - 1].token, 1))
    if dimension == "±more":
        # "needs less power than": what is compared stands behind "less", or is the verb before it.
        around = [w.token for w in words[number + 1 : place] if w.is_content] or [
            words[number - 1].token
        ]
        dimension = around[0]
    elif named and dimension == "±cost" and "less" in more:
        sign = -1
    left, right = marks_of(words[:number]), marks_of(_up_to_place(words[place + 1 :]))
    if not left:
        left = marks_of(words[number + 1 : place])  # "It is easier to A than to B."
    left = left | before
    if {word.lower for word in words[:number]} & PRONOUNS and not left - {dimension}:
        left = before
    ends = (left, right) if pole * sign > 0 else (right, left)
    return [_Comparison(dimension, *ends, words[number].lower)]


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
    if not any(word.is_content for word in left):
        # "After A, do B": the comma parts the two.
        length = _words_before_comma(sentence)
        left, right = words[length:], words[place + 1 : length]
    ends = (marks_of(left), marks_of(right))
    first, second = ends if words[place].lower == "before" else (ends[1], ends[0])
    return _Comparison("±before", first, second, words[place].lower)


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

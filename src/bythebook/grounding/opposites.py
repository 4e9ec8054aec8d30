"""Words turned into their opposites: faster for slower, inside for outside, old for new."""

from __future__ import annotations

from collections.abc import Sequence

from bythebook.grounding.reading import Clause, Reading, Word, mark_of, marks_of
from bythebook.grounding.wording import is_light, kin_of, pole_of
from bythebook.terms import stem

# Compared with what stands on both sides of them, in roles.py.
# Words of grammar that have an opposite, and say nothing where it is not there.
_GRAMMAR = frozenset((f"±{stem('same')}", f"±{stem('before')}"))
_RELATIONS = frozenset(("±before",))


def turned_words(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each word of a claim that stands in the source as its opposite."""
    reasons = []
    for clause in claim.clauses:
        if any(word.lower == "than" for word in clause.words):
            continue  # "A is heavier than B" may well be "B is lighter than A"
        for number, word in enumerate(clause.words):
            pole = pole_of(word.lower)
            if pole and pole[0] not in _RELATIONS:
                reason = _turned(clause, number, source)
                reasons += [reason] if reason else []
    return list(dict.fromkeys(reasons))


def _turned(clause: Clause, place: int, source: Reading) -> str | None:
    word = clause.words[place]
    there = [
        (other, number)
        for other in source.clauses
        for number, found in enumerate(other.words)
        if found.token == word.token
    ]
    pole = pole_of(word.lower)
    same = [at for at in there if pole_of(at[0].words[at[1]].lower) == pole]
    against = [at for at in there if at not in same]
    if not against:
        is_grammar = pole is not None and pole[0] in _GRAMMAR and not word.is_content
        if is_grammar or _is_comparative(clause, place, source) or _is_less(word, source):
            return None
        is_told = same or is_light(word.lower) or not is_missing(word, source)
        return None if is_told else _absent(word)
    if same and _nearness(clause, place, same) >= _nearness(clause, place, against):
        return None
    other = against[0][0].words[against[0][1]].lower
    return f"{word.lower!r} and {other!r} are opposites"


def _is_less(word: Word, source: Reading) -> bool:
    """Tell whether "less torque" is said for "lowers the torque", or "more" of what is needed."""
    less = pole_of("reduce")
    return word.lower == "more" or (
        word.lower in ("less", "fewer") and any(pole_of(o.lower) == less for o in source.words)
    )


def _is_comparative(clause: Clause, place: int, source: Reading) -> bool:
    """Tell whether "more quickly" is said for "faster"."""
    ahead = clause.words[place + 1 : place + 2]
    if clause.words[place].lower != "more" or not ahead:
        return False
    pole = pole_of(ahead[0].lower)
    return pole is not None and any(
        word.lower.endswith("er") and pole_of(word.lower) == pole for word in source.words
    )


def is_missing(word: Word, source: Reading) -> bool:
    """Tell whether neither a word nor one that may stand for it is in the source."""
    return kin_of(word.lower).isdisjoint(source.stems)


def _absent(word: Word) -> str:
    return f"{word.lower!r} is not in the passage"


def _nearness(clause: Clause, place: int, others: Sequence[tuple[Clause, int]]) -> tuple[int, int]:
    """Return how many words a word shares with the likest of its other places.

    The words of the whole clause count first, then the two on each side.
    """
    whole, here = _whole(clause, place), _around(clause, place)
    return max((len(whole & _whole(*at)), len(here & _around(*at))) for at in others)


def _whole(clause: Clause, place: int) -> frozenset[str]:
    return (marks_of(clause.words) | clause.carried) - {mark_of(clause.words[place])}


def _around(clause: Clause, place: int) -> set[str]:
    behind = [word.token for word in clause.words[place + 1 :] if word.is_content][:2]
    before = [word.token for word in clause.words[:place] if word.is_content][-2:]
    return set(behind) | set(before)

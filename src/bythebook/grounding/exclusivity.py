"""Words that leave no room: only, sole, always, never, must. The book must say them of the same.

It is not enough that the passage has an "only" somewhere. "Nodes find each other only with the same
domain" does not make 0 "the only domain that can be used". So the words beside such a word have
to stand beside its like in the book.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bythebook.grounding.reading import PRONOUNS, Clause, Reading, Word
from bythebook.grounding.wording import is_light, kin_of, stem_of

# What stands in one set means the same. A "must" may also be told by an order or by "only if".
_FAMILIES = (
    frozenset("only solely alone exclusively just sole purely merely".split()),
    frozenset("always invariably".split()),
    frozenset(("never",)),
    frozenset("must necessary mandatory required requires require needs need".split()),
    frozenset(("exactly",)),
)
_ONLY, _NEVER, _MUST = _FAMILIES[0], _FAMILIES[2], _FAMILIES[3]

# A claim has these for what it restricts; the others of a family count in the book only.
_SAID = frozenset(
    "only solely alone exclusively just sole purely merely always invariably never must mandatory"
    " exactly".split()
)
_BEHIND = frozenset(("alone",))  # restricts what stands before it
_NO_FOCUS = frozenset("one ones single 1 time thing way case choice option possible given".split())

# How far from its "only" the word that it restricts may stand in the book, in words.
_REACH = 7


def unfounded_limits(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each word that leaves no room where the book leaves some."""
    return list(dict.fromkeys(_unfounded(claim, source)))


def _unfounded(claim: Reading, source: Reading) -> Iterator[str]:
    for clause in claim.clauses:
        for place, word in enumerate(clause.words):
            if word.lower in _SAID and not _is_adjective(clause.words, place):
                family = next(family for family in _FAMILIES if word.lower in family)
                if not _is_founded(clause, place, family, source):
                    yield f"{word.lower!r} is not what the passage says of it"


def _is_adjective(words: Sequence[Word], place: int) -> bool:
    """Tell whether "just" or "must" is another word here: "just as", "just after", "a must"."""
    ahead = words[place + 1].lower if place + 1 < len(words) else ""
    little = [word.lower for word in words[place + 1 : place + 3]]
    if little[:1] == ["a"] and little[1:] and little[1] in _LITTLE:
        return True
    return words[place].lower == "just" and (not ahead or ahead in _BEHIND_JUST)


_LITTLE = frozenset("little few bit small short fraction".split())  # "only a little"
_BEHIND_JUST = frozenset("as like after before above another because".split())


def _is_founded(clause: Clause, place: int, family: frozenset[str], source: Reading) -> bool:
    before, behind = _focus(clause.words, place)
    if family is _ONLY and _is_one_at_a_time(clause.words, place, before, source):
        return True
    if family is _MUST and _is_ordered(behind, source):
        return True
    if family is _MUST and clause.words[place + 1 : place + 2] and behind:
        # "You must never write it" for "it is never written".
        family = _NEVER if clause.words[place + 1].lower == "never" else family
    accepted = family | _ONLY if family is _MUST else family
    accepted = accepted | {"non"} if "never" in family else accepted  # "never used" is "unused"
    for sentence, earlier in zip(source.sentences, (None, *source.sentences), strict=False):
        for number, other in enumerate(sentence.words):
            told = earlier if earlier and not PRONOUNS.isdisjoint(sentence.lowers) else None
            if other.lower in accepted and _fits(
                before, behind, sentence, number, family is _ONLY, told
            ):
                return True
    return False


def _is_one_at_a_time(
    words: Sequence[Word], place: int, before: Word | None, source: Reading
) -> bool:
    """Tell whether "only one" or "only once" says no more than the book's "one at a time"."""
    ahead = [word.lower for word in words[place + 1 : place + 3]]
    if ahead[:1] == ["once"]:
        return any(word.lower == "once" for word in source.words)
    is_one = ahead[:1] in (["one"], ["1"]) or ahead == ["a", "single"]
    is_one = is_one and any(word.lower == "time" for word in words[place:])
    behind = [word for word in words[place + 2 :] if _can_be_focus(word)][:1]
    beside = [*behind, before] if before else behind
    return is_one and any(
        _ONE_AT_A_TIME.search(clause.text)
        and all(_is_among(word, _stems(clause.words)) for word in beside)
        for clause in source.clauses
        if behind
    )


_ONE_AT_A_TIME = re.compile(r"\b(?:one|1|a single)(?: [\w-]+){0,3} at a time\b")


def _focus(words: Sequence[Word], place: int) -> tuple[Word | None, Word | None]:
    """Return the nearest words with content before and behind; "alone" looks back only."""
    before = [word for word in words[:place] if _can_be_focus(word)]
    behind = [word for word in words[place + 1 :] if _can_be_focus(word)]
    if words[place].lower in _BEHIND:
        behind = []
    return (before[-1] if before else None), (behind[0] if behind else None)


def _can_be_focus(word: Word) -> bool:
    return word.is_content and word.lower not in _NO_FOCUS and not is_light(word.lower)


def _fits(
    before: Word | None,
    behind: Word | None,
    sentence: Clause,
    place: int,
    is_strict: bool,
    earlier: Clause | None,
) -> bool:
    """Tell whether what is restricted in the claim stands near the same word of the book.

    Both neighbours of an "only" have to be in its sentence. A "must" is often turned round, into
    the passive for instance, and one of them is enough.
    """
    near = _stems(sentence.words[max(0, place - _REACH) : place + 1 + _REACH])
    around = _stems(_half(sentence.words, place)) | sentence.carried
    if earlier:
        around |= _stems(earlier.words)  # what its "them" may stand for
    beside = [word for word in (before, behind) if word]
    if not is_strict and not beside:
        return True
    if not is_strict:
        return any(_is_among(word, near) for word in beside)
    is_near = bool(beside) and _is_among(behind or beside[0], near)
    return is_near and all(_is_among(word, around) for word in beside)


def _half(words: Sequence[Word], place: int) -> Sequence[Word]:
    """Return the words between the contrasts around a place: "only A, whereas B" limits no B."""
    cuts = [number for number, word in enumerate(words) if word.lower in _CONTRASTS]
    start = max((cut for cut in cuts if cut < place), default=0)
    return words[start : min((cut for cut in cuts if cut > place), default=len(words))]


_CONTRASTS = frozenset("while whereas but although".split())


def _stems(words: Sequence[Word]) -> frozenset[str]:
    return frozenset(form for word in words for form in (word.token, stem_of(word.lower)))


def _is_among(word: Word, names: frozenset[str]) -> bool:
    return not kin_of(word.lower).isdisjoint(names)


def _is_ordered(behind: Word | None, source: Reading) -> bool:
    """Tell whether a sentence of the book gives the order that a claim puts as "must"."""
    if behind is None:
        return False
    for sentence in source.sentences:
        opening = [word.lower for word in sentence.words[:2]]
        order = sentence.words[2:3] if opening == ["do", "not"] else sentence.words[:1]
        is_told = opening == ["do", "not"] or not ORDERS.isdisjoint(opening[:1])
        if is_told and _is_among(behind, _stems(order)):
            return True
    return False


ORDERS = frozenset(
    """
    set run use call build add pass create record test check write start keep install give choose
    look compare send hang begin fix relax report refuse measure weigh drive remove enter confirm
    display wait raise restore stop limit clip watch replace repeat open press turn select put take
    make read save load connect clear avoid reset update
    """.split()
)

"""What makes a statement stronger or binds it to a condition: if, may, should, some, all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from bythebook.grounding.exclusivity import ORDERS
from bythebook.grounding.reading import Clause, Reading, Word, nearest
from bythebook.grounding.wording import token

_HEDGES = frozenset(
    "may might could perhaps possibly probably likely often usually typically normally generally"
    " sometimes occasionally frequently rarely seldom mostly".split()
)
_POSSIBLE = frozenset("may might could perhaps possibly".split())
_WEAKER = _HEDGES | {"can", "not", "never", "no"}
_ABLE = frozenset(("can", *_POSSIBLE))
_CUSTOMARY = frozenset("usual typical normal common commonly general".split())
_CONDITIONS = frozenset("if unless when whenever provided otherwise".split())
# What makes of a statement something the book does not itself state.
_REPORTED = re.compile(
    r"\b(?:say|says|said|saying|claim(?:s|ed)?(?= that)|believe[sd]?|pretend\w*|imagine\w*|suppose"
    r"|assum(?:e[sd]?|ptions?)|myth|repeat after"
    r"|(?:false|wrong|incorrect)(?= (?:that|to|claim|belief|statement|idea|answer)\b)"
    r"|(?:reply|respond)(?= (?:with|that|only)\b))\b"
    r"(?! (?:where|how|what|which|when|whether|who|little|nothing|much|more|less|a lot)\b)",
    re.IGNORECASE,
)
# A claim may not be stronger than the book. What stands on one line means the same.
_STRONG = tuple(
    frozenset(line.split())
    for line in (
        "should",
        "guarantee guarantees guaranteed ensure ensures ensured",
    )
)
_QUANTIFIERS = {
    **dict.fromkeys("all every each any entire whole".split(), "all"),
    **dict.fromkeys("some several multiple".split(), "some"),
    "many": "many",
    "most": "most",
    "few": "few",
    "both": "both",
    "half": "half",
}
_NOTHING = frozenset("not no never without nor before until if whether".split())
_PARTIAL = frozenset(("some", "many", "most", "few", "half"))


def changed_certainty(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each statement that is hedged or bounded on one side only."""
    return [
        *_conditions(claim, source),
        *_reports(claim, source),
        *_hedges(claim, source),
        *_strong_words(claim, source),
        *_obliged(claim, source),
        *_quantifiers(claim, source),
    ]


def _behind(text: Reading, marks: frozenset[str]) -> set[str]:
    """Return what the first word with content behind each mark counts as."""
    found = set()
    for sentence in text.sentences:
        for number, word in enumerate(sentence.words):
            if word.lower in marks:
                found |= {name.token for name in _next(sentence.words[number + 1 :])}
    return found


def _next(words: tuple[Word, ...], count: int = 1) -> list[Word]:
    return [word for word in words if word.is_content][:count]


def _is_plain(name: str, claim: Reading, source: Reading) -> bool:
    """Tell whether the source also says a thing of the claim without any hedge."""
    clauses = (clause for clause in source.clauses if not clause.lowers & _HEDGES)
    return any(name in plain.tokens and len(plain.tokens & claim.tokens) > 1 for plain in clauses)


def _conditions(claim: Reading, source: Reading) -> Iterator[str]:
    if any(clause.lowers & _CONDITIONS for clause in claim.clauses):
        return  # a condition more makes a claim weaker, and its words have to be in the book
    for sentence in claim.sentences:
        near = nearest(sentence, source.clauses)
        if near and all(_drops_condition(sentence, other, source) for other in near):
            yield "the passage sets a condition that the claim leaves out"
        elif near and all(_is_only_supposed(sentence, other, source) for other in near):
            yield "the passage only supposes this"


def _drops_condition(sentence: Clause, other: Clause, source: Reading) -> bool:
    """Tell whether a clause holds on a condition whose words the claim does not even have."""
    together = [clause for clause in source.clauses if clause.sentence == other.sentence]
    place = together.index(other)
    following = together[place + 1 : place + 2]
    governing = [other, *(following if _reaches_end(sentence, other) else [])]
    if place == 1:
        governing.append(together[0])  # "If A, B." but not "B, if A, C."
    return any(
        clause.lowers & _CONDITIONS
        and 2 * len(clause.tokens & sentence.tokens) < len(clause.tokens)
        for clause in governing
        if clause is not together[0] or clause is other or _opens(clause)
    )


def _reaches_end(sentence: Clause, other: Clause) -> bool:
    """Tell whether a claim has anything of what stands behind the last "and" of a clause.

    In "it stores A and starts B when C", the condition is that of the second half only.
    """
    joints = [number for number, word in enumerate(other.words) if word.lower == "and"]
    cut = joints[-1] if joints else len(other.words)
    head, tail = other.words[:cut], other.words[cut:]
    named = {word.token for word in head if word.is_content}
    last = {word.token for word in tail if word.is_content} - named
    return not last or bool(last & sentence.tokens)


def _is_only_supposed(sentence: Clause, other: Clause, source: Reading) -> bool:
    """Tell whether a claim states what the book says in an "if" and nothing of what follows."""
    beside = [clause for clause in source.clauses if clause.sentence == other.sentence]
    follows = {name for clause in beside if clause is not other for name in clause.tokens}
    elsewhere = {name for clause in source.clauses if clause is not other for name in clause.tokens}
    return (
        _opens(other)
        and bool(follows - other.tokens)
        and not sentence.tokens & (follows - other.tokens)
        and not sentence.tokens <= elsewhere
    )


def _opens(clause: Clause) -> bool:
    return bool(clause.words) and clause.words[0].lower in _CONDITIONS


def _reports(claim: Reading, source: Reading) -> Iterator[str]:
    for sentence in claim.sentences:
        near = nearest(sentence, source.sentences)
        if near and all(
            bool(_REPORTED.search(other.text)) != bool(_REPORTED.search(sentence.text))
            for other in near
        ):
            found = _REPORTED.search(sentence.text) or _REPORTED.search(near[0].text)
            yield f"{found[0].lower() if found else ''!r} is in only one of them"


def _hedges(claim: Reading, source: Reading) -> Iterator[str]:
    words = frozenset(word.lower for word in claim.words)
    there = frozenset(word.lower for word in source.words)
    lost = _behind(source, _HEDGES) - _behind(claim, _HEDGES | _ABLE)
    if not words & _HEDGES:
        for name in sorted(lost & claim.tokens):
            if not _is_plain(name, claim, source):
                yield f"the passage is less certain about {name!r}"
    kinds = {token(word) for word in there & _HEDGES}
    if there & _POSSIBLE:
        kinds |= {token(word) for word in _POSSIBLE}
    if there & _CUSTOMARY:
        kinds.add(token("usually"))
    for word in sorted(words & _HEDGES):
        if word in _POSSIBLE and _behind(claim, _POSSIBLE) <= _behind(source, _ABLE):
            continue
        if token(word) not in kinds:
            yield f"{word!r} is not in the passage"


def _strong_words(claim: Reading, source: Reading) -> Iterator[str]:
    here = frozenset(word.lower for word in claim.words)
    there = frozenset(word.lower for word in source.words)
    for same in _STRONG:
        is_weaker = "should" not in same or any(
            clause.lowers & _WEAKER
            for part in claim.clauses
            if part.lowers & same
            for clause in nearest(part, source.clauses)
        )
        if here & same and not there & same and is_weaker and not _is_told(here & same, source):
            yield f"{sorted(here & same)[0]!r} is stronger than the passage"


def _obliged(claim: Reading, source: Reading) -> Iterator[str]:
    """Yield "must" where the nearest clauses of the source only say "may"."""
    for clause in claim.clauses:
        near = nearest(clause, source.clauses)
        is_free = near and all(
            other.lowers & (_ABLE | _HEDGES) and not other.lowers & _BINDING for other in near
        )
        if is_free and "must" in clause.lowers and not clause.lowers & _HEDGES:
            yield "'must' is stronger than the passage"


_BINDING = frozenset("must need needs require requires required only not".split())


def _is_told(strong: frozenset[str], source: Reading) -> bool:
    """Tell whether "should" says no more than an order of the book does: "Set it to true."."""
    orders = (sentence.words[0].text for sentence in source.sentences if sentence.words)
    is_advised = not _ADVICE.isdisjoint(word.lower for word in source.words)
    return strong <= {"should"} and (is_advised or any(word.lower() in ORDERS for word in orders))


# What says as much as "should": "is the right choice", "is preferred", "has to be".
_ADVICE = frozenset("right best prefer preferred recommended advisable".split())


def _quantifiers(claim: Reading, source: Reading) -> Iterator[str]:
    for clause in claim.clauses:
        near = nearest(clause, source.clauses)
        here = _kinds(clause)
        if not near or any(_kinds(other) == here for other in near):
            continue
        there = {kind for other in near for kind in _kinds(other)}
        for kind in sorted(here.keys() - there):
            if kind == "both" and any(other.lowers & {"and", "2"} for other in near):
                continue
            if kind == "many" and any("much" in other.lowers for other in near):
                continue
            if kind == "one of" and any("one" in other.lowers for other in near):
                continue
            is_rival = kind in _MANY and all(_ONLY_ONE.search(other.text) for other in near)
            if not is_rival and _is_said_of(clause, here[kind], near, source):
                continue
            if here[kind] in _OF_ANY_ONE and _is_generic(clause, here[kind], source):
                continue
            yield f"{here[kind]!r} is not what the passage says of it"
        if any(_is_each_of(clause, other) for other in near):
            yield "the passage says it of more than one"
        kept = here.keys() & _PARTIAL
        for other in near:
            lost = {k: word for k, word in _kinds(other).items() if k in _PARTIAL}
            if lost and not kept and _bounds(other, set(lost.values())) & clause.tokens:
                yield f"the passage says {sorted(lost.values())[0]!r} of it"


def _is_each_of(clause: Clause, other: Clause) -> bool:
    """Tell whether "one finger" is said where the book has "both fingers" or "all fingers"."""
    of_each = {word for kind, word in _kinds(other).items() if kind in ("all", "both")}
    is_kept = _kinds(clause).keys() & {"all", "both"} or not of_each
    return not is_kept and bool(_bounds(clause, {"one"}) & _bounds(other, of_each))


def _is_said_of(clause: Clause, word: str, near: list[Clause], source: Reading) -> bool:
    """Tell whether the same is said of a thing elsewhere, and nothing else in the near clauses."""
    things = _bounds(clause, {word})
    pairs = [(other, _kinds(other)) for other in source.clauses]
    same = any(
        _QUANTIFIERS.get(word) in kinds
        and (things & _bounds(other, set(kinds.values())) or _OF_THEM.search(other.text))
        for other, kinds in pairs
    )
    return same and not any(things & _bounds(other, set(_kinds(other).values())) for other in near)


_MANY = frozenset(("all", "some", "many", "few"))
_ONLY_ONE = re.compile(r"\b(?:only|exactly|just) (?:one|1|a single)\b")
_OF_THEM = re.compile(r"\b(?:all|each|every one|any) of (?:them|these|those)\b")
_ONE = frozenset(("per", "one"))
_OF_ANY_ONE = frozenset("each every any".split())


def _is_generic(clause: Clause, word: str, source: Reading) -> bool:
    """Tell whether "each node is" is said for "a node is": of any one, whichever it is."""
    things = _bounds(clause, {word})
    for part in source.clauses:
        opening = [found.lower for found in part.words[:4]]
        first = _next(part.words)
        is_any = opening[:1] in (["a"], ["an"]) or first == list(part.words[:1])
        if any(one.lower in _ONE and two.token in things for one, two in pairwise(part.words)):
            return True  # "every second" for "once per second", "each pixel" for "one pixel"
        is_whole = not {"that", "of", "which", "who"} & set(opening)
        if is_any and is_whole and things & {found.token for found in first}:
            return True
    return False


def _kinds(clause: Clause) -> dict[str, str]:
    """Return the quantifiers of a clause by kind, each with its word."""
    lowers = [word.lower for word in clause.words]
    for number, word in enumerate(lowers):
        if word == "any" and not _NOTHING.isdisjoint(lowers[:number]):
            lowers[number] = ""  # "without any error" speaks of none, "before any" of one
    found = {_QUANTIFIERS[word]: word for word in reversed(lowers) if word in _QUANTIFIERS}
    for word, following in pairwise(lowers):
        if word in ("one", "1") and following == "of":
            found["one of"] = "one of"
        if (word, following) == ("a", "few") and "few" in found:
            del found["few"]
            found.setdefault("some", "few")  # "a few seconds" are some, "few" are not many
    return found


def _bounds(clause: Clause, quantifiers: set[str]) -> set[str]:
    """Return what the quantifiers of a clause stand before."""
    found = set()
    for number, word in enumerate(clause.words):
        if word.lower in quantifiers:
            found |= {name.token for name in _next(clause.words[number + 1 :])}
    return found

"""What turns a statement round or makes it stronger: not, if, may, always, some, all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from bythebook.grounding.exclusivity import ORDERS
from bythebook.grounding.reading import Clause, Reading, Word, nearest
from bythebook.grounding.wording import is_light, kin_of, stem_of, token

_DENIALS = frozenset("not no never none without neither nor nothing nobody hardly instead".split())
_NEGATIONS = _DENIALS | {"unless"}
_HEDGES = frozenset(
    "may might could perhaps possibly probably likely often usually typically normally generally"
    " sometimes occasionally frequently rarely seldom mostly".split()
)
_POSSIBLE = frozenset("may might could perhaps possibly".split())
_CUSTOMARY = frozenset("usual typical normal common commonly general".split())
_CONDITIONS = frozenset("if unless when whenever provided otherwise".split())
# What makes of a statement something the book does not itself state.
_REPORTED = re.compile(
    r"\b(?:say|says|said|saying|claim|claims|claimed|believe[sd]?|pretend\w*|imagine\w*|suppose"
    r"|assume[sd]?|myth|false|wrong|incorrect|reply|respond|repeat after)\b"
    r"(?! (?:where|how|what|which|when|whether|who|little|nothing|much|more|less|a lot)\b)",
    re.IGNORECASE,
)
# A claim may not be stronger than the book. What stands on one line means the same.
_STRONG = tuple(
    frozenset(line.split())
    for line in (
        "should",
        "guarantee guarantees guaranteed ensure ensures ensured",
        "will",
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
_PARTIAL = frozenset(("some", "many", "most", "few", "half"))


def changed_certainty(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each statement that is denied, hedged or bounded on one side only."""
    return [
        *_denials(claim, source),
        *_conditions(claim, source),
        *_reports(claim, source),
        *_hedges(claim, source),
        *_strong_words(claim, source),
        *_quantifiers(claim, source),
    ]


def _denials(claim: Reading, source: Reading) -> Iterator[str]:
    said = {word.lower for word in claim.words} & _DENIALS
    if said and not {word.lower for word in source.words} & _DENIALS:
        yield f"{sorted(said)[0]!r} is in only one of them"
    here, there = _behind(claim, _DENIALS), _behind(source, _DENIALS)
    stems = {stem_of(word.lower) for word in source.words if word.token in there}
    for word in sorted(here - there):
        if kin_of(word).isdisjoint(there | stems) and not _is_set_aside(word, claim, source):
            yield f"{word!r} is denied, but not in the passage"
    for word in sorted((there - here) & claim.tokens - _free(source, _NEGATIONS)):
        if kin_of(word).isdisjoint(here) and not _is_set_aside(word, claim, source):
            yield f"{word!r} is denied in the passage"
    yield from _denied_phrases(claim, source)
    for clause in claim.clauses:
        near = nearest(clause, source.clauses)
        if near and all(_is_turned(clause, claim, other, source) for other in near):
            names = (clause.lowers | near[0].lowers) & _NEGATIONS
            yield f"{sorted(names)[0]!r} is in only one of them"


def _is_turned(clause: Clause, claim: Reading, other: Clause, source: Reading) -> bool:
    """Tell whether one of two clauses is denied and the other is not.

    The two texts may be cut into clauses at different places, so the same denial may stand in
    the clause beside it.
    """
    here, there = bool(clause.lowers & _NEGATIONS), bool(other.lowers & _NEGATIONS)
    if here == there:
        return False
    denied, whole = (
        (clause, source.sentences[other.sentence])
        if here
        else (other, claim.sentences[clause.sentence])
    )
    words = _denied(denied)
    return not words or not words <= _denied(whole)


def _denied(clause: Clause) -> set[str]:
    found = set()
    for number, word in enumerate(clause.words):
        if word.lower in _NEGATIONS:
            found |= {name.token for name in _next(clause.words[number + 1 :])}
    return found


def _is_set_aside(word: str, claim: Reading, source: Reading) -> bool:
    """Tell whether both put a thing aside: "instead of predicting one" and "instead of one"."""
    here, there = _aside(claim), _aside(source)
    return word in here | there and bool(here & there)


def _aside(text: Reading) -> set[str]:
    found = set()
    for sentence in text.sentences:
        for number, word in enumerate(sentence.words):
            if word.lower == "instead":
                found |= {name.token for name in _next(sentence.words[number + 1 :], 3)}
    return found


def _denied_phrases(claim: Reading, source: Reading) -> Iterator[str]:
    """Yield what is said in a clause and nowhere in the source but behind a "not"."""
    free = [clause.tokens for clause in source.clauses if not clause.lowers & _NEGATIONS]
    said = [clause.tokens for clause in claim.clauses if not clause.lowers & _NEGATIONS]
    for clause in source.clauses:
        for number, word in enumerate(clause.words):
            if word.lower in _NEGATIONS:
                denied = {name.token for name in _next(clause.words[number + 1 :], 3)}
                for shared in (denied & tokens for tokens in said):
                    if len(shared) > 1 and not any(shared <= tokens for tokens in free):
                        yield f"{' '.join(sorted(shared))!r} is denied in the passage"


def _behind(text: Reading, marks: frozenset[str]) -> set[str]:
    """Return what the first word with content behind each mark counts as."""
    found = set()
    for sentence in text.sentences:
        for number, word in enumerate(sentence.words):
            if word.lower in marks and word.lower not in _WHOLE:
                found |= {name.token for name in _next(sentence.words[number + 1 :])}
    return found


_WHOLE = frozenset("nothing none nobody".split())  # these deny by themselves: "costs nothing"


def _next(words: tuple[Word, ...], count: int = 1) -> list[Word]:
    return [word for word in words if word.is_content][:count]


def _free(text: Reading, marks: frozenset[str]) -> set[str]:
    """Return what stands in clauses without any of the marks."""
    clauses = (clause for clause in text.clauses if not clause.lowers & marks)
    return {name for clause in clauses for name in clause.tokens}


def _conditions(claim: Reading, source: Reading) -> Iterator[str]:
    if any(clause.lowers & _CONDITIONS for clause in claim.clauses):
        is_set = any(clause.lowers & _CONDITIONS for clause in source.clauses)
        if not is_set and not _narrows(claim, source):
            yield "the claim sets a condition that is not in the passage"
        return
    for sentence in claim.sentences:
        near = nearest(sentence, source.clauses)
        if near and all(_drops_condition(sentence, other, source) for other in near):
            yield "the passage sets a condition that the claim leaves out"
        elif near and all(_is_only_supposed(sentence, other, source) for other in near):
            yield "the passage only supposes this"


def _narrows(claim: Reading, source: Reading) -> bool:
    """Tell whether a condition only says in which case the book's sentence is meant.

    "If values are too small, it fails" is "values that are too small make it fail".
    """
    return all(
        any(_is_within(sentence, other) for other in source.sentences)
        for sentence in claim.sentences
        if sentence.lowers & _CONDITIONS
    )


def _is_within(sentence: Clause, other: Clause) -> bool:
    names = other.tokens | other.carried | {stem_of(word.lower) for word in other.words}
    said = [word for word in sentence.words if word.is_content and not is_light(word.lower)]
    return all(not kin_of(word.lower).isdisjoint(names) for word in said)


def _drops_condition(sentence: Clause, other: Clause, source: Reading) -> bool:
    """Tell whether a clause holds on a condition whose words the claim does not even have."""
    together = [clause for clause in source.clauses if clause.sentence == other.sentence]
    place = together.index(other)
    governing = [other, *together[place + 1 : place + 2]]
    if place == 1:
        governing.append(together[0])  # "If A, B." but not "B, if A, C."
    return any(
        clause.lowers & _CONDITIONS and not clause.tokens <= sentence.tokens
        for clause in governing
        if clause is not together[0] or clause is other or _opens(clause)
    )


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
    lost = _behind(source, _HEDGES) - _behind(claim, _HEDGES)
    if not words & _HEDGES:
        for name in sorted(lost & claim.tokens - _free(source, _HEDGES)):
            yield f"the passage is less certain about {name!r}"
    kinds = {token(word) for word in there & _HEDGES}
    if there & _POSSIBLE:
        kinds |= {token(word) for word in _POSSIBLE}
    if there & _CUSTOMARY:
        kinds.add(token("usually"))
    for word in sorted(words & _HEDGES):
        if token(word) not in kinds:
            yield f"{word!r} is not in the passage"


def _strong_words(claim: Reading, source: Reading) -> Iterator[str]:
    here = frozenset(word.lower for word in claim.words)
    there = frozenset(word.lower for word in source.words)
    for same in _STRONG:
        if here & same and not there & same and not _is_told(here & same, source):
            yield f"{sorted(here & same)[0]!r} is stronger than the passage"


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
            if kind == "both" and any("and" in other.lowers for other in near):
                continue
            if _is_said_of(clause, here[kind], near, source):
                continue
            yield f"{here[kind]!r} is not what the passage says of it"
        kept = here.keys() & _PARTIAL
        for other in near:
            lost = {k: word for k, word in _kinds(other).items() if k in _PARTIAL}
            if lost and not kept and _bounds(other, set(lost.values())) & clause.tokens:
                yield f"the passage says {sorted(lost.values())[0]!r} of it"


def _is_said_of(clause: Clause, word: str, near: list[Clause], source: Reading) -> bool:
    """Tell whether the same is said of a thing elsewhere, and nothing else in the near clauses."""
    things = _bounds(clause, {word})
    pairs = [(other, _kinds(other)) for other in source.clauses]
    same = any(
        _QUANTIFIERS.get(word) in kinds and things & _bounds(other, set(kinds.values()))
        for other, kinds in pairs
    )
    return same and not any(things & _bounds(other, set(_kinds(other).values())) for other in near)


def _kinds(clause: Clause) -> dict[str, str]:
    """Return the quantifiers of a clause by kind, each with its word."""
    lowers = [word.lower for word in clause.words]
    found = {_QUANTIFIERS[word]: word for word in reversed(lowers) if word in _QUANTIFIERS}
    for word, following in pairwise(lowers):
        if word in ("one", "1") and following == "of":
            found["one of"] = "one of"
    return found


def _bounds(clause: Clause, quantifiers: set[str]) -> set[str]:
    """Return what the quantifiers of a clause stand before."""
    found = set()
    for number, word in enumerate(clause.words):
        if word.lower in quantifiers:
            found |= {name.token for name in _next(clause.words[number + 1 :])}
    return found

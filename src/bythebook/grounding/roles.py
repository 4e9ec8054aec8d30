"""Who does what to whom, and which way.

All words of a false claim may stand in the book: "the camera publishes to the detector" has those
of its reverse. So the words on both sides of a verb and of "from ... to" are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bythebook.grounding.reading import PRONOUNS, Clause, Reading, Word, marks_of
from bythebook.grounding.wording import token

VERBS = frozenset(
    token(word)
    for word in """
    send publish subscribe receive call control drive connect contain feed convert map produce
    depend follow precede read write own wrap replace extend inherit start stop request answer
    detect measure estimate correct train teach learn command inform tell ask cause lead require
    load import export trigger limit override cover include carry support publishes compute decode
    encode block interpolate react overrule decide plan track execute interrupt claim copy render
    raise lower increase decrease describe define cut turn hold give see cost need update differ
    drift blocks return fail gather compare change reuse hang drop report pass finds find
    configure activate listen speak hand move push pull protect guard check watch create delete
    allow keep save serve insert treat represent ignore recover provide occupy catch let divide
    assemble store place begin end stay choose combine refuse reject warn monitor manage handle
    absorb track match spread search reset split clip wait accept filter improve work sit put
    predict plan learn adapt reach leave enter lift grasp grip place stabilise balance swing step
    simulate parse validate log launch spawn attach detach bridge forward filter fuse align scale
    cancel abort retry schedule queue buffer cache compress encrypt sign mount
    """.split()
)
_LINKING = frozenset("is are was were has have had".split())
_BE = frozenset("is are was were be been being get gets".split())
_PARTICIPLES = frozenset(
    "sent read held built made run taken written given driven cut found put kept known seen fed"
    " led told drawn lost taught set shown hung overridden brought bought sold".split()
)
_NOT_A_VERB_BEHIND = frozenset(
    "a an the of its their this that these each every in on for with by from as at some any"
    " and".split()
)


@dataclass(frozen=True)
class _Frame:
    verb: str
    subject: frozenset[str]
    object: frozenset[str]
    tools: frozenset[str] = frozenset()
    is_identity: bool = False  # "A is the B" is also "the B is A"


def swapped_roles(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each claim about one thing that the source makes of another."""
    return [*_verbs(claim, source), *_ways(claim, source)]


def _verbs(claim: Reading, source: Reading) -> Iterator[str]:
    known = _frames(source)
    for frame in _frames(claim, is_claim=True):
        same = [other for other in known if other.verb == frame.verb and other.subject]
        subject = _best(frame.subject, [other.subject for other in same])
        target = _best(frame.object, [other.object for other in same])
        if not frame.subject or not same or any(_is_tool(frame, other) for other in same):
            continue
        if any(_is_turned_identity(frame, other) for other in same):
            continue
        if all(_is_crossed(frame, other) for other in same):
            yield f"roles of {_name(frame.subject)} and {_name(frame.object)} are swapped"
        elif not target:
            continue
        elif subject & target:
            if all(_is_another(frame, same[number], known) for number in subject & target):
                yield f"the passage does not say this of {_name(frame.subject)}"
        elif not subject:
            yield f"the passage does not say this of {_name(frame.subject)}"
        else:
            yield f"roles of {_name(frame.subject)} and {_name(frame.object)} are swapped"


def _is_tool(here: _Frame, there: _Frame) -> bool:
    """Tell whether "a gauge measures" is said for "a gripper measures with a gauge"."""
    return bool(here.subject) and here.subject <= there.tools


def _is_turned_identity(here: _Frame, there: _Frame) -> bool:
    if not (here.verb == "be" and there.is_identity):
        return False
    return here.subject <= there.object and bool(here.object & there.subject)


def _is_another(here: _Frame, there: _Frame, known: Sequence[_Frame]) -> bool:
    """Tell whether a subject is rather that of another sentence: two kinds of one thing."""
    shared = len(here.subject & there.subject)
    closer = any(len(here.subject & other.subject) > shared for other in known)
    return closer and bool(there.subject - here.subject)


def _is_crossed(here: _Frame, there: _Frame) -> bool:
    """Tell whether who acts in the one is acted upon in the other."""
    acts = here.object & there.subject - there.object
    is_acted_upon = here.subject & there.object - there.subject
    return bool(acts) and (bool(is_acted_upon) or not here.subject & there.subject)


def _best(words: frozenset[str], others: Sequence[frozenset[str]]) -> set[int]:
    """Return which of the others share most words, or none when no word is shared."""
    shared = [len(words & other) for other in others]
    best = max(shared, default=0)
    return {number for number, count in enumerate(shared) if count == best and best}


def _name(words: frozenset[str]) -> str:
    return repr(" ".join(sorted(word.lstrip("+-±") for word in words)[:2]))


def _frames(text: Reading, is_claim: bool = False) -> list[_Frame]:
    frames: list[_Frame] = []
    before: frozenset[str] = frozenset()  # the subject of the sentence before, for its "it"
    sentence = -1
    subject = frozenset[str]()
    for clause in text.clauses:
        if clause.sentence != sentence:
            sentence, before, subject = clause.sentence, subject or before, frozenset()
        found = _frames_of(clause, subject, before, is_claim)
        frames += found
        subject = next((frame.subject for frame in found if frame.subject), subject)
    return frames


def _frames_of(
    clause: Clause, inherited: frozenset[str], before: frozenset[str], is_claim: bool
) -> list[_Frame]:
    words = clause.words
    places = _places(words)
    frames: list[_Frame] = []
    for place, end in zip(places, [*places, len(words)][1:], strict=True):
        opening = words[: places[0]]
        subject = marks_of(opening)
        close = words[max(0, place - 2) : place]
        if any(word.lower in PRONOUNS for word in (close if subject else opening)):
            subject = inherited or before
        elif not subject and places[0] <= 1 and inherited and opening:
            subject = inherited
        elif place > places[0] and words[place - 1].lower in _RELATIVE:
            defined = any(words[number].lower in _LINKING for number in places if number < place)
            named = _noun_before(words, place - 1, places)
            subject = subject | named if defined or is_claim else named
        behind = words[place + 1 : end]
        frames.append(_frame(words, place, subject, behind))
    return frames


def _noun_before(words: Sequence[Word], place: int, places: Sequence[int]) -> frozenset[str]:
    """Return what a "that" stands for: the words between the last verb or preposition and it."""
    start = max((number + 1 for number in places if number < place), default=0)
    cut = [n + 1 for n in range(start, place) if words[n].lower in _AWAY]
    return marks_of(words[max([start, *cut]) : place])


_RELATIVE = frozenset("that which who".split())


def _places(words: Sequence[Word]) -> list[int]:
    """Return where the verbs stand; a second one needs a word that joins it: "makes checks" does
    not say that anything checks."""
    places: list[int] = []
    for number in range(len(words)):
        between = {word.lower for word in words[places[-1] : number]} if places else _JOINTS
        if between & _JOINTS and _is_verb(words, number):
            places.append(number)
    return places


_JOINTS = frozenset("and or but to that which who can may must will not should then".split())


def _frame(
    words: Sequence[Word], place: int, subject: frozenset[str], behind: Sequence[Word]
) -> _Frame:
    """Return the frame of a verb; in the passive the subject stands behind "by"."""
    verb = "be" if words[place].lower in _LINKING else words[place].token
    verb = "have" if words[place].lower in ("has", "have", "had") else verb
    if not _is_passive(words, place):
        is_identity = verb == "be" and bool(behind) and behind[0].lower == "the"
        return _Frame(verb, subject, marks_of(behind), _tools(behind), is_identity)
    lowers = [word.lower for word in behind]
    if "by" not in lowers:
        return _Frame(verb, frozenset(), subject | marks_of(behind))
    agent = lowers.index("by")
    end = next((n for n in range(agent + 1, len(lowers)) if lowers[n] in _AWAY), len(lowers))
    rest = marks_of(behind[:agent]) | marks_of(behind[end:])
    return _Frame(verb, marks_of(behind[agent + 1 : end]), subject | rest)


_INSTRUMENTAL = ("with", "using", "by", "via")


def _tools(words: Sequence[Word]) -> frozenset[str]:
    place = next((n for n, word in enumerate(words) if word.lower in _INSTRUMENTAL), None)
    return frozenset() if place is None else marks_of(words[place + 1 :])


_AWAY = frozenset("at in on to with from for as into when while near instead".split())


def _is_verb(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if word.lower in _LINKING:
        ahead = words[place + 1 : place + 3]
        if any(other.lower == "than" for other in words[place:]):
            return False  # a comparison has its own rule
        return not any(_is_participle(other) for other in ahead)
    following = words[place + 1].lower if place + 1 < len(words) else ""
    if word.lower.endswith("ing") or following in _BE:
        return False
    if word.is_content and _is_passive(words, place):
        return True
    if word.token not in VERBS:
        return word.lower.endswith("s") and word.is_content and following in _DETERMINERS
    behind = words[place - 1].lower if place else ""
    if not word.lower.endswith(("s", "ed")) and word.lower not in _PARTICIPLES:
        # "server request" is no verb, "sensors measure" is.
        if following in _DETERMINERS and behind not in _NOT_A_VERB_BEHIND:
            return True
        return not behind or behind.endswith(("s", "ly")) or behind in _BEFORE_A_VERB
    is_joined = behind in ("and", "that") and place > 1 and word.lower.endswith("s")
    return behind not in _NOT_A_VERB_BEHIND or is_joined


_BEFORE_A_VERB = _JOINTS | frozenset("they you we people only also never always data".split())

# "inserts another": a word that ends in s before one of these is a verb.
_DETERMINERS = frozenset("a an the its their another each every no it them only always".split())


def _is_participle(word: Word) -> bool:
    return word.lower.endswith("ed") or word.lower in _PARTICIPLES


def _is_passive(words: Sequence[Word], place: int) -> bool:
    around = {word.lower for word in words[max(0, place - 3) : place]}
    return bool(around & _BE) and _is_participle(words[place])


def _ways(claim: Reading, source: Reading) -> Iterator[str]:
    """Compare what stands in "from A to B" and "A into B"."""
    there = [way for sentence in source.sentences for way in _from_to(sentence.words)]
    for sentence in claim.sentences:
        for start, end in _from_to(sentence.words):
            if (start, end) not in there and (end, start) in there:
                yield f"'{start} to {end}' is the other way round in the passage"


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

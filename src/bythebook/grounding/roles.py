"""Who does what to whom.

All words of a false claim may stand in the book: "the camera publishes to the detector" has those
of its reverse. So the words on both sides of a verb are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bythebook.grounding.reading import PRONOUNS, Clause, Reading, Word, mark_of, marks_of
from bythebook.grounding.wording import stem_of, token

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
    cancel abort retry schedule queue buffer cache compress encrypt sign mount announce declare
    accelerate decelerate switch use add
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
    is_direct: bool = True  # whether it is done to something: "runs it", not "runs in it"
    tools: frozenset[str] = frozenset()
    has_pronoun: bool = False  # "moves it"
    is_plural: bool = False
    is_activity: bool = False  # "reading it is cheap"
    topic: frozenset[str] = frozenset()  # what the sentence is about, also in the passive
    is_identity: bool = False  # "A is the B" is also "the B is A"


def swapped_roles(claim: Reading, source: Reading) -> list[str]:
    """Return a reason for each claim about one thing that the source makes of another."""
    return list(_verbs(claim, source))


def _verbs(claim: Reading, source: Reading) -> Iterator[str]:
    known = _frames(source)
    for frame in _frames(claim, is_claim=True):
        same = [other for other in known if other.verb == frame.verb and other.subject]
        subject = _best(frame.subject, [other.subject for other in same])
        target = _best(frame.object, [other.object for other in same])
        if frame.verb == "be" and frame.is_activity:
            continue  # "reading it is cheap" for "it is cheap to read"
        if not frame.subject or not same or any(_is_tool(frame, other) for other in same):
            continue
        if _has_tool_of_another(frame, same, known):
            yield f"the passage does not say this of {name_of(frame.tools)}"
        if any(_is_turned_identity(frame, other) for other in same):
            continue
        if any(_happens_to(frame, other) for other in same) or frame.subject <= _NAMELESS:
            continue
        if all(_is_crossed(frame, other) for other in same):
            yield f"roles of {name_of(frame.subject)} and {name_of(frame.object)} are swapped"
        elif not target:
            continue
        elif subject & target:
            if all(_is_another(frame, same[number], known) for number in subject & target):
                yield f"the passage does not say this of {name_of(frame.subject)}"
        elif not subject:
            yield f"the passage does not say this of {name_of(frame.subject)}"
        elif not any(same[number].subject <= frame.subject for number in target):
            yield f"roles of {name_of(frame.subject)} and {name_of(frame.object)} are swapped"


def _is_tool(here: _Frame, there: _Frame) -> bool:
    """Tell whether "a gauge measures" is said for "a gripper measures with a gauge"."""
    return bool(here.subject) and here.subject <= there.tools


def _has_tool_of_another(here: _Frame, same: Sequence[_Frame], known: Sequence[_Frame]) -> bool:
    """Tell whether "predicts with A" is said for "predicts with B and corrects with A"."""
    if not here.tools or not all(other.tools for other in same):
        return False
    others = [other for other in known if other not in same]
    return not any(here.tools & other.tools for other in same) and any(
        here.tools <= other.tools for other in others
    )


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
    if not acts or (not there.object and here.verb.lstrip("+-") in _ERGATIVE):
        return False  # "this shrinks the gap" for "the gap shrinks"
    is_acted_upon = here.subject & there.object - there.subject
    # "Controllers load the controller manager" for "the controller manager loads controllers".
    is_part = here.subject <= there.object and bool(acts - here.subject)
    return bool(is_acted_upon) or is_part or not here.subject & there.subject


# What can happen to a thing by itself or be done to it.
_ERGATIVE = frozenset(
    token(word)
    for word in """
    shrink grow increase decrease raise lower reduce improve change start begin stop end move open
    close turn vary double halve slow accelerate heat cool break drop fail run combine split
    """.split()
)


def _happens_to(here: _Frame, there: _Frame) -> bool:
    """Tell whether "callbacks run in it" is said for "it runs callbacks"."""
    is_ergative = here.verb.lstrip("+-") in _ERGATIVE
    is_same = here.subject <= there.object or there.has_pronoun
    return is_ergative and not here.is_direct and is_same


# "The method is robust" may be said of whatever the passage is about.
_NAMELESS = frozenset(
    token(word) for word in "method approach technique scheme process way mechanism idea".split()
)


def _best(words: frozenset[str], others: Sequence[frozenset[str]]) -> set[int]:
    """Return which of the others share most words, or none when no word is shared."""
    shared = [len(words & other) for other in others]
    best = max(shared, default=0)
    return {number for number, count in enumerate(shared) if count == best and best}


def name_of(words: frozenset[str]) -> str:
    return repr(" ".join(sorted(word.lstrip("+-±") for word in words)[:2]))


def _frames(text: Reading, is_claim: bool = False) -> list[_Frame]:
    frames: list[_Frame] = []
    before: frozenset[str] = frozenset()  # the subject of the sentence before, for its "it"
    sentence = -1
    subject = frozenset[str]()
    named = subject  # what a "which" stands for
    main = subject  # what the sentence is about, and what the next one calls "it"
    for clause in text.clauses:
        if clause.sentence != sentence:
            before = _singular(main or subject or before, frames, clause)
            sentence, subject, main = clause.sentence, frozenset(), frozenset()
        is_relative = clause.words[0].lower in _RELATIVE if clause.words else False
        found = _frames_of(clause, named if is_relative else subject, before, is_claim)
        named = marks_of([word for word in clause.words if word.is_content][-2:])
        frames += found
        subject = next((frame.topic for frame in found if frame.topic), subject)
        if not main and clause.words and clause.words[0].lower not in _SUBORDINATE:
            main = subject
        if not found and _is_led_by_a_noun(clause):
            nouns = [word for word in clause.words if word.is_content][:2]
            subject = marks_of([n for n in nouns if n is nouns[0] or not n.lower.endswith("s")])
    return frames


_SUBORDINATE = frozenset("if when while because since although unless where as".split())


def _singular(subject: frozenset[str], frames: Sequence[_Frame], clause: Clause) -> frozenset[str]:
    """Return what an "it" stands for: in "robots use an IMU. It reports" not the robots."""
    last = next((frame for frame in frames if frame.topic == subject), None)
    is_it = any(word.lower == "it" for word in clause.words[:2])
    return last.object if last and is_it and last.is_plural and last.object else subject


def _is_led_by_a_noun(clause: Clause) -> bool:
    """Tell whether a clause has a subject of its own, for the "it" of the next: "the arm helps"."""
    return bool(clause.words) and clause.words[0].lower in ("a", "an", "the")


def _frames_of(
    clause: Clause, inherited: frozenset[str], before: frozenset[str], is_claim: bool
) -> list[_Frame]:
    words = clause.words
    places = _places(words)
    frames: list[_Frame] = []
    for place, end in zip(places, [*places, len(words)][1:], strict=True):
        opening = words[_subject_start(words, places[0]) : places[0]]
        subject = marks_of(opening)
        close = words[max(0, place - 2) : place]
        pronouns = _SUBJECTS if subject else PRONOUNS
        if any(word.lower in pronouns for word in (close if subject else opening)):
            subject = inherited or before
        elif not subject and places[0] <= 1 and inherited and opening:
            subject = inherited
        elif place > places[0] and words[place - 1].lower in _RELATIVE:
            defined = any(words[number].lower in _LINKING for number in places if number < place)
            named = _noun_before(words, place - 1, places)
            subject = subject | named if defined or is_claim else named
        behind = words[place + 1 : end]
        nouns = [word.lower for word in opening if word.is_content]
        is_plural = bool(nouns) and nouns[-1].endswith("s") and not nouns[-1].endswith("ss")
        frame = _frame(words, place, subject, behind)
        is_activity = any(word.lower.endswith("ing") for word in opening[:2])
        frames.append(replace(frame, is_plural=is_plural, is_activity=is_activity, topic=subject))
    return frames


def _subject_start(words: Sequence[Word], end: int) -> int:
    """Return where the subject begins: behind "on flat ground" in "on flat ground the arm is"."""
    articles = [n for n in range(2, end) if words[n].lower in _ARTICLES]
    if end and words[0].lower in _FRONTED:
        return max(articles, default=0)
    # "the pattern fades and such cameras work": what works are the cameras.
    return max((n for n in articles if words[n - 1].lower == "and"), default=0)


_FRONTED = frozenset("in on at with for during from by under after before to inside".split())
_ARTICLES = frozenset("a an the each every such".split())


def _noun_before(words: Sequence[Word], place: int, places: Sequence[int]) -> frozenset[str]:
    """Return what a "that" stands for: the words between the last verb or preposition and it."""
    start = max((number + 1 for number in places if number < place), default=0)
    cut = [n + 1 for n in range(start, place) if words[n].lower in _AWAY]
    return marks_of(words[max([start, *cut]) : place])


_SUBJECTS = PRONOUNS - {"them"}  # "subscribes to them and publishes": who publishes is not them
_RELATIVE = frozenset("that which who".split())


def _places(words: Sequence[Word]) -> list[int]:
    """Return where the verbs stand; a second one needs a word that joins it: "makes checks" does
    not say that anything checks."""
    places: list[int] = []
    for number in range(len(words)):
        between = {word.lower for word in words[places[-1] : number]} if places else _JOINTS
        is_next = bool(between & _JOINTS) or _is_passive(words, number)
        if is_next and _is_verb(words, number):
            places.append(number)
    return places


_JOINTS = frozenset("and or but to that which who can may must will not should then".split())


def _frame(
    words: Sequence[Word], place: int, subject: frozenset[str], behind: Sequence[Word]
) -> _Frame:
    """Return the frame of a verb; in the passive the subject stands behind "by"."""
    verb = "be" if words[place].lower in _LINKING else mark_of(words[place])
    verb = "have" if words[place].lower in ("has", "have", "had") else verb
    if not _is_passive(words, place):
        is_identity = verb == "be" and bool(behind) and behind[0].lower == "the"
        first = behind[0].lower if behind else ""
        is_direct = bool(first) and first not in _AWAY | {"by"} and not first.endswith("ly")
        return _Frame(
            verb,
            subject,
            marks_of(behind),
            is_direct,
            _tools(behind),
            first in ("it", "them"),
            is_identity=is_identity,
        )
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
    if any(other.lower == "than" for other in words[place:]):
        return False  # a comparison has its own rule
    if word.lower in _LINKING:
        ahead = words[place + 1 : place + 3]
        return not any(_is_participle(other) for other in ahead)
    following = words[place + 1].lower if place + 1 < len(words) else ""
    if word.lower.endswith("ing") or following in _BE or _is_agent(word):
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


def _is_agent(word: Word) -> bool:
    """Tell whether a word names who does it: "controllers" is no verb, "triggers" is."""
    plain = word.lower.rstrip("s")
    return plain.endswith(("er", "or")) and not stem_of(word.lower).endswith(("er", "or"))


_BEFORE_A_VERB = _JOINTS | frozenset("they you we people only also never always data".split())

# "inserts another": a word that ends in s before one of these is a verb.
_DETERMINERS = frozenset("a an the its their another each every no it them only always".split())


def _is_participle(word: Word) -> bool:
    return word.lower.endswith("ed") or word.lower in _PARTICIPLES


def _is_passive(words: Sequence[Word], place: int) -> bool:
    around = {word.lower for word in words[max(0, place - 3) : place]}
    return bool(around & _BE) and _is_participle(words[place])

"""What a claim says to follow, and what it gives as the reason.

"Its default is 0, which means that no other can be used": what stands behind "which means" is a
claim of its own, and a true first half does not carry it. And what is the reason in the book may
not become what follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bythebook.grounding.reading import Reading, read

_FOLLOWS = re.compile(
    r"[,;:]?\s*\b(?:which|this|that|and this) (?:means|implies|shows|suggests)(?: that)?\b"
    r"|[,;:]?\s*\b(?:meaning|implying|so) that\b"
    r"|[,;]\s*(?:and )?(?:so(?! (?:do|does|did|is|are|can)\b)|therefore|thus|hence"
    r"|consequently|as a result),?(?= )|\b(?:therefore|thus|hence|consequently),?(?= )",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r",?\s*\b(?:because|since|as(?= (?:a|an|the|it|they|its|their)\b))\b")
_PRONOUN = re.compile(r"^\s*(?:it|they|this|these)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"^(?:the |an? |each |every )?(?:[\w-]+ ){0,2}?[\w-]+"
    r"(?= (?:is|are|has|have|can|may|must|does|do|will|cannot|[a-z]+s)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Link:
    cause: frozenset[str]
    effect: frozenset[str]


def consequences(claim: Reading) -> list[str]:
    """Return what a claim says to follow from its first half; "it" is what came before."""
    found = []
    for sentence in claim.sentences:
        first, *others = _FOLLOWS.split(sentence.text)
        subject = _SUBJECT.match(first.strip())
        for part in others:
            words = part.strip(" ,;.")
            if first.strip(" ,;.") and len(read(words).tokens) > 1:
                found.append(_PRONOUN.sub(subject[0] if subject else "it", words) + ".")
    return found


def turned_reasons(claim: Reading, source: Reading) -> list[str]:
    """Return a reason when a claim makes a cause of what the source says to follow from it."""
    known = list(_links(source))
    for link in _links(claim):
        straight = [_shared(link.cause, o.cause) + _shared(link.effect, o.effect) for o in known]
        crossed = [_shared(link.cause, o.effect) + _shared(link.effect, o.cause) for o in known]
        if known and max(crossed) > max(straight) + 1:
            return ["cause and effect are the other way round in the passage"]
    return []


def _shared(one: frozenset[str], other: frozenset[str]) -> int:
    return len(one & other)


def _links(text: Reading) -> Iterator[_Link]:
    for sentence in text.sentences:
        effect, *causes = _BECAUSE.split(sentence.text, maxsplit=1)
        if causes and effect.strip() and "otherwise" in causes[0]:
            # "A, because otherwise B" is "A, so that not B".
            yield _Link(read(effect).tokens, read(causes[0]).tokens)
        elif causes and effect.strip():
            yield _Link(read(causes[0]).tokens, read(effect).tokens)
        elif causes:
            # "Because A, B": the comma parts the two.
            cause, _, rest = causes[0].partition(", ")
            yield _Link(read(cause).tokens, read(rest).tokens)
        else:
            cause, *effects = _FOLLOWS.split(sentence.text, maxsplit=1)
            if effects:
                yield _Link(read(cause).tokens, read(effects[0]).tokens)

"""The kind of thing a question asks for, and whether a text has one to offer.

"When was it founded?" wants a date. A passage that speaks of the founding without one does not
answer, however many of the question's words it has.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Expected(StrEnum):
    """What an answer must have in it."""

    NUMBER = "number"
    DATE = "date"
    PERSON = "person"
    PLACE = "place"
    COMMAND = "command"
    REASON = "reason"
    ADDRESS = "address"
    PRICE = "price"


# Tried in order; the first that matches decides.
_ASKS_FOR = (
    (Expected.ADDRESS, r"\b(?:url|web ?site|e-?mail|download link|web address)\b"),
    (
        Expected.PRICE,
        r"\bhow (?:much|expensive)\b.*\b(?:cost|pay|charge|price)|\bhow (?:expensive|cheap)\b"
        r"|\bwhat (?:does|do|did|will|would) .*\bcost\b"
        # "Can I use double for prices?" asks for none.
        r"|^(?!\W*(?:can|could|should|may|must|do|does|did|is|are|will|how (?:do|can|to))\b).*"
        r"\b(?:price|salary|fee|wage|rent|(?:licen[cs]e|purchase|hourly|monthly) cost)s?\b",
    ),
    (
        Expected.DATE,
        r"^\W*(?:and |so )?when (?:was|were|did|is .* (?:due|released?|planned))\b"
        r"|\b(?:what|which) (?:year|date|day|month|century|decade)\b"
        r"|\bhow long ago\b|\b(?:until|since|by) when\b|^\W*when will\b",
    ),
    # Who made it, not who may use it: "users" is no answer to the first.
    (
        Expected.PERSON,
        r"^\W*(?:and |so )?who (?:(?:first|originally|actually) )?"
        r"(?:invented|created|developed|wrote|founded|designed|discovered|introduced|proposed|built"
        r"|made|coined|started|authored|owns?"
        r"|leads?|maintains?|makes|won|said|came up with"
        r"|is the (?:author|inventor|creator|founder|ceo|maintainer))\b"
        r"|\b(?:what|which) (?:person|company|author|inventor|scientist|engineer|researcher"
        r"|organi[sz]ation|manufacturer|university) (?:\w+(?:ed|s)|made|built|wrote)\b"
        r"|\bby whom\b|\bnamed after\b",
    ),
    (
        Expected.PLACE,
        r"^\W*(?:and |so )?where (?:is|was|were|did|are) .*\b(?:located|based|held|born|built"
        r"|created|shown"
        r"|founded|headquartered|made|manufactured|from)\b"
        r"|\b(?:what|which) (?:country|city|place|town|state)\b",
    ),
    (
        Expected.NUMBER,
        r"\bhow (?:many|much|long|fast|far|often|large|big|heavy|high|tall|deep|wide|old)\b"
        r"|\b(?:what|which)(?: is| are| was|'s)?(?: the| a| its| their)?"
        r"(?: \w+){0,3} (?:rate|speed|frequency|cost(?! map)|number|maximum|minimum|weight|mass"
        r"|latency|bandwidth|resolution|percentage|temperature|voltage|capacity|limit|distance"
        r"|accuracy|deadline|timeout|port|version)s?\b",
    ),
    (
        Expected.COMMAND,
        r"\b(?:which|what) (?:shell |cli |terminal |exact )?(?:commands?|flags?|syntax)\b"
        r"|\bwhat (?:do|should|must) (?:i|we|you) (?:write|type|run|enter)\b"
        r"|\b(?:commands?(?: lines?)?|syntax|options?|flags?) (?:to|for|do|does|lets?|that)\b",
    ),
    (Expected.REASON, r"^\W*(?:but |and |so )?why\b|\bfor what reasons?\b|\bhow come\b"),
)
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ASKS_FOR)

_MONTH = r"(?:January|February|March|April|June|July|August|September|October|November|December)"
_OFFERS = {
    Expected.NUMBER: re.compile(
        r"\d|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|twenty"
        r"|thirty|fifty|hundreds?|thousands?|millions?|half|twice|once|single|double|no limit"
        r"|unlimited|none|several|few|many)\b",
        re.IGNORECASE,
    ),
    Expected.DATE: re.compile(
        rf"\b(?:1[5-9]|20)\d\d\b|\b\d{{1,2}} {_MONTH}\b|\b{_MONTH} \d"
        r"|\b\d+ (?:years?|days?|months?)\b"
        r"|\b(?:19|20)\d0s\b|\bcentury\b"
    ),
    # Two names in a row, or one behind "by", "at" or a title: Ada Lovelace, by NVIDIA.
    Expected.PERSON: re.compile(
        r"\b[A-Z][a-zé-ž]+ (?:[A-Z]\.? )?(?:van |de |von )?[A-Z][a-zé-ž]{2,}"
        r"|\b(?:by|from|at|after) (?:the )?[A-Z][A-Za-z]{2,}|\b(?:Dr|Prof|Mr|Ms|Mrs)\. [A-Z]"
    ),
    Expected.PLACE: re.compile(
        r"\b(?:in|at|from|near) (?:the )?(?!January|February|March|April|May|June|July|August"
        r"|September|October|November|December)[A-Z][a-z]{2,}"
    ),
    Expected.REASON: re.compile(
        r"\b(?:because|since|so|therefore|thus|due to|reasons?|cause[ds]?|leads? to|results? in"
        r"|in order to|to (?:avoid|prevent|make|keep|ensure|allow|reduce|let|get|save|protect|give)"
        r"|otherwise|prevents?|allows?|means?|which is why|lets|makes?|without|if|when|needs?|must"
        r"|can|cannot|would|helps?|hence|as|for|instead|rather|too|only)\b",
        re.IGNORECASE,
    ),
    Expected.PRICE: re.compile(
        # A dollar sign before a number is a price, behind one it may well end a formula.
        r"[€£¥]\s?\d|\$\d[\d,.]*(?=[\s/)k–-]|$)(?!\s*[\\^=+*])"
        r"|\d\s?(?:USD|EUR|GBP|[€£]|dollars?|euros?|cents?)\b"
        r"|\bfree of charge\b|\bfor free\b"
        r"|\bcosts? (?:about |around |only |some )?\d|\bno cost\b",
        re.IGNORECASE,
    ),
    Expected.ADDRESS: re.compile(
        r"https?://|\bwww\.|\S+@\S+\.\w+|\b[\w-]+\.(?:com|org|io|net|dev)\b"
    ),
}
_COMMAND = re.compile(
    r"^\s*[$>] |`|\b[a-z][\w-]+ --?\w[\w-]*|--\w|\b[a-z]+\d? (?:run|list|install"
    r"|build|start|launch|echo|info|show|new|add|test|update|init)\b"
    r"|[\w-]+\.(?:py|sh|rs|toml|yaml)\b"
)


def expected(question: str) -> Expected | None:
    """Return what an answer to a question must have, when the question tells."""
    return next((kind for kind, pattern in _COMPILED if pattern.search(question)), None)


def offers(kind: Expected, text: str, *, is_code: bool = False) -> bool:
    """Tell whether a text has a thing of a kind."""
    if kind is Expected.COMMAND:
        return is_code or _COMMAND.search(text) is not None
    return _OFFERS[kind].search(text) is not None


# Kinds that a text either has or does not; the others can be told in many ways.
TELLING = frozenset(
    (Expected.DATE, Expected.PERSON, Expected.PLACE, Expected.ADDRESS, Expected.PRICE)
)

"""What must be the same in a sentence and in the words of the book that carry it.

Models rarely invent whole sentences about a passage they were shown. They change a number, swap a
name, lose a "not" or an "if", turn "before" into "after". Each rule here looks for one of these and
none tries to understand: where a rule cannot tell, the sentence is not carried.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from bythebook.terms import STOP_WORDS, stem, stem_set, stems, words

_NUMBER_WORDS = {
    name: str(value)
    for value, name in enumerate(
        "two three four five six seven eight nine ten eleven twelve".split(), start=2
    )
}
# A number with what stands around it that changes it: a sign, separators, and the unit behind it.
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w)])[-−])?(?P<value>\d+(?:[.,]\d+)*)"
    r"(?:[ \u00a0\u202f-]?(?P<unit>[%°µμΩ]?[^\W\d_]*(?:/[^\W\d_]+)?))?"
)
_UNITS = {
    "kg": "kilogram kilograms",
    "g": "gram grams",
    "km": "kilometre kilometres kilometer kilometers",
    "m": "metre metres meter meters",
    "cm": "centimetre centimetres centimeter centimeters",
    "mm": "millimetre millimetres millimeter millimeters",
    "s": "second seconds sec secs",
    "ms": "millisecond milliseconds",
    "us": "µs μs microsecond microseconds",
    "ns": "nanosecond nanoseconds",
    "min": "minute minutes mins",
    "h": "hour hours hr hrs",
    "day": "days",
    "hz": "hertz",
    "khz": "kilohertz",
    "mhz": "megahertz",
    "ghz": "gigahertz",
    "v": "volt volts",
    "a": "amp amps ampere amperes",
    "w": "watt watts",
    "kw": "kilowatt kilowatts",
    "wh": "watt-hours",
    "n": "newton newtons",
    "nm": "newton-metres",
    "%": "percent",
    "°": "degree degrees deg",
    "b": "byte bytes",
    "kb": "kilobyte kilobytes",
    "mb": "megabyte megabytes",
    "gb": "gigabyte gigabytes",
    "tb": "terabyte terabytes",
    "m/s": "",
    "rad": "radian radians",
    "rad/s": "",
    "rpm": "",
    "fps": "",
    "°c": "celsius",
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in (unit, *names.split())}

_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_LONG_UNIT = re.compile(
    r"(?P<value>\d)[ \u00a0\u202f-]?"
    rf"(?P<unit>{'|'.join(sorted((n for n in _UNIT_OF if len(n) > 2), key=len, reverse=True))})\b",
    re.IGNORECASE,
)

# Names that code is made of: commands, flags, paths, functions, anything with an inner capital.
_INLINE_CODE = re.compile(r"`([^`\n]+)`")
_IDENTIFIER = re.compile(
    r"(?<![\w/-])--?[A-Za-z][\w-]*"  # a flag
    r"|<[A-Za-z/!][^>\n]*>?"  # a tag, which no answer needs
    r"|[\w~.-]*[\w~]/[\w./-]*\w|/[A-Za-z][\w./-]*"  # a path, an address
    r"|\w+(?:::\w+)+|\w+\(\)"  # a member, a call
    r"|\b[A-Za-z]+\.[A-Za-z]\w*(?:\.\w+)*\b"  # a file, an attribute
    r"|\b\w*[A-Za-z0-9]_\w+\b|\b_\w+\b"  # with an underscore
    r"|\b[a-z]+[A-Z]\w*\b"  # camelCase
)
_ABBREVIATION = re.compile(r"^(?:[eE]\.g|[iI]\.e|a\.m|p\.m|U\.S|U\.K)$")

_CAPITALISED = re.compile(r"[^\W\d_][^\W_]*")

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|cannot|without|neither|nor|nothing|nobody|hardly|rarely|fails? to"
    r"|unable to|unlike|\w+n['’]t)\b",
    re.IGNORECASE,
)
# What makes of a statement something the book does not itself state.
_HINGES = (
    _NEGATION,
    re.compile(
        r"\b(?:if|unless|when|whenever|provided that|as long as|otherwise)\b", re.IGNORECASE
    ),
    re.compile(
        r"\b(?:say|says|said|saying|claim|claims|claimed|believe[sd]?|pretend\w*|imagine\w*|suppose"
        r"|assume[sd]?|myth|false|wrong|incorrect|reply|respond|repeat after)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:may|might|could|perhaps|possibly|probably|likely)\b", re.IGNORECASE),
)
# A claim may not be stronger than the book.
_STRONG_WORDS = frozenset(
    "must need needs should always only every all each exactly guarantees ensures".split()
)

_OPPOSITES = tuple(
    tuple(frozenset(side.split("/")) for side in pair.split())
    for pair in (
        "before/until after/since",
        "above/over below/under/beneath",
        "more/greater/larger/bigger/higher less/fewer/smaller/lower",
        "most least",
        "maximum/max minimum/min",
        "increase/increases/increasing/raises decrease/decreases/decreasing/reduces/lowers",
        "first last",
        "left right",
        "faster slower",
        "enable/enables/enabled disable/disables/disabled",
        "open/opens/opened close/closes/closed",
        "start/starts stop/stops",
        "input/inputs output/outputs",
        "publishes/publisher subscribes/subscriber",
        "sends/sender receives/receiver",
        "static dynamic",
        "forward inverse/backward",
        "synchronous asynchronous",
        "hard soft",
        "true false",
        "inside outside",
        "early late",
        "with without",
    )
)

# Words a sentence may open with that say nothing.
_OPENER = re.compile(
    r"^(?:additionally|furthermore|moreover|therefore|overall|finally|similarly|specifically|next"
    r"|in (?:summary|short|addition|conclusion)|consequently|thus|also),\s+",
    re.IGNORECASE,
)

# The least share of a claim's words that must stand in the book in the claim's own order. "A sends
# to B" has all words of "B sends to A" and a third of them in order. Chosen by hand on the pairs in
# tests/unit/grounding/test_claims.py, not fitted to data.
_ORDER_FLOOR = 0.6


def support_of(claim: str, source: str) -> float:
    """Return the share of a claim's words that a source holds; 0 when the source says otherwise."""
    claim, source = _normal(_OPENER.sub("", claim)), _normal(source)
    said = stem_set(claim)
    missing = said - stem_set(source)
    # Most spans have too little in common with a claim to be worth a closer look.
    if len(missing) * 2 > len(said) or not said:
        return 0.0
    if missing and _identifiers(claim):
        return 0.0  # "topic echo -v" is not "topic info -v": around code, every word counts
    return 1 - len(missing) / len(said) if all(rule(claim, source) for rule in _RULES) else 0.0


@lru_cache(maxsize=1_024)
def _normal(text: str) -> str:
    """Return a text with its numbers and units written one way."""
    text = _NUMBER_WORD.sub(lambda found: _NUMBER_WORDS[found[0].lower()], text)
    text = _THOUSANDS.sub("", text)
    return _LONG_UNIT.sub(lambda found: f"{found['value']} {_UNIT_OF[found['unit'].lower()]}", text)


def _same_numbers(claim: str, source: str) -> bool:
    there = _quantities(source)
    values = {value for value, _ in there}
    return all(
        (value, unit) in there if unit else value in values for value, unit in _quantities(claim)
    )


def _quantities(text: str) -> set[tuple[str, str]]:
    """Return each number of a text with its unit, if it has one that we know."""
    found = set()
    for match in _NUMBER.finditer(text):
        unit = _UNIT_OF.get((match["unit"] or "").lower(), "")
        found.add((f"-{match['value']}" if match["sign"] else match["value"], unit))
    return found


def _same_identifiers(claim: str, source: str) -> bool:
    return all(_stands_in(name, source) for name in _identifiers(claim))


def _identifiers(text: str) -> list[str]:
    quoted = [code.strip() for code in _INLINE_CODE.findall(text)]
    plain = _IDENTIFIER.findall(_INLINE_CODE.sub(" ", text))
    return quoted + [name for name in plain if not _ABBREVIATION.match(name)]


def _stands_in(name: str, source: str) -> bool:
    """Tell whether a name stands in a text as it is, and not as a part of a longer one."""
    return re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", source) is not None


def _same_names(claim: str, source: str) -> bool:
    """Tell whether every capitalised word is in the source, the first one too: it may be a name."""
    there = set(words(source)) | stem_set(source)
    capitalised = (word for word in _CAPITALISED.findall(claim) if word != word.lower())
    return all(
        word.lower() in STOP_WORDS
        or any(part in there or stem(part) in there for part in words(word))
        for word in capitalised
    )


def _same_hinges(claim: str, source: str) -> bool:
    return all(bool(hinge.search(claim)) == bool(hinge.search(source)) for hinge in _HINGES)


def _same_things_denied(claim: str, source: str) -> bool:
    """Tell whether the word behind each "not" is denied on both sides, as far as both have it."""
    denied_here, denied_there = _denied(claim), _denied(source)
    said_here, said_there = stem_set(claim), stem_set(source)
    return (
        denied_here & said_there <= denied_there
        and denied_there & said_here <= denied_here
        and denied_here <= said_there
    )


def _denied(text: str) -> set[str]:
    behind = (stems(text[found.end() :])[:1] for found in _NEGATION.finditer(text))
    return {word for first in behind for word in first}


def _no_stronger(claim: str, source: str) -> bool:
    return _STRONG_WORDS & set(words(claim)) <= set(words(source))


def _no_opposites(claim: str, source: str) -> bool:
    here, there = set(words(claim)), set(words(source))
    for one, other in _OPPOSITES:
        for side, against in ((one, other), (other, one)):
            if side & here and not side & there and against & there:
                return False
    return True


def _same_order(claim: str, source: str) -> bool:
    said = stems(claim)
    return _in_order(said, stems(source)) >= _ORDER_FLOOR * len(said)


def _in_order(left: list[str], right: list[str]) -> int:
    """Return the length of the longest run of words, gaps allowed, that both have in order."""
    row = [0] * (len(right) + 1)
    for word in left:
        before = 0
        for column, other in enumerate(right, start=1):
            above = row[column]
            row[column] = before + 1 if word == other else max(above, row[column - 1])
            before = above
    return row[-1]


_RULES: tuple[Callable[[str, str], bool], ...] = (
    _same_numbers,
    _same_identifiers,
    _same_names,
    _same_hinges,
    _same_things_denied,
    _no_stronger,
    _no_opposites,
    _same_order,
)

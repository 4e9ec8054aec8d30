"""Numbers and units, written one way and compared by value."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_SMALL = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_NUMBER_WORDS = {name: str(value) for value, name in enumerate(_SMALL, start=1)} | {
    name: str(value * 10) for value, name in enumerate(_TENS, start=2)
}
_MULTIPLES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}

# A number with what stands around it that changes it: a sign, separators, and the unit behind it.
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w)])[-−])?(?P<value>(?<![\w.])\.\d+|\d+(?:[.,]\d+)*)"
    r"(?:[ \u00a0\u202f-]?(?P<unit>[%°µμΩ]?[^\W\d_]*(?:/[^\W\d_]+)?))?"
)
_UNITS = {
    "kg": "kilogram kilograms kilogramme kilogrammes",
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
    "week": "weeks",
    "month": "months",
    "year": "years",
    "hz": "hertz",
    "khz": "kilohertz",
    "mhz": "megahertz",
    "ghz": "gigahertz",
    "v": "volt volts",
    "mv": "millivolt millivolts",
    "a": "amp amps ampere amperes",
    "ma": "milliamp milliamps",
    "w": "watt watts",
    "kw": "kilowatt kilowatts",
    "wh": "watt-hours",
    "n": "newton newtons",
    "nm": "newton-metres newton-meters",
    "%": "percent",
    "°": "degree degrees deg",
    "b": "byte bytes",
    "kb": "kilobyte kilobytes",
    "mb": "megabyte megabytes",
    "gb": "gigabyte gigabytes",
    "tb": "terabyte terabytes",
    "m/s": "",
    "km/h": "",
    "rad": "radian radians",
    "rad/s": "",
    "rpm": "",
    "fps": "",
    "°c": "celsius",
    "k": "kelvin kelvins",
    "mg": "milligram milligrams",
    "t": "tonne tonnes ton tons",
    "nanometre": "nanometres nanometer nanometers",
    "um": "µm μm micrometre micrometres micrometer micrometers micron microns",
    "inch": "inches",
    "ft": "foot feet",
    "mi": "mile miles",
    "l": "litre litres liter liters",
    "ml": "millilitre millilitres milliliter milliliters",
    "pa": "pascal pascals",
    "hpa": "hectopascal hectopascals",
    "kpa": "kilopascal kilopascals",
    "mpa": "megapascal megapascals",
    "bar": "bars",
    "mbar": "millibar millibars",
    "psi": "",
    "j": "joule joules",
    "kj": "kilojoule kilojoules",
    "mw": "",
    "megawatt": "megawatts",
    "milliwatt": "milliwatts",
    "gw": "gigawatt gigawatts",
    "kwh": "kilowatt-hour kilowatt-hours",
    "ah": "amp-hour amp-hours",
    "mah": "milliamp-hour milliamp-hours",
    "kv": "kilovolt kilovolts",
    "ohm": "Ω ohms",
    "kohm": "kΩ kilohm kilohms kiloohm kiloohms",
    "db": "decibel decibels",
    "lux": "",
    "bit": "bits",
    "kbit/s": "kbps",
    "mbit/s": "mbps",
    "gbit/s": "gbps",
    "kib": "kibibyte kibibytes",
    "mib": "mebibyte mebibytes",
    "gib": "gibibyte gibibytes",
    "kn": "kilonewton kilonewtons",
    "decade": "decades",
    "century": "centuries",
}
_UNIT_OF = {name: unit for unit, names in _UNITS.items() for name in (unit, *names.split())}

UNITS = frozenset(part for name in _UNIT_OF for part in name.split("/"))

_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(list(_NUMBER_WORDS)[1:])})\b", re.IGNORECASE)
_LONG = "|".join(sorted((name for name in _UNIT_OF if len(name) > 2), key=len, reverse=True))
# "One" counts only before a unit or a multiple; elsewhere it is a pronoun as often as a number.
_ONE = re.compile(
    rf"\b(?:one|an?)(?= (?:{'|'.join(_MULTIPLES)}|(?!second\b)(?:{_LONG}))\b)"
    # "a second" is a time where no noun follows: "a second node" is another one.
    r"|\b(?:one|an?)(?= second(?:[^\w ]|$| (?:and|or|to|before|after|later|is|are|in|on|at|with|for"
    r"|of|the|but|so|long|apart|because|if|when|while)\b))",
    re.IGNORECASE,
)
_EACH_TIME = re.compile(
    r"(\d(?: [a-z-]+){1,2}) an? (?=(?:second|minute|hour|day|week|month|year)\b)", re.IGNORECASE
)
_OR_TWO = re.compile(r"\ban? (second|minute|hour|day|week|month|year) or two\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_MULTIPLE = re.compile(rf"\b(\d+(?:\.\d+)?)[ -]({'|'.join(_MULTIPLES)})\b", re.IGNORECASE)
_LONG_UNIT = re.compile(rf"(?P<value>\d)[ \u00a0\u202f-]?(?P<unit>{_LONG})\b", re.IGNORECASE)
_PER_SECOND = re.compile(r"(?<=\d)( ?(?:m|rad))\b(?: per | a |/)(?:second|s)\b", re.IGNORECASE)
_BARE_FRACTION = re.compile(r"(?<![\w.])\.(?=\d)")
# Bounds and the names that plain_phrases gave them.
_BOUND = re.compile(
    r"\b(atleast|atmost|overnumber|over|undernumber|nearly|almost)\b(?:\W+(?:an?|the))?\W*$",
    re.IGNORECASE,
)
_BOUND_NAMES = {
    "atleast": "at least",
    "atmost": "at most",
    "overnumber": "more than",
    "over": "over",
    "undernumber": "less than",
    "nearly": "nearly",
    "almost": "nearly",
}

_BOTH = re.compile(r"\b(?:eachother|both|either)\b", re.IGNORECASE)

Quantity = tuple[str, str]


@lru_cache(maxsize=4_096)
def plain_numbers(text: str) -> str:
    """Return a text with its numbers and units written one way."""
    text = _OR_TWO.sub(r"one or two \1s", text)
    text = _NUMBER_WORD.sub(lambda found: _NUMBER_WORDS[found[0].lower()], text)
    text = _ONE.sub("1", _EACH_TIME.sub(r"\1 per ", text))
    text = _BARE_FRACTION.sub("0.", _THOUSANDS.sub("", text))
    text = _MULTIPLE.sub(
        lambda found: _plain_value(str(float(found[1]) * _MULTIPLES[found[2].lower()])), text
    )
    text = _LONG_UNIT.sub(lambda found: f"{found['value']} {_UNIT_OF[found['unit'].lower()]}", text)
    return _PER_SECOND.sub(r"\1/s", text)


def _plain_value(value: str) -> str:
    """Return a number without what does not change it: "0.50" is "0.5"."""
    if value.count(".") == 1 and "," not in value:
        value = value.rstrip("0").rstrip(".")
    return value.lstrip("0") or "0" if not value.startswith("0.") else value


def wrong_quantities(claim: str, source: str) -> list[str]:
    """Return a reason for each number of a claim that a source does not have as it is."""
    there = _quantities(source)
    values: dict[str, set[str]] = {}
    bounds: dict[str, set[str]] = {}
    for (value, unit), bound in there:
        values.setdefault(value, set()).add(unit)
        bounds.setdefault(value, set()).add(bound)
    reasons = [*_wrong_at_a_time(claim, source), *_repeated(claim, source)]
    for (value, unit), bound in _quantities(claim):
        if value not in values and value == "2" and not unit and _BOTH.search(source):
            continue  # "two nodes find each other" for "nodes find each other"
        if value not in values:
            reasons.append(f"number {value} is not in the passage")
        elif unit and unit not in values[value]:
            found = ", ".join(sorted(name for name in values[value] if name)) or "no unit"
            reasons.append(f"unit of {value} is {unit!r}, in the passage {found!r}")
        elif not _is_bound(bound, bounds[value]):
            said = " or ".join(sorted(name or "exactly" for name in bounds[value]))
            reasons.append(f"{bound or 'exactly'!r} {value} is {said!r} in the passage")
    return list(dict.fromkeys(reasons))


def _is_bound(bound: str, there: set[str]) -> bool:
    """Tell whether a bound is the book's; "over 50 steps" may be during them or more of them."""
    if bound in there or (bound == "over" and "more than" in there):
        return True
    return "over" in there and bound in ("", "more than")


_AT_A_TIME = re.compile(r"\b(one|a single|\d+)(?: [\w-]+){0,2} at a time\b")


def _wrong_at_a_time(claim: str, source: str) -> list[str]:
    """Return a reason when "two at a time" is said where the book has "one at a time"."""
    there = {_at_a_time(found) for found in _AT_A_TIME.findall(source)}
    here = {_at_a_time(found) for found in _AT_A_TIME.findall(claim)}
    wrong = sorted(here - there) if there else []
    return [f"{value} at a time is {sorted(there)[0]} at a time in the passage" for value in wrong]


def _repeated(claim: str, source: str) -> list[str]:
    """Return a reason for a measure that a claim has twice and a source once: for two things."""
    here, there = (
        Counter(quantity for quantity, _ in _quantities(text) if quantity[1])
        for text in (claim, source)
    )
    return [
        f"{value} {unit} is said of one thing in the passage"
        for (value, unit), count in here.items()
        if 0 < there[(value, unit)] < count
    ]


def _at_a_time(number: str) -> str:
    return number if number[0].isdigit() else "1"


def _quantities(text: str) -> list[tuple[Quantity, str]]:
    """Return each number of a text with its unit, if it has one that we know, and its bound."""
    found = []
    for match in _NUMBER.finditer(text):
        unit = _UNIT_OF.get((match["unit"] or "").lower(), "")
        value = _plain_value(match["value"])
        if (match["unit"] or "").lower() in ("st", "nd", "rd", "th"):
            value += "th"  # the 99th is not 99 of them
        bound = _BOUND.search(text, 0, match.start())
        name = _BOUND_NAMES[bound[1].lower()] if bound else ""
        found.append(((f"-{value}" if match["sign"] else value, unit), name))
    return found

"""Questions and claims twisted by rule, so that a passage that fitted them no longer does.

People who write unanswerable questions swap a name, shift a number or turn a word into its
opposite. A rule can do the same to an answerable question, and the result is rarely answered by
the passage. It is less clever than a person, so these rows weigh less than theirs.
"""

from __future__ import annotations

import random
import re

_NAME = re.compile(r"(?<![.?!:]\s)(?<=\s)[A-Z][\w'’-]*(?:\s(?:of\s)?[A-Z][\w'’-]*)*")
_NUMBER = re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")

_OPPOSITES = [
    pair.split("/")
    for pair in """first/last most/least largest/smallest highest/lowest more/less before/after
    increase/decrease increased/decreased north/south east/west northern/southern eastern/western
    oldest/youngest best/worst longest/shortest early/late earliest/latest beginning/end
    won/lost win/lose always/never male/female men/women major/minor rich/poor public/private
    begin/end began/ended start/stop started/stopped open/close opened/closed above/below
    inside/outside internal/external import/export positive/negative maximum/minimum older/younger
    larger/smaller higher/lower longer/shorter better/worse strong/weak support/oppose
    supported/opposed accept/reject accepted/rejected allow/forbid allowed/forbidden buy/sell
    cheap/expensive common/rare modern/ancient hot/cold up/down left/right father/mother
    brother/sister king/queen son/daughter husband/wife good/bad fast/slow faster/slower
    enable/disable read/write input/output success/failure rise/fall rose/fell gain/lose
    gained/lost added/removed add/remove created/destroyed create/destroy with/without""".split()
]
_OPPOSITE = dict(_OPPOSITES) | {b: a for a, b in _OPPOSITES}
_WORD = re.compile(r"[A-Za-z]+")


def twist(text: str, passage: str, taken: str, chance: random.Random) -> str | None:
    """Return the text with one name, number or word changed; None where nothing can be.

    A name is swapped for another name of the passage, but never for one in `taken` (the answer).
    """
    ways = [_swap_name, _swap_number, _swap_word]
    chance.shuffle(ways)
    for way in ways:
        twisted = way(text, passage, taken, chance)
        if twisted and twisted.lower() != text.lower():
            return twisted
    return None


def _replace(text: str, found: re.Match[str], by: str) -> str:
    return text[: found.start()] + by + text[found.end() :]


def _swap_name(text: str, passage: str, taken: str, chance: random.Random) -> str | None:
    places = list(_NAME.finditer(text))
    said = set(_WORD.findall((text + " " + taken).lower()))
    others = sorted(
        name
        for name in set(_NAME.findall(passage))
        if len(name) > 2 and not said & set(_WORD.findall(name.lower()))
    )
    if not places or not others:
        return None
    return _replace(text, chance.choice(places), chance.choice(others))


def _swap_number(text: str, passage: str, taken: str, chance: random.Random) -> str | None:
    places = list(_NUMBER.finditer(text))
    if not places:
        return None
    place = chance.choice(places)
    length = len(place.group())
    others = sorted(
        number
        for number in set(_NUMBER.findall(passage))
        if number not in text and number not in taken and len(number) == length
    )
    if others and chance.random() < 0.6:
        return _replace(text, place, chance.choice(others))
    digits = place.group().replace(",", "").split(".")[0]
    if not digits.isdigit():
        return None
    shifted = str(max(1, int(digits) + chance.choice([-20, -10, -3, -2, -1, 1, 2, 3, 10, 20])))
    return None if shifted in passage else _replace(text, place, shifted)


def _swap_word(text: str, passage: str, taken: str, chance: random.Random) -> str | None:
    del passage, taken
    places = [found for found in _WORD.finditer(text) if found.group().lower() in _OPPOSITE]
    if not places:
        return None
    place = chance.choice(places)
    return _replace(text, place, _OPPOSITE[place.group().lower()])

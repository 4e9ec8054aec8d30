"""Sentences changed by rule: some keep what they say, some say something else.

A model that only ever sees sentences as they stand beside twisted ones learns that any change is a
lie. So both kinds are reworded first, in ways that keep the meaning, and then one kind is twisted.
"""

from __future__ import annotations

import random
import re

_PAIRS = [
    pair.split("/")
    for pair in (
        "used/employed", "uses/employs", "begin/start", "begins/starts", "began/started",
        "shows/displays", "requires/needs", "required/needed", "helps/assists", "often/frequently",
        "usually/normally", "typically/usually", "frequently/often", "employed/used",
        "approximately/about", "roughly/approximately",
        "large/big", "for example/for instance", "such as/like", "because/since", "whereas/while",
        "in order to/to", "must/has to", "cannot/can't", "do not/don't", "does not/doesn't",
        "is not/isn't", "are not/aren't", "was not/wasn't", "many/numerous", "build/construct",
        "built/constructed", "bought/purchased", "obtain/get", "obtained/got", "located/situated",
        "main/principal", "known as/called", "several/a number of", "allows/lets", "near/close to",
        "whole/entire", "led to/brought about", "selected/chosen", "choose/select",
        "important/significant", "numerous/many", "constructed/built", "sometimes/at times",
        "rapidly/quickly",
        "additionally/also", "prior to/before", "attempted/tried", "ended/finished",
    )
]  # fmt: skip
_SAME = dict(_PAIRS)
_SAME_WORD = re.compile(
    r"\b(" + "|".join(sorted(map(re.escape, _SAME), key=len, reverse=True)) + r")\b"
)
_LEADING = re.compile(
    r"^(When|If|While|Because|Although|After|Before|Since|Unless) ([^,]{8,90}), ([^,]{12,})\.$"
)
_BRACKETS = re.compile(r"\s*\([^()]{1,80}\)")
_WHICH = re.compile(r", (?:which|who) [^,]{5,80}(?=[,.])")

_DENIED = [
    ("is not", "is"), ("are not", "are"), ("was not", "was"), ("were not", "were"),
    ("does not", "does"), ("do not", "do"), ("did not", "did"), ("cannot", "can"),
    ("never", "always"), ("is", "is not"), ("are", "are not"), ("was", "was not"),
    ("were", "were not"), ("can", "cannot"), ("has been", "has not been"), ("will", "will not"),
    ("could", "could not"),
]  # fmt: skip
_STRONGER = [
    ("may", "must"), ("might", "will"), ("can", "must"), ("could", "had to"), ("often", "always"),
    ("usually", "always"), ("sometimes", "always"), ("generally", "always"), ("some", "all"),
    ("many", "all"), ("most", "all"), ("several", "all"), ("almost", "exactly"),
    ("mainly", "only"), ("mostly", "only"), ("probably", "certainly"), ("one of the", "the only"),
    ("in part", "entirely"), ("partly", "entirely"), ("about", "exactly"), ("rarely", "never"),
]  # fmt: skip


def reword(sentence: str, chance: random.Random) -> str:
    """Return a sentence in slightly other words that says the same, or less of it."""
    if chance.random() < 0.6:
        sentence = _BRACKETS.sub("", sentence)
    if chance.random() < 0.3:
        sentence = _WHICH.sub("", sentence)
    led = _LEADING.match(sentence)
    if led and chance.random() < 0.7:
        word, clause, rest = led.groups()
        sentence = f"{rest[0].upper()}{rest[1:]} {word.lower()} {clause}."
    return _SAME_WORD.sub(
        lambda found: _SAME[found.group()] if chance.random() < 0.7 else found.group(), sentence
    )


def deny(sentence: str, chance: random.Random) -> str | None:
    """Return the sentence with a "not" more or less."""
    return _exchange(sentence, _DENIED, chance)


def overstate(sentence: str, chance: random.Random) -> str | None:
    """Return the sentence with a hedge made certain or a part made the whole."""
    return _exchange(sentence, _STRONGER, chance)


def _exchange(sentence: str, pairs: list[tuple[str, str]], chance: random.Random) -> str | None:
    fitting = [pair for pair in pairs if re.search(rf"\b{pair[0]}\b", sentence)]
    if not fitting:
        return None
    old, new = chance.choice(fitting)
    places = list(re.finditer(rf"\b{old}\b", sentence))
    place = chance.choice(places)
    return sentence[: place.start()] + new + sentence[place.end() :]


_NAME = re.compile(r"\b[A-Z][\w'’-]+(?:\s(?:of\s)?[A-Z][\w'’-]+)*")


def swap(sentence: str, chance: random.Random) -> str | None:
    """Return the sentence with two of its names in each other's place."""
    names = sorted({found.group() for found in _NAME.finditer(sentence) if len(found.group()) > 2})
    names = [a for a in names if not any(a != b and (a in b or b in a) for b in names)]
    if len(names) < 2:
        return None
    first, second = chance.sample(names, 2)
    both = re.compile(rf"\b({re.escape(first)}|{re.escape(second)})\b")
    return both.sub(lambda found: second if found.group() == first else first, sentence)

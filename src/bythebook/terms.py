"""Words as the book and its readers share them: tokens, stop words, stems.

Everything that compares words (coverage of a question, support of a sentence, refusal) uses
this one reading of a text, so that "Publishers" in a question meets "publisher" in the book.
"""

from __future__ import annotations

import re
from functools import lru_cache

import Stemmer

_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?", re.UNICODE)

# "ROS2" and "ROS 2", "RT2" and "RT-2" are one thing.
_NAME_WITH_NUMBER = re.compile(r"([a-z]{2,})(\d)")

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are aren as at be because been
    before being below between both but by can cannot could did didn do does doesn doing don
    done down during each either else etc even ever every few for from further get gets
    getting give given go goes got had has hasn have haven having he her here hers him his
    how however i if in into is isn it its itself just let like made make makes making many
    may me might more most much must my myself need needs no nor not now of off often on
    once one only onto or other our ours out over own per rather same shall she should so
    some such than that the their theirs them themselves then there these they this those
    through thus to too under until up upon us use used uses using very via was wasn we were
    what when where whether which while who whom whose why will with within without won
    would yet you your yours yourself s t d ll m re ve
    """.split()
)

# Words in which a question is put rather than what it is about.
QUESTION_WORDS = frozenset(
    """
    tell explain describe define definition meaning mean means meant stand stands say says
    book textbook chapter section page author please question answer know understand want
    wonder happen happens exactly actually really kind type sort way ways thing things
    difference differences differ differs different compare comparison compared versus vs
    better best worse worst bigger larger largest smaller smallest faster fastest slower
    farther further longer shorter higher lower cheaper heavier lighter stronger example
    examples purpose role called name names list reason reasons main important work works
    overview short brief possible anyone someone somebody everything something nothing
    """.split()
)

_stem = Stemmer.Stemmer("english", 0).stemWord

# Books and readers spell either way. The rules need not be right, only the same on both sides.
_SPELLINGS = (
    (re.compile(r"(?<=[a-z]{4})is(?=(e|ed|es|er|ers|ing|ation|ations|able)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})our(?=(s|ed|ing|al|able|less)?$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})tre(?=s?$)"), "ter"),
    (re.compile(r"(?<=[a-z]{3})ll(?=(ed|ing|er|ers)$)"), "l"),
)
_HYPHENATED = re.compile(r"(?<![^\W_])[^\W_]+(?:-[^\W_]+)+")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word, whichever way it is spelled."""
    for pattern, spelling in _SPELLINGS:
        word = pattern.sub(spelling, word)
    return str(_stem(word))


def words(text: str) -> list[str]:
    """Return the lower-case words of a text, names with a number behind them taken apart."""
    found: list[str] = []
    for match in _WORD.finditer(text.lower().replace("’", "'")):
        word = match.group().partition("'")[0]
        name = _NAME_WITH_NUMBER.fullmatch(word) if word[-1].isdigit() else None
        if name:
            found.extend(name.groups())
        else:
            found.append(word)
    return found


def stems(text: str) -> list[str]:
    """Return the stems of all words that carry meaning, in order."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=8_192)
def stem_set(text: str) -> frozenset[str]:
    """Return the stems of a text without order, "Wi-Fi" also as "wifi".

    It is remembered, because one answer looks at the same text many times.
    """
    joined = (stem(word.replace("-", "").lower()) for word in _HYPHENATED.findall(text))
    return frozenset(stems(text)).union(joined)


def question_terms(text: str, needs_one: bool = True) -> dict[str, str]:
    """Return what a question is about: each stem with the word as the reader wrote it.

    A question made of question words only keeps them when `needs_one` is set.
    """
    asked = [word for word in words(text) if word not in STOP_WORDS]
    content = [word for word in asked if word not in QUESTION_WORDS]
    return {stem(word): word for word in content or (asked if needs_one else [])}


def manner_terms(text: str) -> frozenset[str]:
    """Return the stems of the words in which a question is put: purpose, example, faster."""
    return frozenset(stem(word) for word in words(text) if word in QUESTION_WORDS)

"""Is a sentence carried by its source? Asked without a line of the gate's own reading.

The gate knows synonyms and grammar; this knows letters. Each check follows from what the gate
promises of any sentence, whoever wrote it, so a failure here is a fault of the gate and never of
the machine on which a model wrote. Shared with the gate are the words that say nothing, because a
share of words means nothing without saying of which.
"""

from __future__ import annotations

import re

from bythebook.grounding.claims import OWN_WORDS_FLOOR
from bythebook.grounding.vocabulary import FUNCTION_WORDS, LIGHT
from bythebook.terms import STOP_WORDS, stem

_WORD = re.compile(r"[a-z]{4,}")
_ANY_WORD = re.compile(r"[a-z]+")
_NUMBER = re.compile(r"(?<![\w.])\.\d+|\d+(?:[.,]\d+)*")
_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_LARGE = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
_MULTIPLE = re.compile(rf"\b(\d+(?:\.\d+)?)[ -]({'|'.join(_LARGE)})\b")
_CODE = re.compile(r"`([^`\n]+)`|(?<![\w/-])(--[a-z][\w-]*)|\b(\w*[a-z0-9]_\w+)\b|\b(\w+::\w+)\b")
_PROMPT = re.compile(r"^\s*[$>#] ")

# A sentence that has what stands left needs a source with what stands right.
_LIMITS = (
    (r"only|solely|sole|exclusively", r"only|solely|sole|alone|exclusively|just|purely|merely"
     r"|nothing (?:but|else|other)|none but|no other"),
    (r"always|invariably", r"always|invariably|at all times|all the time|in (?:all|every) cases?"
     r"|bound to|certain to|sure to|guaranteed to"),
    (r"never", r"never|under no circumstances|at no time"),
    (r"not|cannot|no|never|without|neither|nor|\w+n't", r"not|cannot|no|never|none|without|neither"
     r"|nor|nothing|nobody|hardly|unless|\w+n't|instead|rather than|un\w+able|unable|fails? to"
     r"|aware of|knowledge of|away with|get\w* (?:by |along )?without"),
)  # fmt: skip


def faults(sentence: str, source: str) -> list[str]:
    """Return what is in a sentence and not in its source; nothing when it is carried."""
    if set(_lines(sentence)) <= set(_lines(source)):
        return []  # code, or whole lines of the book
    return [
        *firm_faults(sentence, source),
        *_foreign_words(sentence.lower(), source.lower()),
        *_limits(sentence.lower().replace("’", "'"), source.lower().replace("’", "'")),
    ]


def firm_faults(sentence: str, source: str) -> list[str]:
    """Return the numbers and names of code that a source lacks, which nothing can excuse."""
    return [
        *(f"number {value}" for value in sorted(_values(sentence) - _values(source))),
        *(f"code {name}" for name in _names(sentence) if name not in " ".join(source.split())),
    ]


def _lines(code: str) -> list[str]:
    lines = (" ".join(_PROMPT.sub("", line).split()) for line in code.splitlines())
    return [line for line in lines if line]


def _names(text: str) -> list[str]:
    found = ("".join(parts) for parts in _CODE.findall(text))
    return [" ".join(name.split()) for name in found if name.strip()]


def _values(text: str) -> set[str]:
    """Return the numbers of a text by value, written in digits or in words."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower())
    for value, name in [*enumerate(_COUNTS), *((20 + 10 * n, ten) for n, ten in enumerate(_TENS))]:
        if name not in ("zero", "one"):  # "one" is a pronoun as often as a number
            text = re.sub(rf"\b{name}\b", str(value), text)
    text = re.sub(r"\b(?:an?|one)(?= (?:hundred|thousand|million|billion)\b)", "1", text)
    text = _MULTIPLE.sub(lambda found: _plain(str(float(found[1]) * _LARGE[found[2]])), text)
    return {_plain(number) for number in _NUMBER.findall(text)}


def _plain(number: str) -> str:
    if number.count(".") == 1 and "," not in number:
        number = number.rstrip("0").rstrip(".")
    return number.lstrip("0") or "0"


def _foreign_words(sentence: str, source: str) -> list[str]:
    said = [word for word in _WORD.findall(sentence) if not _says_nothing(word)]
    there = _ANY_WORD.findall(source)
    foreign = [word for word in said if not any(_alike(word, other) for other in there)]
    # Short words are left out here and counted by the gate, so a few of them are given.
    if len(foreign) <= (1 - OWN_WORDS_FLOOR) * (len(said) + 1):
        return []
    return [f"words {foreign} of {said}"]


def _says_nothing(word: str) -> bool:
    return word in STOP_WORDS or word in FUNCTION_WORDS or stem(word) in LIGHT


def _alike(word: str, other: str) -> bool:
    """Tell whether two words begin alike: a stem for those who have no stemmer."""
    return other.startswith(word[:4]) or (len(other) > 2 and word.startswith(other[:4]))


# A "no" or "not" that denies nothing: "no more than ten" is "at most ten".
_NO_DENIAL = re.compile(
    r"\bno (?:more|less|fewer|later|earlier) than\b|\bnot only\b|\bor not\b|\bno matter\b"
)


def _limits(sentence: str, source: str) -> list[str]:
    sentence = _NO_DENIAL.sub(" ", sentence)
    return [
        f"{found[0]!r}"
        for said, needed in _LIMITS
        if (found := re.search(rf"\b(?:{said})\b", sentence))
        and not re.search(rf"\b(?:{needed})\b", source)
    ]

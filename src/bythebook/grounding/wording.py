"""Different words for the same thing, and words that are opposites of each other.

A light paraphrase must survive the gate, so words are read as *tokens*: the stem, or for a word of
one of the groups in synonyms.py the first of its group. Opposites share a token and differ in
their sign: "A is heavier than B" and "B is lighter than A" say the same. The groups are written for
technical prose, and thesaurus.py has everyday words, pair by pair: a word that is on none of the
lists has to stand in the book itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bythebook.grounding.synonyms import SYNONYMS
from bythebook.grounding.thesaurus import THESAURUS
from bythebook.grounding.vocabulary import FUNCTION_WORDS, IRREGULAR, LIGHT, OPPOSITES
from bythebook.terms import STOP_WORDS, stem


def _groups() -> dict[str, frozenset[str]]:
    """Return for each stem the stems that may stand for it, from all of its groups."""
    kin: dict[str, frozenset[str]] = {}
    lines = [line.split() for line in SYNONYMS]
    for line in THESAURUS:
        first, *others = line.replace(":", "").split()
        lines += [[first, other] for other in others]
    for line_words in lines:
        names = frozenset(stem(word) for word in line_words)
        for name in names:
            kin[name] = kin.get(name, frozenset()) | names
    return kin


def _heads() -> dict[str, str]:
    """Return the first word of its first group for each stem."""
    heads: dict[str, str] = {}
    for line in SYNONYMS:
        names = [stem(word) for word in line.split()]
        for name in names:
            heads.setdefault(name, names[0])
    return heads


def _signs() -> dict[str, tuple[str, int, frozenset[str]]]:
    """Return for each polar stem its dimension, its sign and the stems of the other end."""
    signs: dict[str, tuple[str, int, frozenset[str]]] = {}
    for line in OPPOSITES:
        ends = [[stem(word) for word in end.split("/")] for end in line.replace(" ", "").split("|")]
        for sign, here, there in ((1, ends[0], ends[1]), (-1, ends[1], ends[0])):
            for name in here:
                signs.setdefault(name, (f"±{ends[0][0]}", sign, frozenset(there)))
    return signs


_KIN = _groups()
_HEADS = _heads()
_SIGNS = _signs()
# Words with the stem of an opposite that mean something else.
_NOT_POLAR = frozenset(
    "option options addition additions hardly closely shortly lasts lasted lasting".split()
)
_CLASSES = (("anc", "t"), ("enc", "t"), ("ant", "c"), ("ent", "c"))
_COMPARATIVE = re.compile(r"^(\w{3,}?)(?:ier|er|iest|est)$")


@lru_cache(maxsize=50_000)
def pole_of(word: str) -> tuple[str, int] | None:
    """Return the dimension and the end of it that a lower-case word stands for, if any."""
    if word in _NOT_POLAR:
        return None
    for form in _forms(word):
        if form in _SIGNS:
            dimension, sign, _ = _SIGNS[form]
            return dimension, sign
    return None


def _forms(word: str) -> list[str]:
    """Return the stems under which a word may be listed: "heavier" also as "heavy"."""
    word = IRREGULAR.get(word, word)
    forms = [stem(word)]
    found = _COMPARATIVE.match(word)
    if found:
        root = found[1]
        forms += [stem(root), stem(root + "e"), stem(root + "y")]
        if root[-1] == root[-2]:
            forms.append(stem(root[:-1]))
    return forms


@lru_cache(maxsize=50_000)
def token(word: str) -> str:
    """Return what a lower-case word counts as: its group, its dimension, or its stem."""
    pole = pole_of(word)
    if pole is not None:
        return pole[0]
    # Not the root of a comparative: "reader" would be "read", and "readers" not.
    plain = _forms(word)[0]
    return _HEADS.get(plain, plain)


def stem_of(word: str) -> str:
    """Return the stem of a lower-case word, irregular forms included."""
    return _forms(word)[0]


@lru_cache(maxsize=50_000)
def kin_of(word: str) -> frozenset[str]:
    """Return all that a lower-case word may count as: a word can belong to several groups."""
    forms = _forms(word)
    if len(word) > 5 and word.endswith("ly"):
        forms = [*forms, stem(word[:-3] + "y" if word.endswith("ily") else word[:-2])]
    # "compliance" and "compliant" are one word in two classes.
    forms += [form[:-1] + other for form in forms for one, other in _CLASSES if form.endswith(one)]
    return frozenset((token(word), *forms)).union(*(_KIN.get(form, frozenset()) for form in forms))


def is_small(word: str) -> bool:
    """Tell whether a word carries no content of its own that has to stand in the book."""
    return word in STOP_WORDS or word in FUNCTION_WORDS


def is_light(word: str) -> bool:
    """Tell whether a rewording may bring in a word that the book does not have."""
    return stem(word) in LIGHT or stem_of(word) in LIGHT

"""The words of this book: how common each one is, and which are short for which.

How common a word is makes it telling or not. Abbreviations are found where the book itself
explains them, as in "zero moment point (ZMP)".
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from bythebook.hostile import without_orders
from bythebook.terms import stem, stem_set, words

Aliases = Mapping[str, frozenset[str]]

# A capital that does not begin a sentence makes a name: "Windows" is not the plural of window.
_NAME = re.compile(r"(?<![.!?…:] )\b[A-Z][a-z]+\b")
_IN_BRACKETS = re.compile(r"(?<![\w'])((?:[\w']+[ -]){1,7})\(([A-Za-z][A-Za-z0-9-]{1,9})s?\)")
_SPELLED_OUT = re.compile(r"\b([A-Z][A-Za-z0-9-]{1,9}) \(([A-Za-z][^()]{5,70})\)")


class Lexicon:
    """Counts, for each stem, the passages of the book it stands in."""

    def __init__(
        self, passages: int, counts: Mapping[str, int], aliases: Aliases, names: frozenset[str]
    ) -> None:
        self.passages = passages
        self.names = names  # what the book writes with a capital, in lower case
        self.aliases = aliases  # the stem of an abbreviation -> the stems of what it stands for
        self._counts = counts

    @classmethod
    def of(cls, texts: Iterable[str]) -> Lexicon:
        """Count the stems of the given passages and collect their abbreviations."""
        counts: Counter[str] = Counter()
        aliases: dict[str, frozenset[str]] = {}
        names: set[str] = set()
        passages = 0
        for text in texts:
            passages += 1
            text = without_orders(text)
            counts.update(stem_set(text))
            names.update(name.lower() for name in names_in(text))
            for short, spelled_out in _abbreviations(text):
                aliases.setdefault(stem(short), stem_set(spelled_out))
        return cls(passages, counts, aliases, frozenset(names))

    def with_texts(self, texts: Iterable[str]) -> Lexicon:
        """Return the lexicon with the words of some texts known too."""
        counts = dict(self._counts)
        names = set(self.names)
        for text in texts:
            for word in stem_set(without_orders(text)):
                counts.setdefault(word, 1)
            names.update(name.lower() for name in names_in(text))
        return Lexicon(self.passages, counts, self.aliases, frozenset(names))

    @classmethod
    def from_json(cls, text: str) -> Lexicon:
        """Read a lexicon that `to_json` wrote; raise ValueError when it is damaged."""
        try:
            stored = json.loads(text)
            aliases = {short: frozenset(stems) for short, stems in stored["aliases"].items()}
            names = frozenset(stored["names"])
            return cls(stored["passages"], stored["counts"], aliases, names)
        except (KeyError, TypeError, AttributeError) as problem:
            raise ValueError(f"the lexicon has no {problem}") from problem

    def to_json(self) -> str:
        """Return everything as JSON."""
        stored = {
            "passages": self.passages,
            "counts": dict(self._counts),
            "names": sorted(self.names),
            "aliases": {short: sorted(stems) for short, stems in self.aliases.items()},
        }
        return json.dumps(stored, ensure_ascii=False)

    def knows(self, term: str) -> bool:
        """Tell whether the stem stands anywhere in the book."""
        return term in self._counts

    def known_share(self, terms: Iterable[str]) -> float:
        """Return the share of some stems that the book has, telling ones counting more."""
        weights = {term: self.weight(term) for term in terms}
        total = sum(weights.values())
        known = sum(weight for term, weight in weights.items() if self.knows(term))
        return known / total if total else 1.0

    def weight(self, term: str) -> float:
        """Return how telling a stem is: near 0 for one on every page, highest for one unseen."""
        count = self._counts.get(term, 0)
        return math.log1p((self.passages - count + 0.5) / (count + 0.5))


def names_in(text: str) -> list[str]:
    """Return the words that are written as names: with a capital, and not to begin a sentence."""
    return _NAME.findall(text)


def _abbreviations(text: str) -> Iterable[tuple[str, str]]:
    for found in _IN_BRACKETS.finditer(text):
        spelled_out = _initialled(words(found[1]), found[2])
        if spelled_out:
            yield found[2].lower(), spelled_out
    for found in _SPELLED_OUT.finditer(text):
        spelled_out = _initialled(words(found[2]), found[1])
        if spelled_out:
            yield found[1].lower(), spelled_out


def _initialled(candidates: list[str], short: str) -> str:
    """Return the last words whose initials are the abbreviation, or nothing."""
    letters = "".join(character for character in short.lower() if character.isalnum())
    for first in range(len(candidates)):
        initials = "".join(word[0] for word in candidates[first:])
        if initials == letters and len(letters) > 1:
            return " ".join(candidates[first:])
    return ""

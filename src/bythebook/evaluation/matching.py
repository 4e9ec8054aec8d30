"""Finding gold text in what was retrieved and cited.

Texts are compared as runs of words, without case, Markdown or punctuation: a gold sentence was
copied from the book's source, a passage is how the book reads on the page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

Words = tuple[str, ...]

# The least share of a gold sentence's words that must be cited for it to count as cited. A quote
# that leaves out a subordinate clause still counts, half of a comparison does not.
CITED_SHARE = 0.7

# A shorter run of words than this stands in a gold sentence by chance.
_LEAST_RUN = 3

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=4_096)
def words_of(text: str) -> Words:
    """Return the words of a text in one spelling."""
    found = _WORD.findall(unicodedata.normalize("NFKC", text))
    return tuple(word.casefold() for word in found)


def place_of(part: Words, whole: Words) -> int | None:
    """Return where one run of words begins in another, None when it does not stand there."""
    if not part or len(part) > len(whole):
        return None
    inside = f" {' '.join(whole)} "
    found = inside.find(f" {' '.join(part)} ")
    return None if found < 0 else inside.count(" ", 0, found)


def holds(text: str, gold: str) -> bool:
    """Tell whether a text has all words of a gold sentence in one run."""
    return place_of(words_of(gold), words_of(text)) is not None


def touches(excerpt: str, gold: str) -> bool:
    """Tell whether one of the two stands in the other."""
    quoted, wanted = words_of(excerpt), words_of(gold)
    if place_of(wanted, quoted) is not None:
        return True
    is_long = len(quoted) >= min(_LEAST_RUN, len(wanted))
    return is_long and place_of(quoted, wanted) is not None


def covered_share(excerpts: Iterable[str], gold: str) -> float:
    """Return which share of a gold sentence's words the excerpts quote together."""
    wanted = words_of(gold)
    quoted: set[int] = set()
    for excerpt in excerpts:
        words = words_of(excerpt)
        if place_of(wanted, words) is not None:
            return 1.0
        place = place_of(words, wanted)
        if place is not None:
            quoted.update(range(place, place + len(words)))
    return len(quoted) / len(wanted) if wanted else 0.0


def is_cited(excerpts: Iterable[str], gold: str) -> bool:
    """Tell whether the excerpts quote enough of a gold sentence."""
    return covered_share(excerpts, gold) >= CITED_SHARE

"""Anchors of headings, made by the same rules as the book's generator makes them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

# GitHub keeps what Ruby calls a word character; these are the Unicode categories behind that.
_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})


def github_slug(text: str) -> str:
    """Return the anchor that GitHub and Docusaurus give a heading."""
    return "".join(filter(_is_kept_by_github, text.lower())).replace(" ", "-")


def _is_kept_by_github(character: str) -> bool:
    # Circled letters are symbols by category but count as letters.
    return (
        character in " -"
        or unicodedata.category(character) in _WORD_CATEGORIES
        or "Ⓐ" <= character <= "ⓩ"
    )


def mdbook_slug(text: str) -> str:
    """Return the anchor that mdBook gives a heading."""
    return "".join(_mdbook_character(character) for character in text.strip().lower())


def _mdbook_character(character: str) -> str:
    if character.isspace():
        return "-"
    return character if character.isalnum() or character in "_-" else ""


class Slugger:
    """Hands out the anchors of one page, each only once."""

    def __init__(self, slug: Callable[[str], str]) -> None:
        self._slug = slug
        self._occurrences: dict[str, int] = {}

    def anchor(self, text: str) -> str:
        """Return the anchor for the next heading with this text."""
        wanted = anchor = self._slug(text)
        while anchor in self._occurrences:
            self._occurrences[wanted] += 1
            anchor = f"{wanted}-{self._occurrences[wanted]}"
        self._occurrences[anchor] = 0
        return anchor

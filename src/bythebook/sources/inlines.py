"""The visible text of a line: what is left when bold, links and code spans are only letters."""

from __future__ import annotations

from collections.abc import Iterable

from markdown_it.token import Token

_TEXT_TOKENS = frozenset({"text", "text_special", "code_inline", "math_inline", "markup"})
_BREAKS = frozenset({"softbreak", "hardbreak"})


def visible_text(tokens: Iterable[Token]) -> str:
    """Return what a reader sees, on one line."""
    return " ".join("".join(_visible(token) for token in tokens).split())


def anchor_text(tokens: Iterable[Token]) -> str:
    """Return what generators make an anchor of: tags leave no space, pictures their text."""
    return "".join(
        token.content if token.type == "image" else _visible(token)
        for token in tokens
        if token.type != "markup" or token.content.strip()
    ).strip()


def title_text(tokens: Iterable[Token]) -> str:
    """Return visible text in which code keeps its backticks, as tables of contents show it."""
    marked = (
        f"`{token.content}`" if token.type == "code_inline" else _visible(token) for token in tokens
    )
    return " ".join("".join(marked).split())


def _visible(token: Token) -> str:
    if token.type in _TEXT_TOKENS:
        return token.content
    if token.type in _BREAKS:
        return " "
    return ""

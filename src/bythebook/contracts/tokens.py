"""Counting tokens for documents that want at least one."""

from __future__ import annotations

from bythebook.embedders import tokens


def count_tokens(text: str) -> int:
    """Return the length of a text in tokens, at least one."""
    return max(1, tokens.count_tokens(text))

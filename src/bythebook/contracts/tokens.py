"""Counting tokens with the tokenizer that ships in the package."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from tokenizers import Tokenizer


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer:
    weights = files("bythebook.embedders") / "weights" / "minilm" / "tokenizer.json"
    return Tokenizer.from_str(weights.read_text(encoding="utf-8"))


def count_tokens(text: str) -> int:
    """Return the length of a text in tokens, at least one."""
    return max(1, len(_tokenizer().encode(text, add_special_tokens=False).ids))

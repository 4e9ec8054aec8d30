"""Counting tokens with the tokenizer that ships in the package, without loading its model.

Hosted models have tokenizers of their own, which would have to be downloaded; word pieces are near
enough to cut a book by, and `hosted.py` says what happens when they are not.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tokenizers import Tokenizer

_FILE = Path(__file__).parent / "weights" / "minilm" / "tokenizer.json"


@lru_cache(maxsize=1)
def shipped_tokenizer() -> Tokenizer:
    """Return the tokenizer, loaded once; nobody may change its settings."""
    return Tokenizer.from_file(str(_FILE))


@lru_cache(maxsize=4_096)
def count_tokens(text: str) -> int:
    """Return the length of a text in word pieces, without the special ones.

    It is remembered, because cutting a page counts the same stretches again and again.
    """
    return len(shipped_tokenizer().encode(text, add_special_tokens=False).ids)

"""What a key looks like, and how it is kept out of whatever is written down.

A key is 32 random bytes behind a beginning of its own, so that people, log filters and scanners for
secrets know one when they see it.
"""

from __future__ import annotations

import hashlib
import re
import secrets

BEGIN = "btb_"

_RANDOM_BYTES = 32
_KEY = re.compile(re.escape(BEGIN) + r"[A-Za-z0-9_-]{8,}")


def new_token() -> str:
    """Return a key that nobody has."""
    return BEGIN + secrets.token_urlsafe(_RANDOM_BYTES)


def hash_of(token: str) -> str:
    """Return what is kept of a key.

    A slow hash makes guessing dear where people choose the secret. Nobody guesses 256 random bits,
    and each request would pay for it.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def without_keys(text: str) -> str:
    """Return a text with every key in it, or what looks like one, made unusable."""
    return _KEY.sub(f"{BEGIN}...", text)

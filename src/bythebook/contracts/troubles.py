"""What went wrong, in the coarse kinds that the published data models tell apart."""

from __future__ import annotations

from enum import StrEnum

from bythebook.types import Failure


class Trouble(StrEnum):
    """The kinds of failure."""

    QUESTION = "question"
    STORE = "store"
    EMBEDDING = "embedding"
    WRITING = "writing"
    CHECKING = "checking"
    RATE_LIMIT = "rate_limit"


# What an HTTP surface answers with; the other columns of docs/errors.md are each contract's own.
HTTP_STATUS = {
    Trouble.QUESTION: 422,
    Trouble.STORE: 503,
    Trouble.EMBEDDING: 503,
    Trouble.WRITING: 504,
    Trouble.CHECKING: 503,
    Trouble.RATE_LIMIT: 429,
}


def trouble_of(failure: Failure) -> Trouble:
    """Return the kind of a failure."""
    if failure.stage == "validation":
        return Trouble.QUESTION
    # Only a service that counts requests says how long to wait.
    if failure.retry_after_seconds is not None or failure.error.startswith("RateLimit"):
        return Trouble.RATE_LIMIT
    if failure.error == "EmbeddingError":
        return Trouble.EMBEDDING
    if failure.error == "StoreError" or failure.stage == "retrieval":
        return Trouble.STORE
    return Trouble.CHECKING if failure.stage == "grounding" else Trouble.WRITING


def in_words(message: str, hint: str | None = None) -> str:
    """Return a message and its hint as sentences."""
    return " ".join(_sentence(part) for part in (message, hint) if part)


def complaint(field: str, message: str, hint: str | None = None) -> str:
    """Return what is wrong with a field as sentences that name the field."""
    return in_words(message if field in message else f"{field}: {message}", hint)


def _sentence(text: str) -> str:
    text = text.strip()
    is_name = text.split(" ", 1)[0].endswith(":") or "_" in text.split(" ", 1)[0]
    begin = text[:1] if is_name else text[:1].upper()  # a field keeps its spelling
    return begin + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")

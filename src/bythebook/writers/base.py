"""The role of a writer: drafting an answer from passages, for grounding to check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bythebook.types import Draft, Passage, Query

# What a model is told to say, in these words, when the passages do not answer (document 003). It
# stands here because both sides must know it: prompts ask for it, and grounding drops it.
NO_ANSWER = "I couldn't find that information in the book."


class Writer(Protocol):
    """Drafts answers."""

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:
        """Return a draft, with no sentences when the passages give none; raise WriterError."""
        ...

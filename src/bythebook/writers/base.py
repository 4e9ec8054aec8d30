"""The role of a writer: drafting an answer from passages, for grounding to check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bythebook.types import Draft, Passage, Query


class Writer(Protocol):
    """Drafts answers."""

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:
        """Return a draft, with no sentences when the passages give none; raise WriterError."""
        ...

"""The role of a store: keeping chunks with their vectors, and finding the nearest ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bythebook.embedders.base import Vectors
from bythebook.types import Chunk, Passage


@dataclass(frozen=True)
class Scope:
    """Which part of the book may be searched; empty means all of it."""

    module: str | None = None
    chapter: str | None = None


class Store(Protocol):
    """Chunks under a dense and a BM25 vector each."""

    def add(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write chunks with their vectors; raise StoreError when that fails."""
        ...

    def search(
        self, question: str, vector: Vectors, limit: int, scope: Scope, meaning_weight: int = 1
    ) -> list[Passage]:
        """Return the best chunks by rank fusion, each with its true cosine clamped to [0, 1].

        The ranking by meaning counts `meaning_weight` times, the one by words once.
        """
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Read every chunk, in any order."""
        ...

    def count(self) -> int:
        """Return how many chunks there are."""
        ...

    def close(self) -> None:
        """Make everything durable and let go of the files or the connection."""
        ...

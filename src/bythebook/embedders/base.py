"""The role of an embedder: turning text into unit vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class EmbedderSpec:
    """The facts about an embedder that an index depends on."""

    name: str  # as in settings, such as "minilm"
    revision: str  # changes whenever the vectors do
    dimensions: int
    max_tokens: int  # the window: what is longer is embedded in parts
    default_threshold: float  # the cosine under which a passage is not about the question


class Embedder(Protocol):
    """Turns questions and passages into vectors of length one."""

    @property
    def spec(self) -> EmbedderSpec:
        """The facts about this embedder."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window a text takes, without the special ones."""
        ...

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one vector a text, in order; raise EmbeddingError when that fails."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question; raise EmbeddingError when that fails."""
        ...

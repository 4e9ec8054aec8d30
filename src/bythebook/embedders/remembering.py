"""Remembering the vectors of the last questions: one answer needs the same one twice.

With a hosted embedder each of them is a call over the network.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from bythebook.embedders.base import Embedder, EmbedderSpec, Progress, Vectors

_REMEMBERED = 64


class RememberingEmbedder:
    """Any embedder, asked once for each question."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def spec(self) -> EmbedderSpec:
        """The facts about the embedder itself."""
        return self._embedder.spec

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window a text takes."""
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one vector a text, in order."""
        return self._embedder.embed_passages(texts, progress)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, remembered when it was asked for lately."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._embedder.embed_query(text)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return known

"""Remembering vectors: one answer needs that of its question twice, many need the same sentences.

With a hosted embedder each of them is a call over the network, with ours most of an answer's time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from bythebook.embedders.base import Embedder, EmbedderSpec, Progress, Vectors

# Sentences of the book: those of a small book, or the popular ones of a large one, in some 12 MB.
_SENTENCES = 8_000
_QUESTIONS = 256


class RememberingEmbedder:
    """Any embedder, asked once for each text; may be used by several threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._questions = _Memory(_QUESTIONS)
        self._sentences = _Memory(_SENTENCES)

    @property
    def spec(self) -> EmbedderSpec:
        """The facts about the embedder itself."""
        return self._embedder.spec

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window a text takes."""
        return self._embedder.count_tokens(text)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one vector a text, in order; those seen lately are remembered."""
        known: dict[str, Vectors] = {}
        missing: list[str] = []
        for text in dict.fromkeys(texts):
            vector = self._sentences.get(text)
            if vector is None:
                missing.append(text)
            else:
                known[text] = vector
        if missing:
            made = self._embedder.embed_passages(missing, progress)
            for text, vector in zip(missing, made, strict=True):
                known[text] = vector
                self._sentences.keep(text, vector)
        return np.stack([known[text] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, remembered when it was asked for lately."""
        known = self._questions.get(text)
        if known is None:
            known = self._embedder.embed_query(text)
            self._questions.keep(text, known)
        return known


class _Memory:
    """The vectors used last, up to a number."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    def get(self, text: str) -> Vectors | None:
        with self._lock:
            known = self._known.get(text)
            if known is not None:
                self._known.move_to_end(text)
            return known

    def keep(self, text: str, vector: Vectors) -> None:
        with self._lock:
            self._known[text] = vector
            if len(self._known) > self._most:
                self._known.popitem(last=False)

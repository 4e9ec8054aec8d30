"""What all hosted embedders share: batches, parts of long texts, retries, checked vectors.

We count tokens with our own tokenizer and the service with another, so a text that fits by our
count may be too long by theirs. The service is told never to cut a text off but to refuse it;
then the batch is halved until the culprit stands alone, and the culprit is read in two halves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from bythebook.embedders.base import EmbedderSpec, Progress, Vectors
from bythebook.embedders.failures import Service, TextTooLongError
from bythebook.embedders.tokens import count_tokens
from bythebook.embedders.validation import Rows, checked
from bythebook.embedders.windows import Window, average, split_windows, unit
from bythebook.errors import EmbeddingError
from bythebook.retrying import Retry

Purpose = Literal["passage", "query"]

# Services refuse an empty text, or give it a vector of zeros.
_BLANK = "."

# A text this short is not refused for its length: something else is wrong.
_SHORTEST = 40


class HostedEmbedder(ABC):
    """Embeds by asking a service; a vendor's file says how it is asked."""

    def __init__(self, service: Service, retry: Retry | None, batch: int, max_tokens: int) -> None:
        self._service = service
        self._retry = retry or Retry()
        self._batch = batch
        self._max_tokens = max_tokens
        self._dimensions: int | None = None  # told by the vendor's file, or by the first answer

    @property
    @abstractmethod
    def spec(self) -> EmbedderSpec:
        """The facts about this embedder."""

    @abstractmethod
    def _ask(self, texts: Sequence[str], purpose: Purpose) -> Rows:
        """Return what the service answers to one request; raise only errors of ours."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the connections."""

    def count_tokens(self, text: str) -> int:
        """Return the length of a text in word pieces of the tokenizer we ship."""
        return count_tokens(text)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return one unit vector a text; a text longer than the window is averaged over parts."""
        if not texts:
            return np.zeros((0, self.spec.dimensions), dtype=np.float32)
        return self._embed(texts, "passage", progress)

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question."""
        vector: Vectors = self._embed([text], "query")[0]
        return vector

    def _embed(
        self, texts: Sequence[str], purpose: Purpose, progress: Progress | None = None
    ) -> Vectors:
        windows = list(split_windows(texts, self._max_tokens))
        vectors: list[Vectors] = []
        for batch in _batches(windows, self._batch):
            parts = [texts[window.text][window.start : window.end] for window in batch]
            vectors.append(self._embed_batch(parts, purpose))
            whole = sum(window.end == len(texts[window.text]) for window in batch)
            if progress and whole:
                progress(whole)
        return average(windows, np.concatenate(vectors), len(texts))

    def _embed_batch(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        try:
            return self._retry.call(
                lambda: self._attempt(texts, purpose), _is_worth_retrying, _retry_after
            )
        except TextTooLongError:
            if len(texts) == 1 and len(texts[0]) < _SHORTEST:
                raise
        if len(texts) == 1:
            return self._embed_halves(texts[0], purpose)
        middle = len(texts) // 2
        halves = (texts[:middle], texts[middle:])
        return np.concatenate([self._embed_batch(half, purpose) for half in halves])

    def _embed_halves(self, text: str, purpose: Purpose) -> Vectors:
        middle = _word_boundary(text)
        halves = [text[:middle], text[middle:]]
        vectors = self._embed_batch(halves, purpose)
        weights = np.array([len(half) for half in halves], dtype=np.float32)
        return unit((weights @ vectors)[np.newaxis])

    def _attempt(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        rows = self._ask([text if text.strip() else _BLANK for text in texts], purpose)
        vectors = checked(rows, len(texts), self._dimensions)
        self._dimensions = vectors.shape[1]
        return vectors


def _batches(windows: Sequence[Window], size: int) -> Iterator[Sequence[Window]]:
    for first in range(0, len(windows), size):
        yield windows[first : first + size]


def _word_boundary(text: str) -> int:
    """Return a place near the middle of a text that is between words, if it has any."""
    middle = len(text) // 2
    space = text.find(" ", middle, middle + _SHORTEST)
    return middle if space < 0 else space


def _is_worth_retrying(problem: Exception) -> bool:
    return isinstance(problem, EmbeddingError) and problem.retryable


def _retry_after(problem: Exception) -> float | None:
    return problem.retry_after_seconds if isinstance(problem, EmbeddingError) else None

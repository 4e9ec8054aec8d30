from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bythebook.embedders.base import Embedder, Progress, Vectors
from bythebook.embedders.remembering import _QUESTIONS, RememberingEmbedder


class Counting:
    """A real embedder that counts how often it is asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.asked: list[str] = []
        self.spec = embedder.spec
        self.count_tokens = embedder.count_tokens
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        self.embedded.extend(texts)
        return self._embedder.embed_passages(texts, progress)

    def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        return self._embedder.embed_query(text)


def test_a_question_is_embedded_once(embedder: Embedder) -> None:
    counting = Counting(embedder)
    remembering = RememberingEmbedder(counting)
    first = remembering.embed_query("What is a node?")
    again = remembering.embed_query("What is a node?")
    assert counting.asked == ["What is a node?"]
    np.testing.assert_array_equal(first, again)


def test_what_was_asked_long_ago_is_forgotten(embedder: Embedder) -> None:
    counting = Counting(embedder)
    remembering = RememberingEmbedder(counting)
    for number in range(_QUESTIONS + 1):
        remembering.embed_query(f"Question {number}?")
    remembering.embed_query("Question 0?")
    assert counting.asked.count("Question 0?") == 2
    last = f"Question {_QUESTIONS}?"
    remembering.embed_query(last)
    assert counting.asked.count(last) == 1


def test_a_sentence_is_embedded_once_whatever_stands_beside_it(embedder: Embedder) -> None:
    counting = Counting(embedder)
    remembering = RememberingEmbedder(counting)
    remembering.embed_passages(["A node.", "A topic."])
    again = remembering.embed_passages(["A service.", "A topic.", "A topic."])
    assert counting.embedded == ["A node.", "A topic.", "A service."]
    plain = embedder.embed_passages(["A service.", "A topic.", "A topic."])
    np.testing.assert_allclose(again, plain, atol=1e-6)


def test_everything_else_is_the_embedders_own(embedder: Embedder) -> None:
    remembering = RememberingEmbedder(embedder)
    assert remembering.spec == embedder.spec
    assert remembering.count_tokens("A node.") == embedder.count_tokens("A node.")
    np.testing.assert_array_equal(
        remembering.embed_passages(["A node."]), embedder.embed_passages(["A node."])
    )

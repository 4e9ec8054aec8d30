from __future__ import annotations

import numpy as np

from bythebook.embedders.base import Embedder, Vectors
from bythebook.embedders.remembering import RememberingEmbedder


class Counting:
    """A real embedder that counts how often it is asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.asked: list[str] = []
        self.spec = embedder.spec
        self.count_tokens = embedder.count_tokens
        self.embed_passages = embedder.embed_passages

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
    for number in range(70):
        remembering.embed_query(f"Question {number}?")
    remembering.embed_query("Question 0?")
    assert counting.asked.count("Question 0?") == 2
    remembering.embed_query("Question 69?")
    assert counting.asked.count("Question 69?") == 1


def test_everything_else_is_the_embedders_own(embedder: Embedder) -> None:
    remembering = RememberingEmbedder(embedder)
    assert remembering.spec == embedder.spec
    assert remembering.count_tokens("A node.") == embedder.count_tokens("A node.")
    np.testing.assert_array_equal(
        remembering.embed_passages(["A node."]), embedder.embed_passages(["A node."])
    )

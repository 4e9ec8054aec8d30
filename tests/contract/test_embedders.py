"""What every embedder must do, run over every one there is."""

from __future__ import annotations

import numpy as np
import pytest

from bythebook.assembly import make_embedder
from bythebook.embedders.base import Embedder
from bythebook.settings import load_settings

TEXTS = [
    "A node is a process that computes.",
    "The cat sleeps on the sofa.",
    "Torque.",
    "A robot has sensors, actuators and a computer that closes the loop between them. " * 12,
    "",
]


@pytest.fixture(scope="module", params=["minilm"])
def subject(request: pytest.FixtureRequest) -> Embedder:
    return make_embedder(load_settings(embedder=request.param))


def test_there_is_one_unit_vector_for_each_text(subject: Embedder) -> None:
    vectors = subject.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), subject.spec.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)


def test_no_texts_give_no_vectors(subject: Embedder) -> None:
    assert subject.embed_passages([]).shape == (0, subject.spec.dimensions)


def test_the_same_text_gives_the_same_vector_every_time(subject: Embedder) -> None:
    first, second = subject.embed_passages(TEXTS), subject.embed_passages(TEXTS)
    np.testing.assert_array_equal(first, second)


def test_a_vector_does_not_depend_on_the_texts_beside_it(subject: Embedder) -> None:
    together = subject.embed_passages(TEXTS)
    for vector, text in zip(together, TEXTS, strict=True):
        alone = subject.embed_passages([text])[0]
        assert float(vector @ alone) > 0.995


def test_vectors_come_in_the_order_of_their_texts(subject: Embedder) -> None:
    forward = subject.embed_passages(TEXTS)
    backward = subject.embed_passages(TEXTS[::-1])[::-1]
    assert (np.argmax(forward @ backward.T, axis=1) == np.arange(len(TEXTS))).all()


def test_nothing_of_a_long_text_is_cut_off(subject: Embedder) -> None:
    body = "The robot walks over the floor and looks around. " * 80
    assert subject.count_tokens(body) > 2 * subject.spec.max_tokens
    tail = "Bananas and yellow fruit salad taste sweet in summer. " * 8
    plain, fruity = subject.embed_passages([body, body + tail])
    question = subject.embed_query("sweet fruit salad with bananas")
    assert float(plain @ fruity) < 0.999
    assert float(fruity @ question) > float(plain @ question) + 0.02


def test_a_question_is_nearest_to_the_passage_about_it(subject: Embedder) -> None:
    vectors = subject.embed_passages(TEXTS)
    question = subject.embed_query("Which animal lies on the couch?")
    assert question.shape == (subject.spec.dimensions,)
    assert float(np.linalg.norm(question)) == pytest.approx(1.0, abs=1e-4)
    assert int(np.argmax(vectors @ question)) == 1


def test_progress_adds_up_to_at_least_every_text(subject: Embedder) -> None:
    steps: list[int] = []
    subject.embed_passages(TEXTS, steps.append)
    assert sum(steps) >= len(TEXTS)
    assert all(step > 0 for step in steps)


def test_tokens_are_counted_without_the_special_ones(subject: Embedder) -> None:
    assert subject.count_tokens("") == 0
    assert subject.count_tokens("robot") == 1
    long = "A robot walks. "
    assert subject.count_tokens(long * 50) == 50 * subject.count_tokens(long)


def test_odd_characters_are_embedded_like_any_other(subject: Embedder) -> None:
    vectors = subject.embed_passages(["🤖", "\x00\x07", "日本語のロボット", "a" * 3000, "\n\n"])
    assert np.isfinite(vectors).all()


def test_the_facts_an_index_depends_on_are_told(subject: Embedder) -> None:
    spec = subject.spec
    assert spec.name
    assert spec.revision
    assert spec.dimensions > 0
    assert spec.max_tokens > 0
    assert 0.0 <= spec.default_threshold <= 1.0

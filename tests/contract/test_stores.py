"""What every store must do, run over every one there is."""

from __future__ import annotations

from collections.abc import Callable
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import pytest

from bythebook.embedders.base import Embedder, Vectors
from bythebook.errors import BythebookError
from bythebook.stores.base import Scope, Store
from bythebook.stores.connection import Connection
from bythebook.stores.edge import EdgeStore
from bythebook.stores.server import ServerStore
from bythebook.types import Chunk
from tests.builders import CODE, HEADER, ROW, P, make_chunk
from tests.engines.qdrant import MakeOptions

SENTENCES = (
    "A node is a process that computes.",
    "The cat sleeps on the sofa all day.",
    "Torque is a turning force measured in newton metres.",
    "The zircon sensor model XZ-900 is calibrated at the factory.",
    "A topic is a named channel that carries messages.",
    "Bananas are yellow and sweet.",
)
QUESTION = "Which animal lies on the couch?"
ALL = Scope()

# A server is run over each way to speak to it, and with the vectors quantised.
BACK_ENDS = ("edge", "http", "grpc", "quantised")

Create = Callable[[int], Store]


def chunks() -> list[Chunk]:
    return [
        make_chunk(
            (P, sentence),
            id=str(uuid5(NAMESPACE_URL, sentence)),
            module="odd" if number % 2 else "even",
            chapter=f"Chapter {number // 2}",
            index=number,
        )
        for number, sentence in enumerate(SENTENCES)
    ]


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> Vectors:
    return embedder.embed_passages(SENTENCES)


@pytest.fixture(params=BACK_ENDS, scope="module")
def create(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    server_options: MakeOptions,
) -> Create:
    """Return what makes an empty store for vectors of a size."""

    def on_server(dimensions: int) -> Store:
        options = server_options(
            prefer_grpc=request.param == "grpc", quantization=request.param == "quantised"
        )
        return ServerStore.create(Connection(options), options.collection, dimensions)

    def in_folder(dimensions: int) -> Store:
        return EdgeStore.create(tmp_path_factory.mktemp("edge") / "store", dimensions)

    return in_folder if request.param == "edge" else on_server


@pytest.fixture(scope="module")
def store(create: Create, vectors: Vectors) -> Store:
    """A store that was written to."""
    written = create(vectors.shape[1])
    written.add(chunks(), vectors)
    return written


def find(
    store: Store, embedder: Embedder, question: str, limit: int = 6, scope: Scope = ALL
) -> list[str]:
    hits = store.search(question, embedder.embed_query(question), limit, scope)
    return [hit.chunk.text for hit in hits]


def test_what_was_written_is_counted(store: Store) -> None:
    assert store.count() == len(SENTENCES)


def test_a_passage_is_found_by_its_meaning(store: Store, embedder: Embedder) -> None:
    assert find(store, embedder, QUESTION)[0] == SENTENCES[1]


def test_a_passage_is_found_by_a_rare_word(store: Store, embedder: Embedder) -> None:
    assert find(store, embedder, "XZ-900")[0] == SENTENCES[3]


def test_ranks_count_up_and_no_more_come_than_wanted(store: Store, embedder: Embedder) -> None:
    hits = store.search(QUESTION, embedder.embed_query(QUESTION), 4, ALL)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]
    assert len({hit.chunk.id for hit in hits}) == 4


def test_meaning_that_counts_more_brings_its_passage_to_the_front(
    store: Store, embedder: Embedder
) -> None:
    words, meaning = "newton metres", embedder.embed_query(QUESTION)
    same = store.search(words, meaning, 6, ALL)
    weighted = store.search(words, meaning, 6, ALL, 4)
    assert same[0].chunk.text == SENTENCES[2]
    assert weighted[0].chunk.text == SENTENCES[1]


def test_the_score_is_the_true_cosine(store: Store, embedder: Embedder, vectors: Vectors) -> None:
    question = embedder.embed_query(QUESTION)
    for hit in store.search(QUESTION, question, 6, ALL):
        cosine = float(np.dot(vectors[SENTENCES.index(hit.chunk.text)], question))
        assert hit.score == pytest.approx(max(0.0, cosine), abs=1e-4)


def test_a_score_below_zero_is_told_as_zero(store: Store, vectors: Vectors) -> None:
    opposite: Vectors = -vectors[0]
    hits = store.search("node process", opposite, 6, ALL)
    scores = {hit.chunk.text: hit.score for hit in hits}
    assert scores[SENTENCES[0]] == 0.0
    assert all(0.0 <= score <= 1.0 for score in scores.values())


@pytest.mark.parametrize(
    ("scope", "numbers"),
    [
        (Scope(module="odd"), {1, 3, 5}),
        (Scope(chapter="Chapter 1"), {2, 3}),
        (Scope(module="odd", chapter="Chapter 1"), {3}),
        (Scope(module="odd", chapter="nowhere"), set()),
    ],
)
def test_only_what_lies_in_scope_is_found(
    store: Store, embedder: Embedder, scope: Scope, numbers: set[int]
) -> None:
    assert set(find(store, embedder, QUESTION, scope=scope)) == {SENTENCES[n] for n in numbers}


def test_equal_questions_get_equal_answers(store: Store, embedder: Embedder) -> None:
    assert len({tuple(find(store, embedder, QUESTION)) for _ in range(10)}) == 1


def test_a_chunk_comes_back_as_it_was_written(create: Create, embedder: Embedder) -> None:
    pieces = ((P, "Run it: é 🤖"), (CODE, "a\n\tb"), (HEADER, "A | B"), (ROW, "1 | 2"))
    chunk = make_chunk(*pieces, id=str(uuid5(NAMESPACE_URL, "x")), lead="Run", chapter=None)
    store = create(embedder.spec.dimensions)
    store.add([chunk], embedder.embed_passages([chunk.text]))
    (hit,) = store.search("Run it", embedder.embed_query("Run it"), 5, ALL)
    assert hit.chunk == chunk
    store.close()


def test_every_chunk_can_be_read_back(store: Store) -> None:
    assert sorted(store.chunks(), key=lambda chunk: chunk.index) == chunks()


def test_a_vector_of_another_size_is_refused(store: Store, embedder: Embedder) -> None:
    short: Vectors = embedder.embed_query(QUESTION)[:8]
    with pytest.raises(BythebookError):
        store.search(QUESTION, short, 5, ALL)
    with pytest.raises(BythebookError):
        store.add(chunks()[:1], short[None, :])

"""What every store must do, on a real Qdrant server over both of its protocols."""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

import numpy as np
import pytest

from bythebook.embedders.base import Embedder, Vectors
from bythebook.errors import IndexMismatchError, IndexMissingError
from bythebook.stores.base import Scope
from bythebook.stores.connection import Connection
from bythebook.stores.server import ServerStore
from tests.builders import CODE, HEADER, ROW, P, make_chunk
from tests.contract.test_stores import ALL, QUESTION, SENTENCES, chunks, find
from tests.engines.qdrant import MakeOptions


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> Vectors:
    return embedder.embed_passages(SENTENCES)


@pytest.fixture(params=["http", "grpc", "quantised"], scope="module")
def connection(request: pytest.FixtureRequest, server_options: MakeOptions) -> Connection:
    return Connection(
        server_options(
            prefer_grpc=request.param == "grpc", quantization=request.param == "quantised"
        )
    )


@pytest.fixture(scope="module")
def store(connection: Connection, vectors: Vectors) -> ServerStore:
    name = connection.options.collection
    written = ServerStore.create(connection, name, vectors.shape[1])
    written.add(chunks(), vectors, [f"key {number}" for number in range(len(SENTENCES))])
    written.close()
    return ServerStore.open(connection, name)


def test_what_was_written_is_counted(store: ServerStore) -> None:
    assert store.count() == len(SENTENCES)


def test_a_passage_is_found_by_its_meaning(store: ServerStore, embedder: Embedder) -> None:
    assert find(store, embedder, QUESTION)[0] == SENTENCES[1]


def test_a_passage_is_found_by_a_rare_word(store: ServerStore, embedder: Embedder) -> None:
    assert find(store, embedder, "XZ-900")[0] == SENTENCES[3]


def test_ranks_count_up_and_no_more_come_than_wanted(
    store: ServerStore, embedder: Embedder
) -> None:
    hits = store.search(QUESTION, embedder.embed_query(QUESTION), 4, ALL)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]
    assert len({hit.chunk.id for hit in hits}) == 4


def test_the_score_is_the_true_cosine(
    store: ServerStore, embedder: Embedder, vectors: Vectors
) -> None:
    question = embedder.embed_query(QUESTION)
    for hit in store.search(QUESTION, question, 6, ALL):
        cosine = float(np.dot(vectors[SENTENCES.index(hit.chunk.text)], question))
        assert hit.score == pytest.approx(max(0.0, cosine), abs=1e-4)


def test_a_score_below_zero_is_told_as_zero(store: ServerStore, vectors: Vectors) -> None:
    opposite: Vectors = -vectors[0]
    hits = store.search("node process", opposite, 6, ALL)
    scores = {hit.chunk.text: hit.score for hit in hits}
    assert scores[SENTENCES[0]] == 0.0


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
    store: ServerStore, embedder: Embedder, scope: Scope, numbers: set[int]
) -> None:
    assert set(find(store, embedder, QUESTION, scope=scope)) == {SENTENCES[n] for n in numbers}


def test_equal_questions_get_equal_answers(store: ServerStore, embedder: Embedder) -> None:
    assert len({tuple(find(store, embedder, QUESTION)) for _ in range(10)}) == 1


def test_a_chunk_comes_back_as_it_was_written(
    connection: Connection, embedder: Embedder, server_options: MakeOptions
) -> None:
    pieces = ((P, "Run it: é 🤖"), (CODE, "a\n\tb"), (HEADER, "A | B"), (ROW, "1 | 2"))
    chunk = make_chunk(*pieces, id=str(uuid5(NAMESPACE_URL, "x")), lead="Run", chapter=None)
    name = server_options().collection
    store = ServerStore.create(connection, name, embedder.spec.dimensions)
    store.add([chunk], embedder.embed_passages([chunk.text]), ["a key"])
    (hit,) = store.search("Run it", embedder.embed_query("Run it"), 5, ALL)
    assert hit.chunk == chunk


def test_every_chunk_can_be_read_back(store: ServerStore) -> None:
    assert sorted(store.chunks(), key=lambda chunk: chunk.index) == chunks()


def test_the_vectors_are_known_by_their_keys(store: ServerStore, vectors: Vectors) -> None:
    known = store.known_vectors()
    assert set(known) == {f"key {number}" for number in range(len(SENTENCES))}
    for number, vector in enumerate(vectors):
        np.testing.assert_allclose(known[f"key {number}"], vector, atol=1e-6)


def test_a_store_that_is_not_there_is_an_error_in_words(connection: Connection) -> None:
    with pytest.raises(IndexMissingError, match="has no collection 'nowhere'") as caught:
        ServerStore.open(connection, "nowhere")
    assert "bythebook index" in str(caught.value.hint)


def test_a_vector_of_another_size_is_refused(store: ServerStore, embedder: Embedder) -> None:
    short: Vectors = embedder.embed_query(QUESTION)[:8]
    with pytest.raises(IndexMismatchError, match="384, got 8"):
        store.search(QUESTION, short, 5, ALL)
    with pytest.raises(IndexMismatchError, match="another size"):
        store.add(chunks()[:1], short[None, :])

"""What only the server's store does: it knows its vectors, and is missed by name."""

from __future__ import annotations

import numpy as np
import pytest

from bythebook.embedders.base import Embedder, Vectors
from bythebook.errors import IndexMismatchError, IndexMissingError
from bythebook.stores.connection import Connection
from bythebook.stores.server import ServerStore
from tests.contract.test_stores import ALL, QUESTION, SENTENCES, chunks
from tests.engines.qdrant import MakeOptions


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> Vectors:
    return embedder.embed_passages(SENTENCES)


@pytest.fixture(params=["http", "grpc"], scope="module")
def connection(request: pytest.FixtureRequest, server_options: MakeOptions) -> Connection:
    return Connection(server_options(prefer_grpc=request.param == "grpc"))


@pytest.fixture(scope="module")
def store(connection: Connection, vectors: Vectors) -> ServerStore:
    name = connection.options.collection
    written = ServerStore.create(connection, name, vectors.shape[1])
    written.add(chunks(), vectors, [f"key {number}" for number in range(len(SENTENCES))])
    written.close()
    return ServerStore.open(connection, name)


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

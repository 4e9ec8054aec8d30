"""Three Qdrant nodes, two copies of everything: one node dies and comes back, nobody notices."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from uuid import NAMESPACE_URL, uuid5

import httpx
import numpy as np
import pytest

from bythebook.embedders.base import Vectors
from bythebook.errors import BythebookError
from bythebook.stores.base import Scope
from bythebook.stores.connection import Connection, ServerOptions
from bythebook.stores.server import ServerStore
from bythebook.stores.server_shelf import ServerShelf
from bythebook.types import Chunk
from tests.builders import P, make_chunk
from tests.engines.qdrant import Node

SIZE = 16
WORDS = "node topic torque zircon banana gripper camera lidar joint battery".split()


def many_chunks(first: int, count: int) -> tuple[list[Chunk], Vectors]:
    numbers = range(first, first + count)
    chunks = [
        make_chunk(
            (P, f"Passage {n} is about the {WORDS[n % 10]} and the {WORDS[n % 7]}."),
            id=str(uuid5(NAMESPACE_URL, f"passage {n}")),
            index=n,
        )
        for n in numbers
    ]
    vectors = np.random.default_rng(first).normal(size=(count, SIZE)).astype(np.float32)
    return chunks, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def question(number: int) -> tuple[str, Vectors]:
    vector = np.random.default_rng(number).normal(size=SIZE).astype(np.float32)
    return f"What is the {WORDS[number % 10]}?", vector / np.linalg.norm(vector)


class Readers(threading.Thread):
    """Asks one question after the other and remembers what failed."""

    def __init__(self, store: ServerStore) -> None:
        super().__init__(daemon=True)
        self._store = store
        self._progress = threading.Condition()
        self._is_done = False
        self.asked = 0
        self.failures: list[str] = []

    def run(self) -> None:
        while not self._is_done:
            try:
                found = self._store.search(*question(self.asked), 5, Scope())
                if len(found) != 5:
                    self.failures.append(f"{len(found)} passages")
            except BythebookError as problem:
                self.failures.append(repr(problem))
            with self._progress:
                self.asked += 1
                self._progress.notify_all()

    def wait_for_more(self, count: int) -> None:
        with self._progress:
            wanted = self.asked + count
            assert self._progress.wait_for(lambda: self.asked >= wanted, timeout=20)

    def finish(self) -> None:
        self._is_done = True
        self.join(timeout=20)


@contextmanager
def reading(store: ServerStore) -> Iterator[Readers]:
    readers = Readers(store)
    readers.start()
    try:
        yield readers
    finally:
        readers.finish()


def replicas(node: Node, collection: str) -> list[tuple[int, str, int | None]]:
    """Return (shard, state, points if they are here) of every copy, as this node sees it."""
    answer = httpx.get(f"{node.url}/collections/{collection}/cluster", timeout=5, trust_env=False)
    found = answer.raise_for_status().json()["result"]
    here = [(s["shard_id"], s["state"], s["points_count"]) for s in found["local_shards"]]
    return here + [(s["shard_id"], s["state"], None) for s in found["remote_shards"]]


def wait_until_whole(nodes: list[Node], collection: str, count: int) -> None:
    """Return when every copy is active everywhere and the copies hold everything, twice."""
    deadline = monotonic() + 30
    while True:
        seen = [replica for node in nodes for replica in replicas(node, collection)]
        points = sum(number for _, _, number in seen if number is not None)
        if all(state == "Active" for _, state, _ in seen) and points == 2 * count:
            return
        assert monotonic() < deadline, f"not whole in time: {seen}"
        threading.Event().wait(0.05)


@pytest.fixture
def options(qdrant_cluster: list[Node], request: pytest.FixtureRequest) -> ServerOptions:
    return ServerOptions(
        url=",".join(node.url for node in qdrant_cluster),
        collection=f"cluster-{request.node.name.replace('[', '-').rstrip(']')}",
        shard_number=3,
        replication_factor=2,
        write_consistency_factor=1,
    )


@pytest.mark.parametrize("number", [0, 1], ids=["the node in use", "another node"])
def test_a_node_dies_and_comes_back_and_no_question_fails(
    qdrant_cluster: list[Node], options: ServerOptions, number: int
) -> None:
    store = ServerStore.create(Connection(options), options.collection, SIZE)
    store.add(*many_chunks(0, 200))
    wait_until_whole(qdrant_cluster, options.collection, 200)
    reader = ServerStore.open(Connection(options), options.collection)
    victim = qdrant_cluster[number]
    with reading(reader) as readers:
        readers.wait_for_more(20)
        victim.kill()
        readers.wait_for_more(40)
        # What is written while it is away reaches it when it is back.
        store.add(*many_chunks(200, 50))
        victim.start()
        victim.wait_until_ready()
        readers.wait_for_more(40)
        wait_until_whole(qdrant_cluster, options.collection, 250)
        readers.wait_for_more(20)
    assert readers.failures == []
    for node in qdrant_cluster:
        alone = Connection(ServerOptions(url=node.url))
        assert ServerStore(alone, options.collection).count() == 250
    store.close()
    reader.close()


def test_a_book_is_kept_as_the_options_say(
    qdrant_cluster: list[Node], options: ServerOptions
) -> None:
    shelf = ServerShelf(options)
    with shelf.building():
        generation, store = shelf.create(SIZE)
        store.add(*many_chunks(0, 10))
        shelf.write("manifest", generation, "{}")
        shelf.publish(generation)
    connection = Connection(options)
    info = connection.call(lambda client: client.get_collection(options.collection))
    params = info.config.params
    assert (params.shard_number, params.replication_factor) == (3, 2)
    assert params.write_consistency_factor == 1
    # Any node tells the same book, with nothing but its own address.
    for node in qdrant_cluster:
        other = ServerShelf(ServerOptions(url=node.url, collection=options.collection))
        assert other.current() == generation
        assert other.read("manifest", generation) == "{}"
        assert other.open_store().count() == 10
        other.close()
    shelf.remove()
    connection.close()

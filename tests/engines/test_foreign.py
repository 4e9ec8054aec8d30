"""Collections as the documents' own pipelines made them, on a real server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import pytest
from qdrant_client import models

from bythebook.embedders.base import Embedder, Vectors
from bythebook.errors import IndexMismatchError, IndexMissingError, SettingsError, StoreError
from bythebook.stores.base import Scope
from bythebook.stores.connection import Connection
from bythebook.stores.field_map import FieldMap, read_chunk
from bythebook.stores.foreign import ForeignStore
from tests.engines.qdrant import MakeOptions

TEXTS = (
    "ROS 2 is a flexible framework for writing robot software.",
    "Inverse kinematics calculates the joint parameters that place the end of a chain.",
    "Gazebo simulates robots, sensors and worlds.",
)
QUESTION = "What is ROS 2?"
SITE = "https://book.example.org"


def scored(number: int) -> dict[str, Any]:
    """Return a payload as document 000 describes it: metadata nested under its own key."""
    return {
        "text": TEXTS[number],
        "metadata": {
            "page_number": 42 + number,
            "section_title": f"Section {number}",
            "chapter": f"Chapter {number}",
            "url": f"{SITE}/chapter-{number}",
            "chunk_index": number,
        },
    }


def session(number: int) -> dict[str, Any]:
    """Return a payload as document 001 describes it."""
    return {
        "chunk_text": TEXTS[number],
        "source_url": f"{SITE}/docs/ch{number}",
        "chapter_id": f"Chapter {number}",
        "module_name": f"Module {number}",
        "heading_hierarchy": [f"Chapter {number}: Basics", f"Section {number}"],
        "token_count": 42,
        "chunk_index": number,
    }


def modules(number: int) -> dict[str, Any]:
    """Return a payload as document 003 describes it."""
    return {
        "text": TEXTS[number],
        "page_title": f"Page {number}",
        "page_url": f"{SITE}/page-{number}",
        "module_name": f"Module {number}",
        "chunk_index": number,
    }


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> Vectors:
    return embedder.embed_passages(TEXTS)


@pytest.fixture
def connection(server_options: MakeOptions) -> Iterator[Connection]:
    made = Connection(server_options())
    yield made
    made.close()


def fill(
    connection: Connection,
    vectors: Vectors,
    payloads: list[dict[str, Any]],
    ids: Sequence[int | str],
    name: str | None = None,
    distance: models.Distance = models.Distance.COSINE,
) -> None:
    """Make a collection the way a pipeline of one vector a point does."""
    collection = connection.options.collection
    params = models.VectorParams(size=vectors.shape[1], distance=distance)
    config: Any = {name: params} if name else params
    connection.write(lambda client: client.create_collection(collection, config))
    points = [
        models.PointStruct(
            id=point,
            vector={name: vector.tolist()} if name else vector.tolist(),
            payload=payload,
        )
        for point, vector, payload in zip(ids, vectors, payloads, strict=True)
    ]
    connection.write(lambda client: client.upsert(collection, points))


@pytest.mark.parametrize(
    ("make", "ids", "name"),
    [
        (scored, [1, 2, 3], None),
        (session, [str(uuid5(NAMESPACE_URL, text)) for text in TEXTS], None),
        (modules, [10, 20, 30], "content"),
    ],
    ids=["humanoid_robotics_textbook", "rag_embedding", "physical-ai-textbook"],
)
def test_the_documents_collections_are_read_without_any_setting(
    connection: Connection,
    embedder: Embedder,
    vectors: Vectors,
    make: Any,
    ids: Any,
    name: str | None,
) -> None:
    fill(connection, vectors, [make(number) for number in range(3)], ids, name)
    store = ForeignStore.open(connection, vectors.shape[1])
    assert store.count() == 3
    query = embedder.embed_query(QUESTION)
    hits = store.search(QUESTION, query, 2, Scope())
    assert [hit.rank for hit in hits] == [1, 2]
    best = hits[0].chunk
    assert (best.id, best.text) == (str(ids[0]), TEXTS[0])
    assert hits[0].score == pytest.approx(float(np.dot(vectors[0], query)), abs=1e-4)
    assert str(best.page_url).startswith(SITE)
    assert best.text[best.start : best.end] == TEXTS[0]
    assert {chunk.text for chunk in store.chunks()} == set(TEXTS)


def test_every_field_finds_its_place() -> None:
    first, second, third = (
        read_chunk("1", payload, FieldMap().settled([payload], "c"))
        for payload in (scored(0), session(1), modules(2))
    )
    assert (first.page_number, first.chapter, first.index) == (42, "Chapter 0", 0)
    assert (first.section, first.heading_path) == ("Section 0", ("Section 0",))
    assert (second.module, second.chapter) == ("Module 1", "Chapter 1")
    assert second.heading_path == ("Chapter 1: Basics", "Section 1")
    assert second.page_title == "Chapter 1: Basics"
    assert (third.page_title, third.page_path, third.index) == ("Page 2", f"{SITE}/page-2", 2)


@pytest.mark.parametrize("make", [scored, session], ids=["nested", "flat"])
def test_only_what_lies_in_scope_is_found(
    connection: Connection, embedder: Embedder, vectors: Vectors, make: Any
) -> None:
    fill(connection, vectors, [make(number) for number in range(3)], [1, 2, 3])
    store = ForeignStore.open(connection, vectors.shape[1])
    query = embedder.embed_query(QUESTION)
    (hit,) = store.search(QUESTION, query, 5, Scope(chapter="Chapter 2"))
    assert hit.chunk.text == TEXTS[2]


def test_a_field_map_names_unusual_keys(connection: Connection, vectors: Vectors) -> None:
    odd = [{"body": {"words": text}, "where": {"link": SITE}} for text in TEXTS]
    fill(connection, vectors, odd, [1, 2, 3])
    fields = FieldMap.model_validate({"text": "body.words", "url": "where.link"})
    store = ForeignStore.open(connection, vectors.shape[1], fields)
    assert [chunk.page_url for chunk in store.chunks()] == [SITE] * 3


def test_a_missing_text_field_names_the_keys_that_are_there(
    connection: Connection, vectors: Vectors
) -> None:
    odd = [{"body": {"words": text}, "where": SITE} for text in TEXTS]
    fill(connection, vectors, odd, [1, 2, 3])
    with pytest.raises(SettingsError, match="has no text under 'text' or 'content'") as caught:
        ForeignStore.open(connection, vectors.shape[1])
    assert "'body.words', 'where'" in str(caught.value.hint)


def test_one_point_without_text_is_told_by_its_id(connection: Connection, vectors: Vectors) -> None:
    fill(connection, vectors, [modules(0), modules(1), {"page_title": "Empty"}], [1, 2, 3])
    store = ForeignStore.open(connection, vectors.shape[1])
    with pytest.raises(SettingsError, match="point 3 of the collection has no text") as caught:
        list(store.chunks())
    assert "'page_title'" in str(caught.value.hint)


def test_a_collection_for_dot_products_gives_true_cosines(
    connection: Connection, embedder: Embedder, vectors: Vectors
) -> None:
    longer: Vectors = vectors * np.float32(3)
    payloads = [modules(number) for number in range(3)]
    fill(connection, longer, payloads, [1, 2, 3], distance=models.Distance.DOT)
    store = ForeignStore.open(connection, vectors.shape[1])
    query = embedder.embed_query(QUESTION)
    for hit in store.search(QUESTION, query, 3, Scope()):
        cosine = float(np.dot(vectors[TEXTS.index(hit.chunk.text)], query))
        assert hit.score == pytest.approx(max(0.0, cosine), abs=1e-4)


def test_nothing_is_ever_written(connection: Connection, vectors: Vectors) -> None:
    fill(connection, vectors, [modules(number) for number in range(3)], [1, 2, 3])
    store = ForeignStore.open(connection, vectors.shape[1])
    with pytest.raises(StoreError, match="only read"):
        store.add(list(store.chunks()), vectors)


def test_another_embedder_is_refused(connection: Connection, vectors: Vectors) -> None:
    fill(connection, vectors, [modules(number) for number in range(3)], [1, 2, 3])
    with pytest.raises(IndexMismatchError, match="384 dimensions, but the embedder makes 1024"):
        ForeignStore.open(connection, 1024)


def test_two_vectors_need_a_name(connection: Connection) -> None:
    collection = connection.options.collection
    params = models.VectorParams(size=4, distance=models.Distance.COSINE)
    config = {"title": params, "body": params}
    connection.write(lambda client: client.create_collection(collection, config))
    with pytest.raises(SettingsError, match="name of the vector") as caught:
        ForeignStore.open(connection, 4)
    assert "'body'" in str(caught.value.hint)
    assert ForeignStore.open(connection, 4, vector_name="body").count() == 0


def test_a_collection_that_is_not_there(connection: Connection) -> None:
    with pytest.raises(IndexMissingError, match="no collection"):
        ForeignStore.open(connection, 384)

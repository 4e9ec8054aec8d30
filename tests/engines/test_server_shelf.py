"""Generations of a book on a real server: building, publishing, sweeping, locking."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from qdrant_client import models

from bythebook.embedders.base import Vectors
from bythebook.errors import BythebookError, IndexBusyError, IndexMissingError, SettingsError
from bythebook.stores.base import Scope
from bythebook.stores.building_lock import STALE_AFTER_SECONDS, BuildingLock
from bythebook.stores.connection import Connection, ServerOptions
from bythebook.stores.documents import Documents
from bythebook.stores.server import ServerStore
from bythebook.stores.server_shelf import ServerShelf
from tests.builders import P, make_chunk, run_python
from tests.engines.qdrant import MakeOptions

VECTOR: Vectors = np.full(4, 0.5, dtype=np.float32)


@pytest.fixture
def options(server_options: MakeOptions) -> ServerOptions:
    return server_options()


@pytest.fixture
def shelf(options: ServerOptions) -> Iterator[ServerShelf]:
    made = ServerShelf(options)
    yield made
    made.close()


def collections(options: ServerOptions) -> set[str]:
    connection = Connection(options)
    found = connection.call(lambda client: client.get_collections()).collections
    connection.close()
    return {c.name for c in found if c.name.startswith(f"{options.collection}--")}


def write(shelf: ServerShelf, sentence: str) -> str:
    """Write a generation with one passage and return its name."""
    generation, store = shelf.create(4)
    chunk = make_chunk((P, sentence), id="00000000-0000-0000-0000-000000000001")
    store.add([chunk], VECTOR[None, :], [f"hash of {sentence}"])
    shelf.write("manifest", generation, f'{{"says": "{sentence}"}}')
    shelf.write("lexicon", generation, "{}")
    return generation


def build(shelf: ServerShelf, sentence: str) -> str:
    with shelf.building():
        generation = write(shelf, sentence)
        shelf.publish(generation)
    return generation


def read(store: ServerStore) -> str:
    (hit,) = store.search("words", VECTOR, 1, Scope())
    return hit.chunk.text


def test_a_published_book_opens_with_nothing_but_the_address(
    shelf: ServerShelf, options: ServerOptions
) -> None:
    generation = build(shelf, "First.")
    other = ServerShelf(options)
    assert other.current() == generation
    assert not other.is_foreign()
    assert other.read("manifest", generation) == '{"says": "First."}'
    assert read(other.open_store()) == "First."
    assert other.known_vectors(generation).keys() == {"hash of First."}
    other.close()


def test_nothing_is_seen_before_it_is_published(shelf: ServerShelf) -> None:
    first = build(shelf, "First.")
    with shelf.building():
        second = write(shelf, "Second.")
        assert shelf.current() == first
        assert read(shelf.open_store()) == "First."
        shelf.publish(second)
    assert shelf.current() == second
    assert read(shelf.open_store()) == "Second."


def test_who_reads_the_generation_before_may_go_on(shelf: ServerShelf) -> None:
    first = build(shelf, "First.")
    reader = shelf.open_store()
    build(shelf, "Second.")
    assert read(reader) == "First."
    assert shelf.read("manifest", first) is not None
    build(shelf, "Third.")
    with pytest.raises(IndexMissingError):
        read(reader)
    assert shelf.read("manifest", first) is None


def test_a_killed_build_leaves_the_book_and_its_remains_are_swept(
    shelf: ServerShelf, options: ServerOptions
) -> None:
    first = build(shelf, "First.")
    with pytest.raises(RuntimeError, match="killed"), shelf.building():  # noqa: PT012  # one story
        write(shelf, "Half.")
        raise RuntimeError("killed")
    assert len(collections(options)) == 3
    assert read(shelf.open_store()) == "First."
    with shelf.building():
        shelf.sweep({first})
    name = options.collection
    assert collections(options) == {f"{name}--{first}", f"{name}--meta"}
    assert read(shelf.open_store()) == "First."


def test_sweeping_leaves_other_books_alone(server_options: MakeOptions) -> None:
    options = server_options()
    longer = ServerShelf(replace(options, collection=f"{options.collection}--two"))
    build(longer, "Other.")
    shelf = ServerShelf(options)
    build(shelf, "First.")
    with shelf.building():
        shelf.sweep(())
    assert read(longer.open_store()) == "Other."


def test_no_question_fails_while_books_are_published(shelf: ServerShelf) -> None:
    build(shelf, "Edition 0.")
    done = threading.Event()
    seen: set[str] = set()
    failures: list[BythebookError] = []

    def ask() -> None:
        while not done.is_set():
            try:
                seen.add(read(shelf.open_store()))
            except BythebookError as problem:
                failures.append(problem)

    reader = threading.Thread(target=ask, daemon=True)
    reader.start()
    for number in range(1, 6):
        build(shelf, f"Edition {number}.")
    done.set()
    reader.join(timeout=10)
    assert failures == []
    assert len(seen) > 1


def test_a_second_builder_is_refused(shelf: ServerShelf, options: ServerOptions) -> None:
    other = ServerShelf(options)
    with shelf.building():
        with pytest.raises(IndexBusyError, match="being built by process"), other.building():
            pass
        with pytest.raises(IndexBusyError), other.building():
            pass
    with other.building():
        pass
    other.close()


def test_only_one_of_many_builders_gets_in(options: ServerOptions) -> None:
    barrier = threading.Barrier(6)
    inside: list[int] = []
    refused: list[int] = []
    leave = threading.Event()

    def try_to_build(number: int) -> None:
        shelf = ServerShelf(options)
        barrier.wait(timeout=10)
        try:
            with shelf.building():
                inside.append(number)
                assert leave.wait(timeout=10)
        except IndexBusyError:
            refused.append(number)
        if len(refused) == 5:
            leave.set()
        shelf.close()

    threads = [threading.Thread(target=try_to_build, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=15)
    assert (len(inside), len(refused)) == (1, 5)


def test_the_lock_of_a_dead_process_is_taken_over(
    shelf: ServerShelf, options: ServerOptions
) -> None:
    program = (
        "import os, sys\nfrom bythebook.stores.connection import ServerOptions\n"
        "from bythebook.stores.server_shelf import ServerShelf\n"
        "building = ServerShelf(ServerOptions(sys.argv[1], collection=sys.argv[2])).building()\n"
        "building.__enter__()\nos._exit(9)"
    )
    assert run_python(program, options.url, options.collection).returncode == 9
    with shelf.building():
        pass


def test_a_lock_nobody_renews_is_taken_over_and_kept(options: ServerOptions) -> None:
    connection = Connection(options)
    documents = Documents(connection, f"{options.collection}--meta")
    documents.create()
    now = 1_000_000.0
    first = BuildingLock(connection, documents.collection, clock=lambda: now)
    late = BuildingLock(
        connection, documents.collection, clock=lambda: now + STALE_AFTER_SECONDS + 1
    )
    with contextlib.ExitStack() as stack:
        with first.held():
            stack.enter_context(late.held())
        # The one that was taken for dead has not released what another holds.
        with pytest.raises(IndexBusyError), late.held():
            pass
    with late.held():
        pass
    connection.close()


@pytest.mark.parametrize("is_alias", [False, True], ids=["collection", "alias"])
def test_a_collection_of_someone_else_is_not_built_over(
    shelf: ServerShelf, options: ServerOptions, is_alias: bool
) -> None:
    connection = Connection(options)
    ServerStore.create(connection, options.collection + is_alias * "-data", 4)
    if is_alias:
        alias = models.CreateAlias(
            collection_name=f"{options.collection}-data", alias_name=options.collection
        )
        operation = models.CreateAliasOperation(create_alias=alias)
        connection.write(lambda client: client.update_collection_aliases([operation]))
    assert shelf.is_foreign()
    with pytest.raises(SettingsError, match="did not make") as caught, shelf.building():
        pass
    assert "QDRANT_COLLECTION_NAME" in str(caught.value.hint)
    connection.close()


def test_a_long_document_comes_back_whole(shelf: ServerShelf) -> None:
    text = "wörds of the bok 🤖 " * 160_000
    with shelf.building():
        shelf.write("lexicon", "0" * 12, text)
        assert shelf.read("lexicon", "0" * 12) == text
        shelf.write("lexicon", "1" * 12, "")
        assert shelf.read("lexicon", "1" * 12) == ""
        assert shelf.read("manifest", "0" * 12) is None


def test_a_document_that_was_cut_off_counts_as_none(options: ServerOptions) -> None:
    connection = Connection(options)
    documents = Documents(connection, f"{options.collection}--meta")
    documents.create()
    documents.write("lexicon/x", "a" * 2_500_000)
    parts = list(documents._points())
    connection.write(lambda client: client.delete(documents.collection, parts[-1:]))
    assert documents.read("lexicon/x") is None
    documents.delete(["lexicon/x"])
    assert documents.keys() == set()
    connection.close()


def test_a_book_can_be_taken_off_the_server(shelf: ServerShelf, options: ServerOptions) -> None:
    build(shelf, "First.")
    shelf.remove()
    assert collections(options) == set()
    assert shelf.current() is None

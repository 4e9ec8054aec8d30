"""Where a book stands on a server, with every generation of its index.

    <name>                an alias: the generation in use
    <name>--<generation>  one complete index: chunks and vectors
    <name>--meta          the manifest and the lexicon of each generation, and the lock

A new index is built in a new collection and published by pointing the alias at it, which the
server does in one step. Whoever is killed on the way leaves the old index untouched; the next
build sweeps the remains away.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Collection, Iterator
from typing import Literal

from bythebook.embedders.base import Vectors
from bythebook.errors import IndexMissingError, SettingsError
from bythebook.stores.building_lock import BuildingLock
from bythebook.stores.client import models
from bythebook.stores.connection import Connection, ServerOptions
from bythebook.stores.documents import Documents
from bythebook.stores.server import ServerStore

DocumentName = Literal["manifest", "lexicon"]


class ServerShelf:
    """One book on a server."""

    def __init__(self, options: ServerOptions, connection: Connection | None = None) -> None:
        self._name = options.collection
        self._connection = connection or Connection(options)
        self._documents = Documents(self._connection, f"{self._name}--meta")
        self._lock = BuildingLock(self._connection, self._documents.collection)

    def current(self) -> str | None:
        """Return the generation in use, or nothing when the book was never published."""
        target = self._target()
        return self._generation(target) if target else None

    def is_foreign(self) -> bool:
        """Tell whether the name stands for a collection that another program made."""
        target = self._target()
        if target is not None:
            return self._generation(target) is None
        found = self._connection.call(lambda client: client.get_collections()).collections
        return any(collection.name == self._name for collection in found)

    def read(self, document: DocumentName, generation: str) -> str | None:
        """Return the manifest or the lexicon of a generation, as it was written."""
        return self._documents.read(f"{document}/{generation}")

    def open_store(self, generation: str | None = None) -> ServerStore:
        """Open the given generation, or the one in use; raise IndexMissingError if there is none.

        A store stays with its generation when a newer one is published: its vectors belong to the
        manifest and the lexicon that were read with it.
        """
        chosen = generation or self.current()
        if chosen is None:
            raise IndexMissingError(
                f"there is no book {self._name!r} on the Qdrant server",
                hint="check QDRANT_COLLECTION_NAME, or build the index with 'bythebook index'",
            )
        return ServerStore.open(self._connection, self._collection(chosen))

    def known_vectors(self, generation: str) -> dict[str, Vectors]:
        """Return the vectors of a generation by the hash of what was embedded."""
        try:
            return ServerStore(self._connection, self._collection(generation)).known_vectors()
        except IndexMissingError:
            return {}

    @contextlib.contextmanager
    def building(self) -> Iterator[None]:
        """Hold the book for building; raise IndexBusyError when another process does."""
        if self.is_foreign():
            raise SettingsError(
                f"the server has a collection {self._name!r} that bythebook did not make",
                hint="choose another QDRANT_COLLECTION_NAME for the index",
            )
        self._documents.create()
        self._lock.prepare()
        with self._lock.held():
            yield

    def create(self, dimensions: int) -> tuple[str, ServerStore]:
        """Make an empty generation; return its name and its store."""
        generation = secrets.token_hex(6)
        store = ServerStore.create(self._connection, self._collection(generation), dimensions)
        return generation, store

    def write(self, document: DocumentName, generation: str, text: str) -> None:
        """Keep the manifest or the lexicon of a generation."""
        self._documents.write(f"{document}/{generation}", text)

    def publish(self, generation: str) -> None:
        """Put a generation in use, and remove all but it and the one it replaces.

        The one it replaces stays until the next build, for those who are reading it.
        """
        previous = self.current()
        create = models.CreateAlias(
            collection_name=self._collection(generation), alias_name=self._name
        )
        switch: list[models.CreateAliasOperation | models.DeleteAliasOperation] = [
            models.CreateAliasOperation(create_alias=create)
        ]
        if previous is not None:
            old = models.DeleteAlias(alias_name=self._name)
            switch.insert(0, models.DeleteAliasOperation(delete_alias=old))
        self._connection.write(lambda client: client.update_collection_aliases(switch))
        self.sweep({generation, *([previous] if previous else [])})

    def sweep(self, keep: Collection[str]) -> None:
        """Remove every generation but the given ones."""
        kept = set(keep)
        for generation in self._generations() - kept:
            self._drop(self._collection(generation))
        written = self._documents.keys()
        self._documents.delete(key for key in written if key.partition("/")[2] not in kept)

    def remove(self) -> None:
        """Take the book off the server, with all its generations."""
        if self.current() is not None:
            old = models.DeleteAlias(alias_name=self._name)
            operation = models.DeleteAliasOperation(delete_alias=old)
            self._connection.write(lambda client: client.update_collection_aliases([operation]))
        for generation in self._generations():
            self._drop(self._collection(generation))
        self._drop(self._documents.collection)

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _collection(self, generation: str) -> str:
        return f"{self._name}--{generation}"

    def _generation(self, collection: str) -> str | None:
        found = re.fullmatch(re.escape(self._name) + r"--([0-9a-f]{12})", collection)
        return found[1] if found else None

    def _generations(self) -> set[str]:
        found = self._connection.call(lambda client: client.get_collections()).collections
        names = (self._generation(collection.name) for collection in found)
        return {name for name in names if name}

    def _drop(self, collection: str) -> None:
        self._connection.write(lambda client: client.delete_collection(collection))

    def _target(self) -> str | None:
        """Return the collection that the book's name stands for."""
        found = self._connection.call(lambda client: client.get_aliases()).aliases
        return next((a.collection_name for a in found if a.alias_name == self._name), None)

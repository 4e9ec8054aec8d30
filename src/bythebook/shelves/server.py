"""The shelf on a Qdrant server, a cluster or Qdrant Cloud: everything is kept there.

Any process that has the address can open the book; nothing lies on its own disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from bythebook.embedders.base import Vectors
from bythebook.errors import IndexMissingError, StoreError
from bythebook.lexicon import Lexicon
from bythebook.manifest import Manifest, parse_manifest
from bythebook.shelves.base import Contents
from bythebook.stores.connection import ServerOptions
from bythebook.stores.server import ServerStore
from bythebook.stores.server_shelf import ServerShelf as Generations


class ServerShelf:
    """The index of one book under an alias on a server."""

    def __init__(self, options: ServerOptions) -> None:
        self.name = options.collection
        self._generations = Generations(options)

    def manifest(self) -> Manifest:
        """Return the manifest in use."""
        current = self._generations.current()
        text = self._generations.read("manifest", current) if current else None
        if text is None:
            raise IndexMissingError(
                f"there is no book {self.name!r} on the Qdrant server",
                hint="build it with 'bythebook index', or check QDRANT_COLLECTION_NAME",
            )
        return parse_manifest(text, self.name)

    def is_foreign(self) -> bool:
        """Tell whether the name stands for a collection that another program made."""
        return self._generations.is_foreign()

    def building(self) -> AbstractContextManager[None]:
        """Hold the book for building."""
        return self._generations.building()

    def known_vectors(self, manifest: Manifest) -> Mapping[str, Vectors]:
        """Return the vectors of an index by their keys."""
        return self._generations.known_vectors(manifest.generation)

    def publish(self, draft: Manifest, contents: Contents) -> Manifest:
        """Write a new generation and point the alias at it."""
        name, store = self._generations.create(contents.vectors.shape[1])
        manifest = draft.model_copy(update={"generation": name})
        store.add(contents.chunks, contents.vectors, contents.keys)
        self._generations.write("lexicon", name, contents.lexicon.to_json())
        self._generations.write("manifest", name, manifest.model_dump_json())
        self._generations.publish(name)
        return manifest

    def amend(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        self._generations.write("manifest", manifest.generation, manifest.model_dump_json())

    def tidy(self, manifest: Manifest) -> None:
        """Remove every generation but the one in use."""
        self._generations.sweep({manifest.generation})

    def lexicon(self, manifest: Manifest) -> Lexicon:
        """Return the lexicon of an index."""
        text = self._generations.read("lexicon", manifest.generation)
        try:
            return Lexicon.from_json(text or "")
        except ValueError as problem:
            raise StoreError(
                f"the index of the book {self.name!r} is damaged: {problem}",
                hint="build it again with 'bythebook index'",
            ) from problem

    def store(self, manifest: Manifest) -> ServerStore:
        """Open the collection of an index."""
        return self._generations.open_store(manifest.generation)

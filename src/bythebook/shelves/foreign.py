"""A collection that someone else's pipeline made, seen as a shelf that is only read.

It has no manifest and no lexicon, so both are made from its passages when it is opened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import cached_property

from bythebook.embedders.base import EmbedderSpec, Vectors
from bythebook.errors import SettingsError
from bythebook.lexicon import Lexicon
from bythebook.manifest import Manifest, PageEntry
from bythebook.shelves.base import Contents
from bythebook.stores.connection import Connection, ServerOptions
from bythebook.stores.field_map import FieldMap
from bythebook.stores.foreign import ForeignStore
from bythebook.types import Chunk
from bythebook.version import __version__


class ForeignShelf:
    """The passages of another program under our eyes."""

    def __init__(
        self, options: ServerOptions, spec: EmbedderSpec, fields: FieldMap | None = None
    ) -> None:
        self._options = options
        self._spec = spec
        self._fields = fields

    @cached_property
    def _store(self) -> ForeignStore:
        return ForeignStore.open(Connection(self._options), self._spec.dimensions, self._fields)

    @cached_property
    def _chunks(self) -> tuple[Chunk, ...]:
        return tuple(self._store.chunks())

    def manifest(self) -> Manifest:
        """Return what can be told about the collection; its embedder is taken to be ours."""
        pages = {chunk.page_path: chunk for chunk in self._chunks}
        per_page = Counter(chunk.page_path for chunk in self._chunks)
        return Manifest(
            version=__version__,
            generation=self._options.collection,
            fingerprint="",
            created_at=datetime.now(UTC),
            title=self._options.collection,
            generator="collection of another program",
            source=self._options.collection,
            base_url=None,
            embedder=self._spec.name,
            embedder_revision=self._spec.revision,
            dimensions=self._spec.dimensions,
            threshold=self._spec.default_threshold,
            chunks=len(self._chunks),
            tokens=sum(chunk.token_count for chunk in self._chunks),
            oversized=0,
            pages=tuple(_page(chunk, per_page[path]) for path, chunk in pages.items()),
        )

    def lexicon(self, manifest: Manifest) -> Lexicon:  # noqa: ARG002  # of the role
        """Return the words of the collection."""
        return Lexicon.of(f"{chunk.context}\n{chunk.text}" for chunk in self._chunks)

    def store(self, manifest: Manifest) -> ForeignStore:  # noqa: ARG002  # of the role
        """Return the collection."""
        return self._store

    def known_vectors(self, manifest: Manifest) -> Mapping[str, Vectors]:  # noqa: ARG002
        """Return nothing: whose vectors these are is not known."""
        return {}

    def tidy(self, manifest: Manifest) -> None:
        """Leave everything as it is."""

    def building(self) -> AbstractContextManager[None]:
        """Refuse to build."""
        raise self._refusal()

    def publish(self, draft: Manifest, contents: Contents) -> Manifest:  # noqa: ARG002
        """Refuse to write."""
        raise self._refusal()

    def amend(self, manifest: Manifest) -> None:  # noqa: ARG002  # of the role
        """Refuse to write."""
        raise self._refusal()

    def _refusal(self) -> SettingsError:
        return SettingsError(
            f"collection {self._options.collection!r} was made by another program and is only read",
            hint="choose another QDRANT_COLLECTION_NAME to build an index",
        )


def _page(chunk: Chunk, chunks: int) -> PageEntry:
    return PageEntry(
        path=chunk.page_path,
        title=chunk.page_title,
        url=chunk.page_url,
        module=chunk.module,
        chapter=chunk.chapter,
        chunks=chunks,
    )

"""The role of a shelf: keeping the index of one book, and replacing it in one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from bythebook.embedders.base import Vectors
from bythebook.lexicon import Lexicon
from bythebook.manifest import Manifest
from bythebook.stores.base import Store
from bythebook.types import Chunk


@dataclass(frozen=True)
class Contents:
    """Everything an index is made of."""

    chunks: Sequence[Chunk]
    keys: Sequence[str]  # what each chunk's vector can be found by, the next time
    vectors: Vectors
    lexicon: Lexicon


class Shelf(Protocol):
    """The place of one book's index: a folder, or a collection on a server."""

    def manifest(self) -> Manifest:
        """Return the manifest in use; raise a SetupError that says what is wrong or missing."""
        ...

    def building(self) -> AbstractContextManager[None]:
        """Hold the shelf for building; raise IndexBusyError when another process does."""
        ...

    def known_vectors(self, manifest: Manifest) -> Mapping[str, Vectors]:
        """Return the vectors of an index by their keys, none when they are damaged."""
        ...

    def publish(self, draft: Manifest, contents: Contents) -> Manifest:
        """Write a whole index and put it in use; what was in use stays so until then."""
        ...

    def amend(self, manifest: Manifest) -> None:
        """Replace the manifest of the index in use, its contents staying as they are."""
        ...

    def tidy(self, manifest: Manifest) -> None:
        """Remove what an interrupted build left behind."""
        ...

    def lexicon(self, manifest: Manifest) -> Lexicon:
        """Return the lexicon of an index; raise StoreError when it cannot be read."""
        ...

    def store(self, manifest: Manifest) -> Store:
        """Open the store of an index; raise StoreError when it cannot be read."""
        ...

"""Moving an index from one shelf to another, without embedding anything again."""

from __future__ import annotations

import numpy as np

from bythebook.errors import IndexMismatchError
from bythebook.indexing import embedding_key
from bythebook.manifest import Manifest
from bythebook.shelves.base import Contents, Shelf


def copy_index(source: Shelf, target: Shelf) -> Manifest:
    """Put the index of one shelf on another; raise IndexMismatchError when it is not whole."""
    manifest = source.manifest()
    known = source.known_vectors(manifest)
    store = source.store(manifest)
    try:
        chunks = sorted(store.chunks(), key=lambda chunk: (chunk.page_path, chunk.index))
    finally:
        store.close()
    keys = [embedding_key(chunk) for chunk in chunks]
    if len(chunks) != manifest.chunks or not known.keys() >= set(keys):
        raise IndexMismatchError(
            f"the index of {manifest.title!r} is damaged: it has {len(chunks)} of"
            f" {manifest.chunks} passages",
            hint="build it again with 'bythebook index'",
        )
    vectors = np.stack([known[key] for key in keys])
    lexicon = source.lexicon(manifest)
    with target.building():
        return target.publish(manifest, Contents(chunks, keys, vectors, lexicon))

"""Qdrant Edge: the real engine, inside this process, in a folder.

A shard is written once and then only read (a changed book gets a new shard), so it needs no
write-ahead log, and without one several processes may read the same shard at once.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import qdrant_edge as edge

from bythebook.embedders.base import Vectors
from bythebook.errors import IndexWriteError, StoreError
from bythebook.stores.base import Scope
from bythebook.stores.bm25 import sparse_document, sparse_query
from bythebook.stores.fusion import PREFETCH, RRF_K, SPARE, settle
from bythebook.stores.payload import to_chunk, to_payload
from bythebook.types import Chunk, Passage

DENSE = "dense"
SPARSE = "bm25"
FILTERS = ("module", "chapter")

_BATCH = 256

# The stubs nest Rrf inside Fusion without deriving it from Fusion, which it is.
_FUSION = cast("edge.Fusion", edge.Fusion.Rrf(RRF_K))


class EdgeStore:
    """Chunks of one book in one shard folder."""

    def __init__(self, shard: edge.EdgeShard) -> None:
        self._shard = shard
        self._is_written = False

    @classmethod
    def create(cls, folder: Path, dimensions: int) -> EdgeStore:
        """Make an empty shard in a new folder; raise IndexWriteError when that is impossible."""
        config = edge.EdgeConfig(
            vectors={DENSE: edge.EdgeVectorParams(dimensions, edge.Distance.Cosine)},
            sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            wal_enabled=False,
        )
        try:
            folder.mkdir(parents=True)
            shard = edge.EdgeShard.create(str(folder), config)
            for field in FILTERS:
                keyword = edge.PayloadSchemaType.Keyword
                shard.update(edge.UpdateOperation.create_field_index(field, keyword))
        except Exception as problem:
            raise _write_error(folder, problem) from problem
        return cls(shard)

    @classmethod
    def open(cls, folder: Path) -> EdgeStore:
        """Open a shard that was written before; raise StoreError when it cannot be read."""
        try:
            return cls(edge.EdgeShard.load(str(folder)))
        except Exception as problem:
            raise StoreError(
                f"the index in {str(folder)!r} cannot be opened: {problem}",
                hint="build it again with 'bythebook index'",
            ) from problem

    def add(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Write chunks with their vectors."""
        self._is_written = True
        try:
            for first in range(0, len(chunks), _BATCH):
                rows = zip(
                    chunks[first : first + _BATCH], vectors[first : first + _BATCH], strict=True
                )
                points = [_point(chunk, vector) for chunk, vector in rows]
                self._shard.update(edge.UpdateOperation.upsert_points(points))
        except Exception as problem:
            raise _write_error(Path("index"), problem) from problem

    def search(
        self, question: str, vector: Vectors, limit: int, scope: Scope, meaning_weight: int = 1
    ) -> list[Passage]:
        """Return the best chunks by rank fusion inside the engine, each with its true cosine."""
        dense = edge.Query.Nearest(vector.tolist(), using=DENSE)
        sparse = edge.Query.Nearest(sparse_query(question), using=SPARSE)
        depth = max(PREFETCH, limit)
        allowed = _filter(scope)
        request = edge.QueryRequest(
            limit=limit + SPARE,
            prefetches=[
                *[edge.Prefetch(limit=depth, query=dense, filter=allowed)] * meaning_weight,
                edge.Prefetch(limit=depth, query=sparse, filter=allowed),
            ],
            query=_FUSION,
            with_payload=True,
            with_vector=[DENSE],
        )
        try:
            points = self._shard.query(request)
        except Exception as problem:
            raise StoreError(f"the search in the index failed: {problem}") from problem
        return settle(((point.score, _passage(point, vector)) for point in points), limit)

    def chunks(self) -> Iterator[Chunk]:
        """Read every chunk."""
        offset: edge.PointId | None = None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=_BATCH, with_payload=True)
            records, offset = self._shard.scroll(request)
            for record in records:
                yield to_chunk(str(record.id), record.payload or {})
            if offset is None:
                return

    def count(self) -> int:
        """Return how many chunks there are."""
        return self._shard.count(edge.CountRequest(exact=True))

    def close(self) -> None:
        """Make everything durable and let go of the files."""
        try:
            if self._is_written:
                self._shard.flush()
            self._shard.close()
        except Exception as problem:
            if not self._is_written:
                return  # it was only read, and may have been replaced meanwhile
            raise _write_error(Path("index"), problem) from problem


def _point(chunk: Chunk, vector: Vectors) -> edge.Point:
    vectors: dict[str, edge.NamedVector] = {DENSE: vector.tolist(), SPARSE: sparse_document(chunk)}
    return edge.Point(chunk.id, vectors, to_payload(chunk))


def _passage(point: edge.ScoredPoint, query: Vectors) -> Passage:
    stored = point.vector
    if not isinstance(stored, dict) or point.payload is None:
        raise StoreError(f"point {point.id} of the index has no vector or no text")
    cosine = float(np.dot(np.asarray(stored[DENSE], dtype=np.float32), query))
    chunk = to_chunk(str(point.id), point.payload)
    return Passage.model_construct(chunk=chunk, score=min(1.0, max(0.0, cosine)), rank=1)


def _filter(scope: Scope) -> edge.Filter | None:
    wanted = [(name, getattr(scope, name)) for name in FILTERS if getattr(scope, name) is not None]
    if not wanted:
        return None
    return edge.Filter(
        must=[edge.FieldCondition(name, match=edge.MatchValue(value)) for name, value in wanted]
    )


def _write_error(folder: Path, problem: Exception) -> IndexWriteError:
    full = getattr(problem, "errno", None) == errno.ENOSPC or "No space left" in str(problem)
    what = "the disk is full" if full else str(problem)
    return IndexWriteError(
        f"the index cannot be written to {str(folder)!r}: {what}",
        hint="free some space" if full else "check that the folder can be written",
    )

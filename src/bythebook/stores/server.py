"""A Qdrant server, cluster or Qdrant Cloud: the same two vectors and the same query as Edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bythebook.embedders.base import Vectors
from bythebook.errors import StoreError
from bythebook.stores.base import Scope
from bythebook.stores.bm25 import sparse_document, sparse_query
from bythebook.stores.client import QdrantClient, models
from bythebook.stores.connection import Connection, create_unless_there, scroll
from bythebook.stores.edge import DENSE, FILTERS, SPARSE
from bythebook.stores.fusion import PREFETCH, RRF_K, SPARE, settle
from bythebook.stores.payload import Payload, to_chunk, to_payload
from bythebook.types import Chunk, Passage

EMBEDDING_KEY = "embedding_key"  # the hash of what was embedded, for the next build

# About a megabyte a request: far below the server's limit of 32, and short enough to send again.
_BATCH = 128


class ServerStore:
    """Chunks of one book in one collection."""

    def __init__(self, connection: Connection, collection: str) -> None:
        self._connection = connection
        self.collection = collection

    @classmethod
    def create(cls, connection: Connection, collection: str, dimensions: int) -> ServerStore:
        """Make an empty collection; raise a StoreError or a SetupError when that fails."""
        options = connection.options

        def make(client: QdrantClient) -> object:
            return client.create_collection(
                collection,
                vectors_config={
                    DENSE: models.VectorParams(size=dimensions, distance=models.Distance.COSINE)
                },
                sparse_vectors_config={
                    SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)
                },
                shard_number=options.shard_number or 1,
                replication_factor=options.replication_factor,
                write_consistency_factor=options.write_consistency_factor,
                quantization_config=_int8() if options.quantization else None,
            )

        def index(client: QdrantClient) -> None:
            for name in FILTERS:
                keyword = models.PayloadSchemaType.KEYWORD
                client.create_payload_index(collection, name, keyword)

        create_unless_there(connection, collection, make)
        connection.write(index, collection)
        return cls(connection, collection)

    @classmethod
    def open(cls, connection: Connection, collection: str) -> ServerStore:
        """Open a collection that was written before; raise IndexMissingError if there is none."""
        connection.call(lambda client: client.get_collection(collection), collection)
        return cls(connection, collection)

    def add(
        self, chunks: Sequence[Chunk], vectors: Vectors, keys: Sequence[str] | None = None
    ) -> None:
        """Write chunks with their vectors, and with the key each vector is known by."""
        payloads = [to_payload(chunk) for chunk in chunks]
        if keys is not None:
            for payload, key in zip(payloads, keys, strict=True):
                payload[EMBEDDING_KEY] = key
        rows = zip(chunks, vectors, payloads, strict=True)
        points = [_point(chunk, vector, payload) for chunk, vector, payload in rows]
        for first in range(0, len(points), _BATCH):
            self._write(points[first : first + _BATCH])

    def _write(self, points: list[models.PointStruct]) -> None:
        self._connection.write(
            lambda client: client.upsert(self.collection, points, wait=True), self.collection
        )

    def search(
        self, question: str, vector: Vectors, limit: int, scope: Scope, meaning_weight: int = 1
    ) -> list[Passage]:
        """Return the best chunks by rank fusion inside the engine, each with its true cosine."""
        points = self._fuse(question, vector, limit, scope, meaning_weight)
        return settle(((point.score, _passage(point, vector)) for point in points), limit)

    def _fuse(
        self, question: str, vector: Vectors, limit: int, scope: Scope, meaning_weight: int
    ) -> list[models.ScoredPoint]:
        depth = max(PREFETCH, limit)
        allowed = _filter(scope)
        dense = models.Prefetch(
            query=vector.tolist(),
            using=DENSE,
            limit=depth,
            filter=allowed,
            params=_exactly() if self._connection.options.quantization else None,
        )
        words = sparse_query(question)
        sparse = models.Prefetch(
            query=models.SparseVector(indices=list(words.indices), values=list(words.values)),
            using=SPARSE,
            limit=depth,
            filter=allowed,
        )
        answer = self._connection.call(
            lambda client: client.query_points(
                self.collection,
                prefetch=[*[dense] * meaning_weight, sparse],
                query=models.RrfQuery(rrf=models.Rrf(k=RRF_K)),
                limit=limit + SPARE,
                with_payload=True,
                with_vectors=[DENSE],
            ),
            self.collection,
        )
        return answer.points

    def chunks(self) -> Iterator[Chunk]:
        """Read every chunk."""
        for record in scroll(self._connection, self.collection, True):
            yield _chunk(record)

    def count(self) -> int:
        """Return how many chunks there are."""
        return self._connection.call(
            lambda client: client.count(self.collection, exact=True), self.collection
        ).count

    def known_vectors(self) -> dict[str, Vectors]:
        """Return each vector under the key it was written with."""
        known: dict[str, Vectors] = {}
        for record in scroll(self._connection, self.collection, [EMBEDDING_KEY], [DENSE]):
            key = (record.payload or {}).get(EMBEDDING_KEY)
            if isinstance(key, str) and isinstance(record.vector, dict):
                known[key] = np.asarray(record.vector[DENSE], dtype=np.float32)
        return known

    def close(self) -> None:
        """Let go of the connection; what was added is durable already."""
        self._connection.close()


def _point(chunk: Chunk, vector: Vectors, payload: Payload) -> models.PointStruct:
    words = sparse_document(chunk)
    sparse = models.SparseVector(indices=list(words.indices), values=list(words.values))
    return models.PointStruct(
        id=chunk.id, vector={DENSE: vector.tolist(), SPARSE: sparse}, payload=payload
    )


def _passage(point: models.ScoredPoint, query: Vectors) -> Passage:
    stored = point.vector
    if not isinstance(stored, dict) or point.payload is None:
        raise StoreError(f"point {point.id} of the index has no vector or no text")
    cosine = float(np.dot(np.asarray(stored[DENSE], dtype=np.float32), query))
    return Passage.model_construct(chunk=_chunk(point), score=min(1.0, max(0.0, cosine)), rank=1)


def _chunk(point: models.ScoredPoint | models.Record) -> Chunk:
    payload = point.payload or {}
    payload.pop(EMBEDDING_KEY, None)
    return to_chunk(str(point.id), payload)


def _filter(scope: Scope) -> models.Filter | None:
    wanted = [(name, getattr(scope, name)) for name in FILTERS if getattr(scope, name) is not None]
    if not wanted:
        return None
    return models.Filter(
        must=[
            models.FieldCondition(key=name, match=models.MatchValue(value=value))
            for name, value in wanted
        ]
    )


def _int8() -> models.ScalarQuantization:
    """Return the setting that keeps a quarter of each vector in memory, and the whole on disk."""
    return models.ScalarQuantization(
        scalar=models.ScalarQuantizationConfig(
            type=models.ScalarType.INT8, quantile=0.99, always_ram=True
        )
    )


def _exactly() -> models.SearchParams:
    """Return the setting that ranks the candidates again by their whole vectors."""
    return models.SearchParams(
        quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0)
    )

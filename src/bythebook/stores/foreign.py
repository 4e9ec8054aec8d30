"""Reading a collection that someone else's pipeline made.

Such a collection has dense vectors only and a payload of its own, which a field map explains.
Nothing is ever written to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bythebook.embedders.base import Vectors
from bythebook.errors import IndexMismatchError, SettingsError, StoreError
from bythebook.stores.base import Scope
from bythebook.stores.client import models
from bythebook.stores.connection import Connection, scroll
from bythebook.stores.field_map import FieldMap, read_chunk
from bythebook.stores.fusion import settle
from bythebook.types import Chunk, Passage

_SAMPLE = 32  # points looked at to find out which keys there are


class ForeignStore:
    """A collection of dense vectors with a payload of its own, to be read and never written."""

    def __init__(
        self, connection: Connection, collection: str, fields: FieldMap, vector_name: str | None
    ) -> None:
        self._connection = connection
        self.collection = collection
        self.fields = fields
        self._vector_name = vector_name

    @classmethod
    def open(
        cls,
        connection: Connection,
        dimensions: int,
        fields: FieldMap | None = None,
        vector_name: str | None = None,
    ) -> ForeignStore:
        """Open the collection of the options; raise a SetupError when it cannot be understood."""
        collection = connection.options.collection
        info = connection.call(lambda client: client.get_collection(collection), collection)
        name, size = _vector(info.config.params.vectors, vector_name, collection)
        if size != dimensions:
            raise IndexMismatchError(
                f"collection {collection!r} holds vectors of {size} dimensions, but the embedder"
                f" makes {dimensions}",
                hint="set the embedder that the collection was made with",
            )
        records, _ = connection.call(
            lambda client: client.scroll(collection, limit=_SAMPLE), collection
        )
        sample = [record.payload or {} for record in records]
        settled = (fields or FieldMap()).settled(sample, collection)
        return cls(connection, collection, settled, name)

    def add(self, chunks: Sequence[Chunk], vectors: Vectors) -> None:  # noqa: ARG002  # of the role
        """Refuse: the collection is not ours."""
        raise StoreError(
            f"collection {self.collection!r} was made by another program and is only read",
            hint="choose another QDRANT_COLLECTION_NAME to build an index",
        )

    def search(
        self,
        question: str,  # noqa: ARG002  # there are no sparse vectors to look its words up in
        vector: Vectors,
        limit: int,
        scope: Scope,
        meaning_weight: int = 1,  # noqa: ARG002  # there is no other ranking to weigh it against
    ) -> list[Passage]:
        """Return the nearest chunks, each with its true cosine."""
        answer = self._connection.call(
            lambda client: client.query_points(
                self.collection,
                query=vector.tolist(),
                using=self._vector_name,
                query_filter=self._filter(scope),
                limit=limit,
                with_payload=True,
                with_vectors=True if self._vector_name is None else [self._vector_name],
            ),
            self.collection,
        )
        passages = [self._passage(point, vector) for point in answer.points]
        return settle(((passage.score, passage) for passage in passages), limit)

    def chunks(self) -> Iterator[Chunk]:
        """Read every chunk, as the lexicon and the manifest of the book need them."""
        for record in scroll(self._connection, self.collection, True):
            yield read_chunk(str(record.id), record.payload or {}, self.fields)

    def count(self) -> int:
        """Return how many chunks there are."""
        return self._connection.call(
            lambda client: client.count(self.collection, exact=True), self.collection
        ).count

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _passage(self, point: models.ScoredPoint, query: Vectors) -> Passage:
        stored = point.vector
        if isinstance(stored, dict):
            stored = stored[self._vector_name or ""]  # type: ignore[assignment]  # a dense one
        vector = np.asarray(stored, dtype=np.float32)
        # Only a cosine collection holds unit vectors; one made for dot products need not.
        length = float(np.linalg.norm(vector) * np.linalg.norm(query))
        cosine = float(np.dot(vector, query)) / length if length else 0.0
        chunk = read_chunk(str(point.id), point.payload or {}, self.fields)
        return Passage.model_construct(chunk=chunk, score=min(1.0, max(0.0, cosine)), rank=1)

    def _filter(self, scope: Scope) -> models.Filter | None:
        wanted = [(self.fields.module, scope.module), (self.fields.chapter, scope.chapter)]
        must = [
            models.FieldCondition(key=keys[0], match=models.MatchValue(value=value))
            for keys, value in wanted
            if value is not None
        ]
        return models.Filter(must=list(must)) if must else None


def _vector(
    vectors: models.VectorParams | dict[str, models.VectorParams] | None,
    wanted: str | None,
    collection: str,
) -> tuple[str | None, int]:
    """Return the name and the size of the vector to search, the name empty if it has none."""
    if isinstance(vectors, models.VectorParams):
        return None, vectors.size
    named = vectors or {}
    if wanted is None and len(named) == 1:
        wanted = next(iter(named))
    if wanted not in named:
        there = ", ".join(repr(name) for name in named) or "none"
        raise SettingsError(
            f"collection {collection!r} needs the name of the vector to search",
            hint=f"set the vector name to one of those there are: {there}",
        )
    assert wanted is not None  # noqa: S101  # `named` holds no None
    return wanted, named[wanted].size

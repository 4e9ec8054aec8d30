"""Texts by name in a collection of their own, so that a book needs nothing but its server.

A collection without vectors holds them. A long text is cut into parts, as a server limits the
size of a request; a text is whole only when all its parts are there.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import NAMESPACE_URL, uuid5

from bythebook.errors import IndexMissingError
from bythebook.stores.client import QdrantClient, models
from bythebook.stores.connection import Connection, create_unless_there, scroll
from bythebook.stores.payload import Payload

_PART = 1_000_000  # characters


class Documents:
    """Texts by key."""

    def __init__(self, connection: Connection, collection: str) -> None:
        self._connection = connection
        self.collection = collection

    def create(self) -> None:
        """Make the collection unless it is there."""
        options = self._connection.options

        def make(client: QdrantClient) -> object:
            return client.create_collection(
                self.collection,
                vectors_config={},
                shard_number=1,
                replication_factor=options.replication_factor,
                write_consistency_factor=options.write_consistency_factor,
            )

        create_unless_there(self._connection, self.collection, make)

    def write(self, key: str, text: str) -> None:
        """Put a text under a key."""
        parts = [text[first : first + _PART] for first in range(0, len(text), _PART)] or [""]
        for number, part in enumerate(parts):
            payload = {"key": key, "part": number, "parts": len(parts), "text": part}
            self._put(models.PointStruct(id=_id(key, number), vector={}, payload=payload))

    def read(self, key: str) -> str | None:
        """Return the text under a key, or nothing when there is none or not all of it."""
        first = self._get([_id(key, 0)])
        if not first:
            return None
        count = int(first[0]["parts"])
        rest = self._get([_id(key, number) for number in range(1, count)]) if count > 1 else []
        parts = sorted([*first, *rest], key=lambda payload: int(payload["part"]))
        return "".join(str(part["text"]) for part in parts) if len(parts) == count else None

    def keys(self) -> set[str]:
        """Return the key of every text."""
        return set(self._points().values())

    def delete(self, keys: Iterable[str]) -> None:
        """Remove the texts under the given keys."""
        unwanted = set(keys)
        points = [point for point, key in self._points().items() if key in unwanted]
        if points:
            self._connection.write(
                lambda client: client.delete(self.collection, list(points)), self.collection
            )

    def _points(self) -> dict[models.ExtendedPointId, str]:
        try:
            records = list(scroll(self._connection, self.collection, ["key"]))
        except IndexMissingError:
            return {}
        return {r.id: str(r.payload["key"]) for r in records if r.payload and "key" in r.payload}

    def _put(self, point: models.PointStruct) -> None:
        self._connection.write(
            lambda client: client.upsert(self.collection, [point]), self.collection
        )

    def _get(self, ids: list[str]) -> list[Payload]:
        try:
            records = self._connection.call(
                lambda client: client.retrieve(self.collection, ids), self.collection
            )
        except IndexMissingError:
            return []
        return [record.payload for record in records if record.payload]


def _id(key: str, part: int) -> str:
    return str(uuid5(NAMESPACE_URL, f"bythebook:{key}:{part}"))

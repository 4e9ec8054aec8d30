"""The way to a Qdrant server, a cluster of them, or Qdrant Cloud.

`QDRANT_URL` may name several nodes of one cluster, separated by commas. When the node in use
fails, the next attempt goes to the next one, so a cluster needs no load balancer before it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from typing import TypeVar, cast
from urllib.parse import urlsplit

from bythebook.errors import SettingsError
from bythebook.retrying import Retry
from bythebook.stores.client import QdrantClient, models
from bythebook.stores.troubles import (
    QDRANT_ERRORS,
    Kind,
    is_worth_retrying,
    retry_after,
    to_ours,
    understand,
)

T = TypeVar("T")
Call = Callable[[QdrantClient], T]

_log = logging.getLogger(__name__)

_PAGE = 256  # points read at a time
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class ServerOptions:
    """Where the server is and how it should keep a book."""

    url: str  # one address, or those of several nodes separated by commas
    api_key: str | None = field(default=None, repr=False)
    collection: str = "bythebook"
    prefer_grpc: bool = False
    timeout_seconds: float = 5.0  # of one call; the client counts in whole seconds
    write_timeout_seconds: float = 60.0  # a batch of passages, a new collection in a cluster
    # How common a word is gets counted for each shard on its own, so only a book in one shard
    # ranks as it does in the embedded store. A book is small: copies help it, parts do not.
    shard_number: int | None = None  # None is 1
    replication_factor: int | None = None
    write_consistency_factor: int | None = None
    quantization: bool = False
    grpc_port: int = 6334

    @property
    def urls(self) -> tuple[str, ...]:
        """The address of each node."""
        return tuple(url.strip() for url in self.url.split(",") if url.strip())


class Connection:
    """Calls to the server, tried again where that helps, with errors of ours.

    After `close` the next call connects anew, so a shelf and its stores may share one.
    """

    def __init__(self, options: ServerOptions, retry: Retry | None = None) -> None:
        if not options.urls:
            raise SettingsError("QDRANT_URL is empty", hint="set it to http://HOST:6333")
        for url in options.urls:
            _check_url(url, has_key=options.api_key is not None)
        self.options = options
        self._retry = retry or Retry(deadline_seconds=2 * options.timeout_seconds)
        self._clients: dict[tuple[str, float], QdrantClient] = {}
        self._node = 0

    def call(self, fn: Call[T], collection: str | None = None) -> T:
        """Return what `fn` returns; raise a StoreError or a SetupError when it fails."""
        return self._call(fn, collection, self.options.timeout_seconds, self._retry)

    def write(self, fn: Call[T], collection: str | None = None) -> T:
        """Do the same with more patience, for what takes a server longer."""
        seconds = self.options.write_timeout_seconds
        patient = replace(self._retry, deadline_seconds=2 * seconds)
        return self._call(fn, collection, seconds, patient)

    def close(self) -> None:
        """Let go of every node."""
        while self._clients:
            self._clients.popitem()[1].close()

    def _call(self, fn: Call[T], collection: str | None, seconds: float, retry: Retry) -> T:
        def attempt() -> T:
            node = self._node
            try:
                return fn(self._client(self.options.urls[node], seconds))
            except QDRANT_ERRORS as problem:
                trouble = understand(problem)
                _log.info("Qdrant node %d: %s: %s", node, trouble.kind.name, trouble.detail)
                if trouble.is_of_the_node and node == self._node:
                    self._node = (node + 1) % len(self.options.urls)
                raise

        try:
            return retry.call(attempt, is_worth_retrying, retry_after)
        except QDRANT_ERRORS as problem:
            named = collection or self.options.collection
            raise to_ours(problem, named, seconds) from problem

    def _client(self, url: str, seconds: float) -> QdrantClient:
        client = self._clients.get((url, seconds))
        if client is None:
            made = _connect(self.options, url, seconds)
            client = self._clients.setdefault((url, seconds), made)
        return client


def create_unless_there(connection: Connection, collection: str, make: Call[object]) -> None:
    """Make a collection; that another, or an attempt that timed out, was faster is no error."""

    def attempt(client: QdrantClient) -> None:
        if client.collection_exists(collection):
            return
        try:
            make(client)
        except QDRANT_ERRORS as problem:
            if understand(problem).kind is not Kind.EXISTS:
                raise

    connection.write(attempt, collection)


def scroll(
    connection: Connection,
    collection: str,
    payload: bool | list[str],
    vectors: bool | list[str] = False,
) -> Iterator[models.Record]:
    """Read every point of a collection, with the given parts of its payload and its vectors."""
    after: models.ExtendedPointId | None = None
    while True:
        records, after = connection.call(
            partial(_page, collection, payload, vectors, after), collection
        )
        yield from records
        if after is None:
            return


def _page(
    collection: str,
    payload: bool | list[str],
    vectors: bool | list[str],
    after: models.ExtendedPointId | None,
    client: QdrantClient,
) -> tuple[list[models.Record], models.ExtendedPointId | None]:
    records, following = client.scroll(
        collection, limit=_PAGE, offset=after, with_payload=payload, with_vectors=vectors
    )
    return records, cast("models.ExtendedPointId | None", following)


def _connect(options: ServerOptions, url: str, seconds: float) -> QdrantClient:
    # As a header the key is sent alike, but without the client's warning on loopback.
    headers = {"api-key": options.api_key} if options.api_key else {}
    return QdrantClient(
        url=url,
        grpc_port=options.grpc_port,
        prefer_grpc=options.prefer_grpc,
        timeout=ceil(seconds),
        headers=headers,
        check_compatibility=False,  # one request more each time, and a warning for readers
    )


def _check_url(url: str, *, has_key: bool) -> None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        is_usable = False
    if not is_usable:
        raise SettingsError(
            "QDRANT_URL is not an address", hint="write it as http://HOST:6333 or https://HOST"
        )
    if has_key and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        _log.warning("the Qdrant API key is sent without encryption; use https")

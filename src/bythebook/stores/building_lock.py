"""One builder at a time: a lock that lives on the server, beside the book.

The lock is a point that says who holds it. It is taken by a conditional write, which the server
carries out only while the lock is still as it was seen. A builder renews it while it works, so a
lock nobody renews belongs to a builder that is gone, and may be taken over.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from uuid import NAMESPACE_URL, uuid5

from bythebook.errors import BythebookError, IndexBusyError
from bythebook.stores.client import models
from bythebook.stores.connection import Connection

STALE_AFTER_SECONDS = 300.0
_RENEW_EVERY_SECONDS = 60.0

_LOCK = str(uuid5(NAMESPACE_URL, "bythebook:lock"))
_NOBODY = "nobody"


@dataclass(frozen=True)
class Holder:
    """Who builds, and when that was last heard of."""

    token: str
    host: str
    pid: int
    renewed_at: float  # seconds since 1970, by the holder's clock

    @classmethod
    def me(cls, token: str, now: float) -> Holder:
        """Return this process as a holder."""
        return cls(token, socket.gethostname(), os.getpid(), now)

    def is_gone(self, now: float) -> bool:
        """Tell whether the lock may be taken over."""
        if now - self.renewed_at > STALE_AFTER_SECONDS:
            return True
        return self.host == socket.gethostname() and not _is_running(self.pid)


@dataclass(frozen=True)
class BuildingLock:
    """The lock of one book; `collection` is where its documents are."""

    connection: Connection
    collection: str
    clock: Callable[[], float] = time.time

    def prepare(self) -> None:
        """Index who holds the lock: a hosted server may refuse a filter without an index."""
        self.connection.write(
            lambda client: client.create_payload_index(
                self.collection, "holder.token", models.PayloadSchemaType.KEYWORD
            ),
            self.collection,
        )

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; raise IndexBusyError when another builder does."""
        token = secrets.token_hex(8)
        seen = self.holder()
        if seen and not seen.is_gone(self.clock()):
            raise _busy(seen)
        self._write(token, seen.token if seen else _NOBODY)
        now = self.holder()
        if now is None or now.token != token:
            raise _busy(now)
        done = threading.Event()
        renewer = threading.Thread(target=self._renew, args=(token, done), daemon=True)
        renewer.start()
        try:
            yield
        finally:
            done.set()
            renewer.join()
            self._release(token)

    def holder(self) -> Holder | None:
        """Return who holds the lock."""
        records = self.connection.call(
            lambda client: client.retrieve(self.collection, [_LOCK]), self.collection
        )
        if not records or not records[0].payload:
            return None
        stored = records[0].payload["holder"]
        return Holder(stored["token"], stored["host"], stored["pid"], stored["renewed_at"])

    def _write(self, token: str, in_place_of: str) -> None:
        """Write the lock if it is free or held by the given token; else leave it as it is."""
        payload = {"holder": asdict(Holder.me(token, self.clock()))}
        point = models.PointStruct(id=_LOCK, vector={}, payload=payload)
        self.connection.write(
            lambda client: client.upsert(
                self.collection,
                [point],
                ordering=models.WriteOrdering.STRONG,
                update_filter=_held_by(in_place_of),
            ),
            self.collection,
        )

    def _renew(self, token: str, done: threading.Event) -> None:
        while not done.wait(_RENEW_EVERY_SECONDS):
            # A renewal that fails is made up for by the next: four may fail in a row.
            with contextlib.suppress(BythebookError):
                self._write(token, token)

    def _release(self, token: str) -> None:
        mine = models.Filter(must=[models.HasIdCondition(has_id=[_LOCK]), _is_held_by(token)])
        self.connection.write(
            lambda client: client.delete(
                self.collection,
                models.FilterSelector(filter=mine),
                ordering=models.WriteOrdering.STRONG,
            ),
            self.collection,
        )


def _is_held_by(token: str) -> models.FieldCondition:
    return models.FieldCondition(key="holder.token", match=models.MatchValue(value=token))


def _held_by(token: str) -> models.Filter:
    return models.Filter(must=[_is_held_by(token)])


def _busy(holder: Holder | None) -> IndexBusyError:
    who = f"process {holder.pid} on another machine" if holder else "another process"
    if holder and holder.host == socket.gethostname():
        who = f"process {holder.pid}"
    return IndexBusyError(
        f"the index on the server is being built by {who}",
        hint="wait until it has finished, or end that process",
    )


def _is_running(pid: int) -> bool:
    if os.name != "posix":
        return True  # signal 0 is no harmless question elsewhere; the lock grows stale instead
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True

"""What the log keeps of a reader's address: all of it, a hash that lasts a day, or nothing.

A hash alone would be no secret, since all addresses can be tried in an hour. So it is keyed
(HMAC-SHA256), and the key changes every day: within a day one reader can be told from another,
afterwards nobody can be followed. With the key in a file, each day's key is made from the last one,
which is then forgotten: yesterday's hashes cannot be opened even with everything that is left.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import ipaddress
import json
import logging
import os
import secrets
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Literal, Protocol

_LOG = logging.getLogger(__name__)

Keeping = Literal["full", "hashed", "none"]

_HASH_CHARACTERS = 32  # of hex: 128 bits, and the column of document 004 holds 45


class Salt(Protocol):
    """Where the key of a day comes from."""

    def key_of(self, day: date) -> bytes:
        """Return the key of a day."""
        ...

    def keep(self) -> None:
        """Forget what is over, where something is kept."""
        ...


class SetSalt:
    """Keys made from a secret in the settings, the same on every machine that has it."""

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()

    def key_of(self, day: date) -> bytes:
        """Return the key of a day."""
        return _mac(self._secret, day.isoformat())

    def keep(self) -> None:
        """Do nothing: the settings hold the secret."""


class FileSalt:
    """Keys that follow from one another, the newest in a file that all processes share.

    The file is read once. Every process goes from key to key by itself and comes to the same ones,
    so nobody waits for a file while a question is answered.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._day, self._key = _today(), secrets.token_bytes(32)
        try:
            self._day, self._key = self._stored() or self._create()
        except OSError as problem:
            _LOG.warning("the salt of the query log is kept in memory only: %s", problem)

    def key_of(self, day: date) -> bytes:
        """Return the key of a day, or the oldest there still is."""
        with self._lock:
            while self._day < day:
                self._day += timedelta(days=1)
                self._key = _mac(self._key, "the next day")
            return self._key

    def keep(self) -> None:
        """Put today's key in the place of an older one."""
        self.key_of(_today())
        with self._lock, contextlib.suppress(OSError):
            stored = self._stored()
            if stored is not None and stored[0] < self._day:
                self._draft().replace(self._path)

    def _stored(self) -> tuple[date, bytes] | None:
        try:
            content = json.loads(self._path.read_text(encoding="ascii"))
            return date.fromisoformat(content["day"]), bytes.fromhex(content["key"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            _LOG.warning(
                "the salt of the query log in %s was damaged: a new one is made", self._path
            )
            self._path.unlink()
            return None

    def _create(self) -> tuple[date, bytes]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._draft()
        try:
            os.link(draft, self._path)  # unlike a rename, it fails when another was faster
        except FileExistsError:
            return self._stored() or (self._day, self._key)
        finally:
            draft.unlink()
        return self._day, self._key

    def _draft(self) -> Path:
        draft = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        try:
            draft.write_text(json.dumps({"day": self._day.isoformat(), "key": self._key.hex()}))
        except OSError:
            draft.unlink()
            raise
        return draft


class Addresses:
    """Turns the address of a reader into what is kept of it."""

    def __init__(self, keeping: Keeping, salt: Salt | None = None) -> None:
        self._keeping = keeping
        self._salt = salt or SetSalt(secrets.token_hex())

    def kept(self, address: str | None, day: date) -> str | None:
        """Return what is written down; what is no address is never written."""
        plain = None if self._keeping == "none" else _plain(address)
        if plain is None or self._keeping == "full":
            return plain
        return _mac(self._salt.key_of(day), plain).hex()[:_HASH_CHARACTERS]

    def keep(self) -> None:
        """Forget the keys of days that are over."""
        self._salt.keep()


def _plain(address: str | None) -> str | None:
    """Return the one way to write an address, or nothing when it is none."""
    try:
        parsed = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(parsed.ipv4_mapped or parsed)
    return str(parsed)


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), hashlib.sha256)


def _today() -> date:
    return datetime.now(UTC).date()

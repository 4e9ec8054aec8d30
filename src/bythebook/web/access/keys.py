"""API keys: a small file of names and hashes, read again whenever it changes.

The keys themselves are shown once, when they are made, and kept nowhere.
"""

from __future__ import annotations

import hmac
import logging
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock
from pydantic import Field, ValidationError

from bythebook.errors import SettingsError
from bythebook.types import Value
from bythebook.web.access.tokens import hash_of, new_token

_LOG = logging.getLogger(__name__)

# Names stand in logs and lists; they must not look like anything else there.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Key(Value):
    """A key as it is kept."""

    name: str
    hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    is_admin: bool = False
    created_at: datetime


class _Content(Value):
    version: int = 1
    keys: tuple[Key, ...] = ()


def keys_beside(index: Path) -> Path:
    """Return where the keys of an index are kept: beside it, so that no copy takes them along."""
    # Lexically: an index that is a link to one of several releases keeps one file of keys.
    whole = Path(os.path.abspath(index))  # noqa: PTH100  # resolve() would follow the link
    name = f"{whole.name}-keys.json" if whole.name else "bythebook-keys.json"
    return whole.with_name(name) if whole.name else whole / name


class KeyFile:
    """The file of keys, for whoever makes and revokes them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def all(self) -> tuple[Key, ...]:
        """Return the keys, the oldest first; raise SettingsError when the file is damaged."""
        return _read(self.path).keys

    def create(self, name: str, *, is_admin: bool = False) -> str:
        """Make a key and return it; this is the only moment it can be seen."""
        if not _NAME.fullmatch(name):
            raise SettingsError(
                f"{name!r} cannot be the name of a key",
                hint="use up to 64 letters, digits, dots, dashes and underscores",
            )
        token = new_token()
        with self._changing():
            keys = self.all()
            if any(key.name == name for key in keys):
                raise SettingsError(
                    f"there is already a key {name!r}",
                    hint=f"choose another name, or revoke it: bythebook keys revoke {name}",
                )
            now = datetime.now(UTC)
            new = Key(name=name, hash=hash_of(token), is_admin=is_admin, created_at=now)
            self._write((*keys, new))
        return token

    def revoke(self, name: str) -> None:
        """Make a key worthless; raise SettingsError when there is none of that name."""
        with self._changing():
            keys = self.all()
            rest = tuple(key for key in keys if key.name != name)
            if len(rest) == len(keys):
                raise SettingsError(
                    f"there is no key {name!r} in {str(self.path)!r}",
                    hint="see 'bythebook keys list'",
                )
            self._write(rest)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Let one process at a time change the file, and tell in a sentence when none may."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(self.path.with_name(f"{self.path.name}.lock"), mode=0o600):
                yield
        except OSError as problem:
            raise SettingsError(
                f"the keys cannot be written to {str(self.path)!r}: {problem.strerror}",
                hint="name another file with BYTHEBOOK_KEYS_FILE",
            ) from problem

    def _write(self, keys: tuple[Key, ...]) -> None:
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}")
        draft.touch(mode=0o600)
        try:
            draft.write_text(_Content(keys=keys).model_dump_json(indent=2) + "\n", encoding="utf-8")
            draft.replace(self.path)
        finally:
            with suppress(FileNotFoundError):
                draft.unlink()


class KeyRing:
    """The keys as the service uses them: a look at the file's date decides whether to read it."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._keys: tuple[Key, ...] = ()
        self._look(is_first=True)

    @property
    def in_use(self) -> bool:
        """Whether there are keys at all; before the first is made, nobody's header is looked at."""
        self._look()
        return self._seen is not None

    @property
    def has_admin(self) -> bool:
        """Whether anybody may administer."""
        self._look()
        return any(key.is_admin for key in self._keys)

    def find(self, token: str) -> Key | None:
        """Return the key a token belongs to."""
        self._look()
        given = hash_of(token)
        found = None
        for key in self._keys:  # all of them, so that the time taken tells nothing
            if hmac.compare_digest(key.hash, given):
                found = key
        return found

    def _look(self, *, is_first: bool = False) -> None:
        if self._path is None:
            return
        try:
            there = self._path.stat()
            stamp = (there.st_mtime_ns, there.st_size, there.st_ino)
        except OSError:
            self._seen, self._keys = None, ()
            return
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            self._keys = _read(self._path).keys
        except SettingsError as problem:
            if is_first:
                raise
            # A slip of whoever edits it by hand must not lock everybody out.
            _LOG.error("%s; the keys read before stay in use", problem.message)


def _read(path: Path) -> _Content:
    try:
        return _Content.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return _Content()
    except (OSError, ValidationError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is damaged"
        raise SettingsError(
            f"the file of keys {str(path)!r} cannot be read: {reason}",
            hint="put a copy of it back, or remove it and make new keys",
        ) from problem

"""The folder of an index on disk.

    index.json             the manifest: names the generation in use
    generations/<name>/    one complete index: shard/, vectors.npz, lexicon.json
    indexing.lock          held while an index is being built

A new index is built in a new generation and published by replacing `index.json`. Whoever is
killed on the way leaves the old index untouched; the next build sweeps the remains away.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from bythebook.errors import IndexBusyError, IndexWriteError

_LOCK = "indexing.lock"
_HOLDER = "indexing.json"


@dataclass(frozen=True)
class Generation:
    """The places inside one complete index."""

    folder: Path

    @property
    def shard(self) -> Path:
        """The store's own folder."""
        return self.folder / "shard"

    @property
    def vectors(self) -> Path:
        """The vectors by the hash of what was embedded."""
        return self.folder / "vectors.npz"

    @property
    def lexicon(self) -> Path:
        """The counts of the book's words."""
        return self.folder / "lexicon.json"


def generation(index: Path, name: str) -> Generation:
    """Return the places of a generation of an index."""
    return Generation(index / "generations" / name)


def new_generation(index: Path) -> tuple[str, Generation]:
    """Make an empty generation and return its name and places."""
    name = secrets.token_hex(6)
    created = generation(index, name)
    created.folder.mkdir(parents=True)
    return name, created


def sweep(index: Path, keep: str | None) -> None:
    """Remove every generation but one."""
    for folder in (index / "generations").glob("*"):
        if folder.name != keep:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def building(index: Path) -> Iterator[None]:
    """Hold the index for building; raise IndexBusyError when another process does."""
    lock = FileLock(index / _LOCK)
    with writing(index):
        index.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout as problem:
            raise IndexBusyError(
                f"the index in {str(index)!r} is being built by {_holder(index)}",
                hint="wait until it has finished, or end that process",
            ) from problem
        (index / _HOLDER).write_text(json.dumps({"pid": os.getpid()}), encoding="utf-8")
    try:
        yield
    finally:
        (index / _HOLDER).unlink(missing_ok=True)
        lock.release()


@contextlib.contextmanager
def writing(index: Path) -> Iterator[None]:
    """Turn the errors of a full disk or a closed folder into a sentence."""
    try:
        yield
    except OSError as problem:
        full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else (problem.strerror or str(problem))
        raise IndexWriteError(
            f"the index cannot be written to {str(index)!r}: {reason}",
            hint="free some space and run it again; the index that was there is untouched"
            if full
            else "choose a folder that you may write, with --index",
        ) from problem


def _holder(index: Path) -> str:
    try:
        return f"process {json.loads((index / _HOLDER).read_text(encoding='utf-8'))['pid']}"
    except (OSError, ValueError, KeyError):
        return "another process"

"""The shelf on this machine: a folder with Qdrant Edge inside.

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
from collections.abc import Iterator, Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from filelock import FileLock, Timeout

from bythebook.embedders.base import Vectors
from bythebook.errors import IndexBusyError, IndexWriteError, StoreError
from bythebook.lexicon import Lexicon
from bythebook.manifest import Manifest, read_manifest, write_manifest
from bythebook.shelves.base import Contents
from bythebook.stores.edge import EdgeStore

_LOCK = "indexing.lock"
_HOLDER = "indexing.json"

# The engine maps its files into memory before they are full, and a disk that fills up then ends
# the process without a word. So there must be room before it starts: what the engine sets aside,
# and for each passage its text, its vectors and the copies it makes of them.
_ROOM_FOR_ENGINE = 8_000_000
_ROOM_PER_PASSAGE = 12_000


class FolderShelf:
    """The index of one book in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def manifest(self) -> Manifest:
        """Return the manifest in use."""
        return read_manifest(self.folder)

    @contextlib.contextmanager
    def building(self) -> Iterator[None]:
        """Hold the folder for building."""
        lock = FileLock(self.folder / _LOCK)
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                lock.acquire(timeout=0)
            except Timeout as problem:
                raise IndexBusyError(
                    f"the index in {str(self.folder)!r} is being built by {self._holder()}",
                    hint="wait until it has finished, or end that process",
                ) from problem
            (self.folder / _HOLDER).write_text(json.dumps({"pid": os.getpid()}), encoding="utf-8")
        try:
            yield
        finally:
            (self.folder / _HOLDER).unlink(missing_ok=True)
            lock.release()

    def known_vectors(self, manifest: Manifest) -> Mapping[str, Vectors]:
        """Return the vectors of an index by their keys."""
        path = self.generation(manifest.generation) / "vectors.npz"
        try:
            with path.open("rb") as stream, np.load(stream) as stored:
                return dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return {}  # without them everything is embedded anew: slower, and no less right

    def publish(self, draft: Manifest, contents: Contents) -> Manifest:
        """Write a new generation and replace the manifest."""
        name = secrets.token_hex(6)
        manifest = draft.model_copy(update={"generation": name})
        with self._writing():
            self._check_room(len(contents.chunks))
            try:
                self._write(self.generation(name), contents)
                write_manifest(self.folder, manifest)
            except BaseException:
                shutil.rmtree(self.generation(name), ignore_errors=True)
                raise
        self.tidy(manifest)
        return manifest

    def amend(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        with self._writing():
            write_manifest(self.folder, manifest)

    def tidy(self, manifest: Manifest) -> None:
        """Remove every generation but the one in use."""
        for folder in (self.folder / "generations").glob("*"):
            if folder.name != manifest.generation:
                shutil.rmtree(folder, ignore_errors=True)

    def lexicon(self, manifest: Manifest) -> Lexicon:
        """Return the lexicon of an index."""
        path = self.generation(manifest.generation) / "lexicon.json"
        try:
            return Lexicon.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            raise StoreError(
                f"the index in {str(self.folder)!r} is damaged: {problem}",
                hint="build it again with 'bythebook index'",
            ) from problem

    def store(self, manifest: Manifest) -> EdgeStore:
        """Open the shard of an index."""
        return EdgeStore.open(self.generation(manifest.generation) / "shard")

    def generation(self, name: str) -> Path:
        """Return the folder of a generation."""
        return self.folder / "generations" / name

    def _write(self, folder: Path, contents: Contents) -> None:
        folder.mkdir(parents=True)
        store = EdgeStore.create(folder / "shard", contents.vectors.shape[1])
        store.add(contents.chunks, contents.vectors)
        store.close()
        np.savez(folder / "vectors.npz", keys=np.array(contents.keys), vectors=contents.vectors)
        (folder / "lexicon.json").write_text(contents.lexicon.to_json(), encoding="utf-8")

    def _check_room(self, passages: int) -> None:
        if shutil.disk_usage(self.folder).free < _ROOM_FOR_ENGINE + passages * _ROOM_PER_PASSAGE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Turn the errors of a full disk or a closed folder into a sentence."""
        try:
            yield
        except OSError as problem:
            full = problem.errno in (errno.ENOSPC, errno.EDQUOT)
            reason = "the disk is full" if full else (problem.strerror or str(problem))
            hint = (
                "free some space and run it again; the index that was there is untouched"
                if full
                else "choose a folder that you may write, with --index"
            )
            raise IndexWriteError(
                f"the index cannot be written to {str(self.folder)!r}: {reason}", hint=hint
            ) from problem

    def _holder(self) -> str:
        try:
            holder = json.loads((self.folder / _HOLDER).read_text(encoding="utf-8"))
            return f"process {holder['pid']}"
        except (OSError, ValueError, KeyError):
            return "another process"

"""What an index says about itself: the book, the embedder, the files that belong to it."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from bythebook.calibration.values import SCHEME, Calibration
from bythebook.embedders.base import EmbedderSpec
from bythebook.errors import IndexMismatchError, IndexMissingError
from bythebook.types import SkippedFile, Value

FORMAT = 1
FILE_NAME = "index.json"

_REBUILD = "bythebook index SOURCE"


class PageEntry(Value):
    """A page of the book, as an index remembers it."""

    path: str
    title: str
    url: str | None
    module: str | None
    chapter: str | None
    chunks: int


class Manifest(Value):
    """The front page of an index; replacing this one file publishes a new index."""

    format: int = FORMAT
    version: str  # of bythebook
    generation: str  # the folder that holds this index's data
    fingerprint: str  # of everything indexed: equal means nothing changed
    created_at: datetime
    title: str
    generator: str
    source: str
    base_url: str | None
    embedder: str
    embedder_revision: str
    dimensions: int
    threshold: float
    chunks: int
    tokens: int
    oversized: int  # chunks longer than the embedder's window, embedded in parts
    pages: tuple[PageEntry, ...]
    skipped: tuple[SkippedFile, ...] = ()
    calibration: Calibration | None = None

    @property
    def modules(self) -> tuple[str, ...]:
        """The book's modules in reading order."""
        return tuple(dict.fromkeys(page.module for page in self.pages if page.module))

    @property
    def chapters(self) -> tuple[str, ...]:
        """The book's chapters in reading order."""
        return tuple(dict.fromkeys(page.chapter for page in self.pages if page.chapter))


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of an index folder; raise a SetupError that says what is wrong."""
    try:
        text = (folder / FILE_NAME).read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        raise IndexMissingError(
            f"there is no index in {str(folder)!r}",
            hint=f"build one: bythebook index SOURCE --index {folder}",
        ) from problem
    except (OSError, ValueError) as problem:
        raise IndexMismatchError(
            f"the index in {str(folder)!r} cannot be read: {problem}", hint=_REBUILD
        ) from problem
    return parse_manifest(text, str(folder))


def parse_manifest(text: str, place: str) -> Manifest:
    """Return a manifest from its JSON; raise IndexMismatchError when it is not one of ours."""
    try:
        stored = json.loads(text)
    except ValueError as problem:
        raise IndexMismatchError(
            f"the index in {place!r} cannot be read: {problem}", hint=_REBUILD
        ) from problem
    found = stored.get("format") if isinstance(stored, dict) else None
    if found != FORMAT:
        raise IndexMismatchError(
            f"the index in {place!r} has format {found!r}; this version reads {FORMAT}",
            hint=_REBUILD,
        )
    try:
        return Manifest.model_validate(stored)
    except ValidationError as problem:
        raise IndexMismatchError(
            f"the index in {place!r} is damaged: {problem.errors()[0]['msg']}", hint=_REBUILD
        ) from problem


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put a manifest in place in one step, so that a reader sees the old one or the new one."""
    draft = folder / f"{FILE_NAME}.new"
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(manifest.model_dump_json(indent=1))
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(folder / FILE_NAME)


def check_embedder(manifest: Manifest, spec: EmbedderSpec) -> None:
    """Raise IndexMismatchError unless the index was made with this very embedder."""
    made_with = (manifest.embedder, manifest.embedder_revision, manifest.dimensions)
    if made_with == (spec.name, spec.revision, spec.dimensions):
        return
    raise IndexMismatchError(
        f"the index of {manifest.title!r} was made with embedder {manifest.embedder!r}"
        f" (revision {manifest.embedder_revision}, {manifest.dimensions} dimensions), but"
        f" {spec.name!r} (revision {spec.revision}, {spec.dimensions} dimensions) is set",
        hint=f"set the embedder back, or build the index again: {_REBUILD}",
    )


def check_calibration(manifest: Manifest) -> None:
    """Raise IndexMismatchError when an index carries a calibration that was made for another."""
    found = manifest.calibration
    if found is None:
        return
    made_for = (found.scheme, found.embedder, found.embedder_revision)
    if made_for != (SCHEME, manifest.embedder, manifest.embedder_revision):
        raise IndexMismatchError(
            f"the index of {manifest.title!r} was calibrated for embedder {found.embedder!r}"
            f" (revision {found.embedder_revision}, scheme {found.scheme}), which is not the one it"
            " is used with",
            hint="calibrate it again: bythebook calibrate",
        )

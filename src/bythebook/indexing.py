"""Source -> chunks -> vectors -> store, embedding only what changed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import numpy as np

from bythebook.calibration.values import SCHEME
from bythebook.chunking import Chunker
from bythebook.embedders.base import Embedder, Vectors
from bythebook.errors import SetupError, SourceError
from bythebook.lexicon import Lexicon
from bythebook.manifest import Manifest, PageEntry
from bythebook.shelves.base import Contents, Shelf
from bythebook.sources.base import Source
from bythebook.types import Book, Chunk
from bythebook.version import __version__


class Reporter(Protocol):
    """Hears how far indexing has come."""

    def start(self, stage: str, total: int) -> None:
        """A stage begins that has this many steps."""
        ...

    def advance(self, steps: int) -> None:
        """Some steps of the stage are done."""
        ...


class SilentReporter:
    """Hears everything and says nothing."""

    def start(self, stage: str, total: int) -> None:
        """Say nothing."""

    def advance(self, steps: int) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class IndexReport:
    """What indexing did."""

    manifest: Manifest
    embedded: int
    reused: int
    removed: int
    is_unchanged: bool


@dataclass(frozen=True)
class Indexer:
    """Builds the index of a book on a shelf."""

    embedder: Embedder

    def index(
        self,
        source: Source,
        shelf: Shelf,
        *,
        origin: str = "",
        base_url: str | None = None,
        reporter: Reporter | None = None,
    ) -> IndexReport:
        """Index a book; the index that was there stays in use until the new one is whole."""
        reporter = reporter or SilentReporter()
        reporter.start("Reading", 0)
        book = source.read()
        with shelf.building():
            chunks = self._chunk(book, reporter)
            if not chunks:
                raise SourceError(
                    f"the book in {origin!r} has no text to index",
                    hint="check that the folder holds Markdown pages with prose in them",
                )
            draft = self._manifest(book, chunks, origin, base_url)
            previous = _previous(shelf)
            if previous and previous.fingerprint == draft.fingerprint:
                shelf.tidy(previous)
                return IndexReport(previous, 0, len(chunks), 0, is_unchanged=True)
            known = self._known_vectors(shelf, previous)
            return self._build(shelf, _calibrated(draft, previous), chunks, known, reporter)

    def _chunk(self, book: Book, reporter: Reporter) -> list[Chunk]:
        chunker = Chunker(self.embedder.spec.max_tokens, self.embedder.count_tokens)
        reporter.start("Chunking", len(book.pages))
        chunks: list[Chunk] = []
        for page in book.pages:
            chunks.extend(chunker.chunk(page))
            reporter.advance(1)
        return chunks

    def _manifest(
        self, book: Book, chunks: Sequence[Chunk], origin: str, base_url: str | None
    ) -> Manifest:
        spec = self.embedder.spec
        per_page = Counter(chunk.page_path for chunk in chunks)
        pages = tuple(
            PageEntry(
                path=page.path,
                title=page.title,
                url=page.url,
                module=page.module,
                chapter=page.chapter,
                chunks=per_page[page.path],
            )
            for page in book.pages
        )
        draft = Manifest(
            version=__version__,
            generation="",
            fingerprint="",
            created_at=datetime.now(UTC),
            title=book.title,
            generator=book.generator,
            source=origin,
            base_url=base_url,
            embedder=spec.name,
            embedder_revision=spec.revision,
            dimensions=spec.dimensions,
            threshold=spec.default_threshold,
            chunks=len(chunks),
            tokens=sum(chunk.token_count for chunk in chunks),
            oversized=sum(
                self.embedder.count_tokens(chunk.embedded_text) > spec.max_tokens - 2
                for chunk in chunks
            ),
            pages=pages,
            skipped=book.skipped,
        )
        return draft.model_copy(update={"fingerprint": _fingerprint(draft, chunks)})

    def _known_vectors(self, shelf: Shelf, previous: Manifest | None) -> Mapping[str, Vectors]:
        spec = self.embedder.spec
        if previous is None or previous.embedder != spec.name:
            return {}
        return shelf.known_vectors(previous) if previous.embedder_revision == spec.revision else {}

    def _build(
        self,
        shelf: Shelf,
        draft: Manifest,
        chunks: Sequence[Chunk],
        known: Mapping[str, Vectors],
        reporter: Reporter,
    ) -> IndexReport:
        keys = [embedding_key(chunk) for chunk in chunks]
        missing = [number for number, key in enumerate(keys) if key not in known]
        vectors = self._embed(chunks, keys, missing, known, reporter)
        lexicon = Lexicon.of(chunk.embedded_text for chunk in chunks)
        reporter.start("Writing", 0)
        manifest = shelf.publish(draft, Contents(chunks, keys, vectors, lexicon))
        gone = len(set(known) - set(keys))
        return IndexReport(manifest, len(missing), len(chunks) - len(missing), gone, False)

    def _embed(
        self,
        chunks: Sequence[Chunk],
        keys: Sequence[str],
        missing: Sequence[int],
        known: Mapping[str, Vectors],
        reporter: Reporter,
    ) -> Vectors:
        vectors = np.zeros((len(chunks), self.embedder.spec.dimensions), dtype=np.float32)
        for number, key in enumerate(keys):
            if key in known:
                vectors[number] = known[key]
        reporter.start("Embedding", len(missing))
        if missing:
            texts = [chunks[number].embedded_text for number in missing]
            vectors[list(missing)] = self.embedder.embed_passages(texts, reporter.advance)
        return vectors


def embedding_key(chunk: Chunk) -> str:
    """Return what the vector of a chunk is found by: the hash of what was embedded."""
    return hashlib.sha256(chunk.embedded_text.encode()).hexdigest()


def _fingerprint(draft: Manifest, chunks: Sequence[Chunk]) -> str:
    digest = hashlib.sha256()
    unchanging = {"generation", "fingerprint", "created_at"}
    digest.update(draft.model_dump_json(exclude=unchanging).encode())
    for chunk in chunks:
        digest.update(chunk.model_dump_json().encode())
    return digest.hexdigest()


def _calibrated(draft: Manifest, previous: Manifest | None) -> Manifest:
    """Return a manifest that keeps the calibration of the same book with the same embedder."""
    if previous is None or previous.calibration is None or previous.title != draft.title:
        return draft
    made_for = (previous.calibration.scheme, previous.embedder, previous.embedder_revision)
    if made_for != (SCHEME, draft.embedder, draft.embedder_revision):
        return draft
    kept = previous.calibration
    return draft.model_copy(update={"calibration": kept, "threshold": kept.threshold})


def _previous(shelf: Shelf) -> Manifest | None:
    try:
        return shelf.manifest()
    except SetupError:
        return None  # none there, or one of another version: a new one is built beside it

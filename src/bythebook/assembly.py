"""The only place where settings become objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bythebook.errors import SettingsError, StoreError
from bythebook.settings import Settings

if TYPE_CHECKING:
    from bythebook.assistant import Assistant
    from bythebook.conversation import Conversation
    from bythebook.embedders.base import Embedder
    from bythebook.indexing import Indexer
    from bythebook.manifest import Manifest
    from bythebook.relevance import Relevance
    from bythebook.shelves.base import Shelf
    from bythebook.sources.base import Source
    from bythebook.writers.base import Writer


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder the settings name."""
    if settings.embedder == "minilm":
        from bythebook.embedders.minilm import MiniLM

        return MiniLM(threads=settings.threads)
    raise SettingsError(
        f"there is no embedder {settings.embedder!r}", hint="set BYTHEBOOK_EMBEDDER=minilm"
    )


def make_source(root: Path, base_url: str | None = None, title: str | None = None) -> Source:
    """Return the reader for a book at a place."""
    from bythebook.sources.markdown import MarkdownFolder

    return MarkdownFolder(root, base_url=base_url, title=title)


def make_shelf(settings: Settings) -> Shelf:
    """Return the place where the index is kept."""
    from bythebook.shelves.folder import FolderShelf

    return FolderShelf(settings.index)


def make_writer(settings: Settings, relevance: Relevance) -> Writer:
    """Return the writer the settings name."""
    if settings.writer == "extractive":
        from bythebook.writers.extractive import ExtractiveWriter

        return ExtractiveWriter(relevance)
    raise SettingsError(
        f"there is no writer {settings.writer!r}", hint="set BYTHEBOOK_WRITER=extractive"
    )


def make_indexer(settings: Settings) -> Indexer:
    """Return what builds an index."""
    from bythebook.indexing import Indexer

    return Indexer(make_embedder(settings))


def open_assistant(settings: Settings) -> Assistant:
    """Return the assistant of an index; raise a SetupError when it cannot be used."""
    shelf = make_shelf(settings)
    manifest = shelf.manifest()
    try:
        return _open(settings, shelf, manifest)
    except StoreError:
        renewed = shelf.manifest()
        if renewed.generation == manifest.generation:
            raise
        return _open(settings, shelf, renewed)  # the index was replaced between two of our steps


def open_conversation(settings: Settings) -> Conversation:
    """Return a conversation with the book of an index."""
    from bythebook.conversation import Conversation

    return Conversation(open_assistant(settings))


def _open(settings: Settings, shelf: Shelf, manifest: Manifest) -> Assistant:
    from bythebook.assistant import Assistant
    from bythebook.manifest import check_embedder
    from bythebook.relevance import Relevance
    from bythebook.retrieval import Retriever

    embedder = make_embedder(settings)
    check_embedder(settings.index, manifest, embedder.spec)
    relevance = Relevance(shelf.lexicon(manifest), embedder)
    store = shelf.store(manifest)
    return Assistant(
        manifest=manifest,
        retriever=Retriever(manifest, embedder, store),
        writer=make_writer(settings, relevance),
        relevance=relevance,
        store=store,
    )

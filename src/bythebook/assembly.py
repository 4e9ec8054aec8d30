"""The only place where settings become objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from bythebook.errors import SettingsError, StoreError
from bythebook.settings import Settings

if TYPE_CHECKING:
    from bythebook.assistant import Assistant
    from bythebook.conversation import Conversation, Rewriter
    from bythebook.embedders.base import Embedder, EmbedderSpec
    from bythebook.indexing import Indexer
    from bythebook.manifest import Manifest
    from bythebook.relevance import Relevance
    from bythebook.retrieval import Retriever
    from bythebook.shelves.base import Shelf
    from bythebook.sources.base import Source
    from bythebook.stores.connection import ServerOptions
    from bythebook.writers.agent_options import AgentOptions
    from bythebook.writers.base import Writer

EMBEDDERS = "minilm, cohere:MODEL, openai:MODEL"
WRITERS = "extractive, agent"


def make_source(root: Path, base_url: str | None = None, title: str | None = None) -> Source:
    """Return the reader for a book at a place."""
    from bythebook.sources.markdown import MarkdownFolder

    return MarkdownFolder(root, base_url=base_url, title=title)


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder the settings name."""
    # Only the first colon parts the kind from the model: models of Ollama have colons of their own.
    kind, _, model = settings.embedder.partition(":")
    if kind == "minilm":
        from bythebook.embedders.minilm import MiniLM

        return MiniLM(threads=settings.threads)
    if kind == "cohere":
        from bythebook.embedders import cohere

        key = _secret(settings.cohere_api_key)
        return cohere.CohereEmbedder(
            key, model or cohere.DEFAULT_MODEL, base_url=settings.embedder_base_url
        )
    if kind == "openai":
        from bythebook.embedders import openai

        return openai.OpenAIEmbedder(
            _secret(settings.openai_api_key),
            model or openai.DEFAULT_MODEL,
            base_url=settings.embedder_base_url,
            dimensions=settings.embedder_dimensions,
        )
    raise SettingsError(
        f"there is no embedder {settings.embedder!r}",
        hint=f"set BYTHEBOOK_EMBEDDER to one of: {EMBEDDERS}",
    )


def make_shelf(settings: Settings, spec: EmbedderSpec | None = None) -> Shelf:
    """Return the place where the index is kept; with a spec, someone else's may be read too."""
    if settings.qdrant_url is None:
        from bythebook.shelves.folder import FolderShelf

        return FolderShelf(settings.index)
    from bythebook.shelves.foreign import ForeignShelf
    from bythebook.shelves.server import ServerShelf
    from bythebook.stores.field_map import FieldMap

    options = _server_options(settings)
    shelf = ServerShelf(options)
    if spec is None or not (settings.fields or shelf.is_foreign()):
        return shelf
    fields = FieldMap.model_validate(settings.fields) if settings.fields else None
    return ForeignShelf(options, spec, fields)


def make_indexer(settings: Settings) -> Indexer:
    """Return what builds an index."""
    from bythebook.indexing import Indexer

    return Indexer(make_embedder(settings))


def make_writer(settings: Settings, relevance: Relevance, retriever: Retriever) -> Writer:
    """Return the writer the settings name."""
    if settings.writer == "extractive":
        from bythebook.writers.extractive import ExtractiveWriter

        return ExtractiveWriter(relevance)
    if settings.writer == "agent":
        from bythebook.writers.agent import AgentWriter

        return AgentWriter(agent_options(settings), retriever.find)
    raise SettingsError(
        f"there is no writer {settings.writer!r}",
        hint=f"set BYTHEBOOK_WRITER to one of: {WRITERS}",
    )


def agent_options(settings: Settings) -> AgentOptions:
    """Return the model that writes: OpenRouter's when only its key is set, else OpenAI's."""
    from bythebook.writers.agent_options import OPENROUTER_URL, AgentOptions, openrouter_headers

    by_openrouter = settings.openrouter_api_key is not None and settings.openai_api_key is None
    key = settings.openrouter_api_key if by_openrouter else settings.openai_api_key
    return AgentOptions(
        model=settings.openai_model,
        base_url=settings.openai_base_url or (OPENROUTER_URL if by_openrouter else None),
        api_key=_secret(key),
        temperature=settings.temperature,
        context_tokens=settings.context_tokens,
        mode=settings.agent_mode,
        headers=openrouter_headers() if by_openrouter else {},
    )


def open_assistant(settings: Settings) -> Assistant:
    """Return the assistant of an index; raise a SetupError when it cannot be used."""
    if settings.qdrant_url is None:
        make_shelf(settings).manifest()  # a missing index is told before a model is loaded
    embedder = make_embedder(settings)
    shelf = make_shelf(settings, embedder.spec)
    manifest = shelf.manifest()
    try:
        return _open(settings, shelf, manifest, embedder)
    except StoreError:
        renewed = shelf.manifest()
        if renewed.generation == manifest.generation:
            raise
        return _open(settings, shelf, renewed, embedder)  # it was replaced between two steps


def open_conversation(settings: Settings) -> Conversation:
    """Return a conversation with the book of an index."""
    from bythebook.conversation import Conversation

    return Conversation(open_assistant(settings), rewriter=_make_rewriter(settings))


def _make_rewriter(settings: Settings) -> Rewriter | None:
    if settings.writer != "agent":
        return None
    from bythebook.writers.rewriter import ModelRewriter

    return ModelRewriter(agent_options(settings))


def _open(settings: Settings, shelf: Shelf, manifest: Manifest, embedder: Embedder) -> Assistant:
    from bythebook.assistant import Assistant
    from bythebook.embedders.remembering import RememberingEmbedder
    from bythebook.manifest import check_embedder
    from bythebook.relevance import Relevance
    from bythebook.retrieval import Retriever

    check_embedder(manifest, embedder.spec)
    embedder = RememberingEmbedder(embedder)
    relevance = Relevance(shelf.lexicon(manifest), embedder)
    store = shelf.store(manifest)
    retriever = Retriever(manifest, embedder, store)
    return Assistant(
        manifest=manifest,
        retriever=retriever,
        writer=make_writer(settings, relevance, retriever),
        relevance=relevance,
        store=store,
    )


def _server_options(settings: Settings) -> ServerOptions:
    from bythebook.stores.connection import ServerOptions

    return ServerOptions(
        url=settings.qdrant_url or "",
        api_key=_secret(settings.qdrant_api_key),
        collection=settings.qdrant_collection,
        prefer_grpc=settings.qdrant_prefer_grpc,
        shard_number=settings.qdrant_shard_number,
        replication_factor=settings.qdrant_replication_factor,
        write_consistency_factor=settings.qdrant_write_consistency_factor,
        quantization=settings.qdrant_quantization,
    )


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value else None

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
    from bythebook.indexing import Indexer, IndexReport
    from bythebook.manifest import Manifest
    from bythebook.querylog.addresses import Addresses
    from bythebook.querylog.database import LogDatabase
    from bythebook.querylog.log import QueryLog
    from bythebook.readers.base import Reader
    from bythebook.relevance import Relevance
    from bythebook.retrieval import Retriever
    from bythebook.shelves.base import Shelf
    from bythebook.sources.base import Source
    from bythebook.stores.connection import ServerOptions
    from bythebook.web.access.buckets import Buckets
    from bythebook.web.access.budget import Budget
    from bythebook.web.access.gate import Access
    from bythebook.web.access.keys import KeyFile, KeyRing
    from bythebook.web.desk import Desk
    from bythebook.web.redis_client import SharedRedis
    from bythebook.web.sessions.base import SessionStore
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


def make_reader(settings: Settings) -> Reader | None:
    """Return the reader the settings name, or nothing when it is switched off."""
    if settings.reader == "none":
        return None
    from bythebook.readers.minilm import MiniLMReader

    return MiniLMReader(threads=settings.threads)


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


def rebuild_index(settings: Settings, manifest: Manifest) -> IndexReport:
    """Index the book of a manifest anew, on the same shelf and under the same name."""
    origin = str(settings.source) if settings.source else manifest.source
    return make_indexer(settings).index(
        make_source(Path(origin), manifest.base_url, manifest.title),
        make_shelf(settings),
        origin=manifest.source,
        base_url=manifest.base_url,
    )


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
        timeout_seconds=settings.model_timeout_seconds,
        deadline_seconds=settings.model_deadline_seconds,
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

    return Conversation(open_assistant(settings), rewriter=make_rewriter(settings))


def open_desk(settings: Settings) -> Desk:
    """Return what the surfaces of the service share, with the book of an index."""
    from bythebook.web.desk import Desk

    access, budget = make_access(settings), make_budget(settings)  # a mistake there is told first
    return Desk(
        settings,
        open_assistant(settings),
        rewriter=make_rewriter(settings),
        sessions=make_sessions(settings),
        access=access,
        budget=budget,
        query_log=make_query_log(settings),
    )


def make_access(settings: Settings) -> Access:
    """Return who may ask and how much."""
    from bythebook.web.access.addresses import parse_networks
    from bythebook.web.access.gate import Access

    return Access(
        keys=make_keys(settings),
        require_key=settings.require_key,
        per_client=_make_buckets(settings, "rate_limit", settings.rate_limit),
        per_key=_make_buckets(settings, "rate_limit_per_key", settings.rate_limit_per_key),
        trusted_proxies=parse_networks(settings.trusted_proxies),
    )


def make_key_file(settings: Settings) -> KeyFile:
    """Return the file of API keys."""
    from bythebook.web.access.keys import KeyFile, keys_beside

    return KeyFile(settings.keys_file or keys_beside(settings.index))


def make_keys(settings: Settings) -> KeyRing:
    """Return the API keys as the service uses them."""
    from bythebook.web.access.keys import KeyRing

    return KeyRing(make_key_file(settings).path)


def make_budget(settings: Settings) -> Budget:
    """Return what counts the tokens of the model."""
    from bythebook.web.access.budget import MemoryBudget, NoBudget, SharedBudget

    if not settings.daily_token_budget or settings.writer != "agent":
        return NoBudget()
    own = MemoryBudget(settings.daily_token_budget)
    redis = _make_redis(settings)
    if redis is None:
        return own
    from bythebook.web.access.redis_budget import RedisBudget

    return SharedBudget(RedisBudget(redis, settings.daily_token_budget), own)


def make_sessions(settings: Settings) -> SessionStore:
    """Return where conversations are kept between their questions."""
    redis = _make_redis(settings)
    if redis is None:
        from bythebook.web.sessions.memory import MemorySessions

        return MemorySessions(settings.session_idle_seconds, settings.max_sessions)
    from bythebook.web.sessions.redis import RedisSessions

    return RedisSessions(redis, settings.session_idle_seconds, settings.max_sessions)


def _make_buckets(settings: Settings, name: str, rate_text: str) -> Buckets | None:
    from bythebook.web.access.buckets import MemoryBuckets, SharedBuckets, parse_rate

    rate = parse_rate(name, rate_text)
    if rate is None:
        return None
    redis = _make_redis(settings)
    if redis is None:
        return MemoryBuckets(rate)
    from bythebook.web.access.redis_buckets import RedisBuckets

    return SharedBuckets(RedisBuckets(redis, name, rate), MemoryBuckets(rate))


def _make_redis(settings: Settings) -> SharedRedis | None:
    url = _secret(settings.redis_url)
    if url is None:
        return None
    from bythebook.web.redis_client import SharedRedis

    return SharedRedis(url, settings.redis_prefix)


def make_rewriter(settings: Settings) -> Rewriter | None:
    """Return what completes follow-ups with a model, or None where rules do."""
    if settings.writer != "agent":
        return None
    from bythebook.writers.rewriter import ModelRewriter

    return ModelRewriter(agent_options(settings))


def make_log_database(settings: Settings) -> LogDatabase:
    """Return the database of the query log."""
    from bythebook.querylog.database import LogDatabase
    from bythebook.querylog.places import log_url

    return LogDatabase(log_url(_secret(settings.database_url), settings.index))


def make_query_log(settings: Settings) -> QueryLog | None:
    """Return the query log, already at work, or nothing when it is switched off."""
    if not settings.query_log:
        return None
    from bythebook.querylog.log import QueryLog

    log = QueryLog(
        make_log_database(settings),
        _make_addresses(settings),
        retention_days=settings.log_retention_days,
    )
    log.start()
    return log


def _make_addresses(settings: Settings) -> Addresses:
    from bythebook.querylog.addresses import Addresses, FileSalt, SetSalt
    from bythebook.querylog.places import log_folder

    if settings.log_ip != "hashed":
        return Addresses(settings.log_ip)
    secret = _secret(settings.log_salt)
    salt = SetSalt(secret) if secret else FileSalt(log_folder(settings.index) / "salt.json")
    return Addresses(settings.log_ip, salt)


def _open(settings: Settings, shelf: Shelf, manifest: Manifest, embedder: Embedder) -> Assistant:
    from bythebook.assistant import Assistant
    from bythebook.embedders.remembering import RememberingEmbedder
    from bythebook.manifest import check_calibration, check_embedder
    from bythebook.relevance import Relevance
    from bythebook.retrieval import Retriever

    check_embedder(manifest, embedder.spec)
    check_calibration(manifest)
    embedder = RememberingEmbedder(embedder)
    lexicon = shelf.lexicon(manifest)
    relevance = Relevance(lexicon, embedder, make_reader(settings))
    store = shelf.store(manifest)
    retriever = Retriever(manifest, embedder, store, lexicon)
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

"""Checking a setup: each engine is really reached, and each failure comes with a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bythebook.assembly import agent_options, make_embedder, make_reader, make_shelf
from bythebook.embedders.base import Embedder
from bythebook.errors import BythebookError, SettingsError
from bythebook.manifest import check_embedder
from bythebook.settings import Settings, variable_of

_KEYS = ("openai_api_key", "openrouter_api_key", "cohere_api_key", "qdrant_api_key")


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    part: str
    is_well: bool
    finding: str
    hint: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    """Yield what each check finds; later checks run whatever earlier ones found."""
    yield from _keys(settings)
    embedder: list[Embedder] = []
    yield _check("embedder", lambda: _embed(settings, embedder))
    reader: list[str] = []
    yield _check("reader", lambda: _read(settings, reader))
    yield _check("index", lambda: _open_index(settings, embedder, reader))
    if settings.writer == "agent":
        yield _check("model", lambda: _reach_model(settings))
    else:
        yield Finding("writer", True, f"{settings.writer}, no model needed")


def _keys(settings: Settings) -> Iterator[Finding]:
    for name in _KEYS:
        state = "set" if getattr(settings, name) else "not set"
        yield Finding(variable_of(name), True, state)


def _check(part: str, run: Callable[[], str]) -> Finding:
    try:
        return Finding(part, True, run())
    except BythebookError as problem:
        return Finding(part, False, problem.message, problem.hint or "")


def _embed(settings: Settings, made: list[Embedder]) -> str:
    embedder = make_embedder(settings)
    length = len(embedder.embed_query("Is anybody there?"))
    made.append(embedder)
    return f"{settings.embedder} answers with {length} dimensions"


def _read(settings: Settings, made: list[str]) -> str:
    reader = make_reader(settings)
    made.append(str(reader.spec) if reader else "none")
    if reader is None:
        return "none: whether the book answers is told by rules alone"
    (reading,) = reader.read("Is anybody there?", ["Nobody is there."])
    return f"{settings.reader} reads, for instance {reading.probability:.2f}"


def _open_index(settings: Settings, made: list[Embedder], reader: list[str]) -> str:
    shelf = make_shelf(settings, made[0].spec if made else None)
    manifest = shelf.manifest()
    if made:
        check_embedder(manifest, made[0].spec)
    store = shelf.store(manifest)
    try:
        count = store.count()
    finally:
        store.close()
    if count != manifest.chunks:
        raise SettingsError(
            f"the index holds {count:,} passages, its manifest says {manifest.chunks:,}",
            hint="build it again with 'bythebook index'",
        )
    place = "on the Qdrant server" if settings.qdrant_url else f"in {settings.index}"
    calibration = manifest.calibration
    is_other = calibration is not None and reader and calibration.reader != reader[0]
    # It works, and without probabilities.
    told = ", calibrated with another reader: run 'bythebook calibrate'" if is_other else ""
    return f"{manifest.title!r}, {count:,} passages, {place}{told}"


def _reach_model(settings: Settings) -> str:
    from bythebook.writers.rewriter import reach

    options = agent_options(settings)
    reach(options)
    return f"{options.model} answers"

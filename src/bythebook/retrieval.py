"""Finding the passages of a book that may answer a question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from bythebook.embedders.base import Embedder
from bythebook.errors import QueryError
from bythebook.manifest import Manifest
from bythebook.stores.base import Scope, Store
from bythebook.types import Passage, Query, Retrieval


@dataclass(frozen=True)
class Found:
    """What a search gave: `hits` are all of them, `retrieval` those above the threshold."""

    hits: tuple[Passage, ...]
    retrieval: Retrieval


@dataclass(frozen=True)
class Retriever:
    """Searches one book."""

    manifest: Manifest
    embedder: Embedder
    store: Store

    def retrieve(self, query: Query, depth: int | None = None) -> Found:
        """Return the best `depth` passages, or `top_k` when no depth is given.

        Raises QueryError for a module or chapter that is not in the book.
        """
        scope = self._scope(query)
        begin = perf_counter()
        vector = self.embedder.embed_query(query.text)
        embedded = perf_counter()
        hits = tuple(self.store.search(query.text, vector, depth or query.top_k, scope))
        searched = perf_counter()
        threshold = self.manifest.threshold if query.threshold is None else query.threshold
        retrieval = Retrieval(
            passages=tuple(hit for hit in hits if hit.score >= threshold),
            total_candidates=self.manifest.chunks,
            threshold=threshold,
            embed_ms=(embedded - begin) * 1000,
            search_ms=(searched - embedded) * 1000,
        )
        return Found(hits, retrieval)

    async def find(self, query: Query) -> Sequence[Passage]:
        """Return the passages above the threshold, for a model that searches by itself."""
        found = await asyncio.to_thread(self.retrieve, query)
        return found.retrieval.passages

    def _scope(self, query: Query) -> Scope:
        _check_known("module", query.module, self.manifest.modules)
        _check_known("chapter", query.chapter, self.manifest.chapters)
        return Scope(module=query.module, chapter=query.chapter)


def _check_known(field: str, value: str | None, known: tuple[str, ...]) -> None:
    if value is None or value in known:
        return
    valid = ", ".join(repr(name) for name in known) or f"none: this book has no {field}s"
    raise QueryError(
        f"the book has no {field} {value!r}", field=field, hint=f"valid {field}s: {valid}"
    )

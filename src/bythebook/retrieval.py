"""Finding the passages of a book that may answer a question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from bythebook.embedders.base import Embedder
from bythebook.errors import QueryError
from bythebook.lexicon import Lexicon
from bythebook.manifest import Manifest
from bythebook.stores.base import Scope, Store
from bythebook.terms import question_terms
from bythebook.types import Chunk, Passage, Query, Retrieval

# A reader whose words the book hardly has will not find the page by words: below this share of
# them the ranking by meaning counts twice. Anything from 0.7 to 0.9 gave the same on the questions
# it was chosen on (docs/retrieval.md); run tools/retrieval.py before changing it.
_KNOWN_SHARE = 0.7
_IN_OTHER_WORDS = 2


@dataclass(frozen=True)
class Found:
    """What a search gave: `hits` are all of them, `retrieval` those above the threshold.

    An introduction is where the book tells what it is, asked for that.
    """

    hits: tuple[Passage, ...]
    retrieval: Retrieval
    is_introduction: bool = False


@dataclass(frozen=True)
class Retriever:
    """Searches one book."""

    manifest: Manifest
    embedder: Embedder
    store: Store
    lexicon: Lexicon | None = None  # without one, meaning and words always count the same

    def retrieve(self, query: Query, depth: int | None = None) -> Found:
        """Return the best `depth` passages, or `top_k` when no depth is given.

        Raises QueryError for a module or chapter that is not in the book.
        """
        scope = self._scope(query)
        begin = perf_counter()
        vector = self.embedder.embed_query(query.text)
        embedded = perf_counter()
        limit, weight = depth or query.top_k, self._meaning_weight(query.text)
        hits = tuple(self.store.search(query.text, vector, limit, scope, weight))
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

    def place(self, query: Query, chunks: Sequence[Chunk]) -> tuple[Passage, ...]:
        """Return chunks that were found in another way as passages, in their order."""
        if not chunks:
            return ()
        vectors = self.embedder.embed_passages([chunk.embedded_text for chunk in chunks])
        cosines = np.clip(vectors @ self.embedder.embed_query(query.text), 0.0, 1.0)
        return tuple(
            Passage(chunk=chunk, score=float(cosine), rank=rank)
            for rank, (chunk, cosine) in enumerate(zip(chunks, cosines, strict=True), 1)
        )

    async def find(self, query: Query) -> Sequence[Passage]:
        """Return the passages above the threshold, for a model that searches by itself."""
        found = await asyncio.to_thread(self.retrieve, query)
        return found.retrieval.passages

    def _meaning_weight(self, question: str) -> int:
        if self.lexicon is None:
            return 1
        known = self.lexicon.known_share(question_terms(question))
        return 1 if known >= _KNOWN_SHARE else _IN_OTHER_WORDS

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

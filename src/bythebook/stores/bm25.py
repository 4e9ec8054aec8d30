"""One reading of words for the sparse vectors of every store.

Qdrant Edge brings BM25 along, stemming and stop words included, with nothing to download. Both
stores hold the vectors made here, so both give the same answers.
"""

from __future__ import annotations

from functools import cache

import qdrant_edge

from bythebook.types import Chunk

# Chunks are cut to about this many words; BM25 weighs a text's length against it.
AVERAGE_WORDS = 120.0


@cache
def _model() -> qdrant_edge.Bm25:
    return qdrant_edge.Bm25(qdrant_edge.Bm25Config(language="english", avg_len=AVERAGE_WORDS))


def sparse_document(chunk: Chunk) -> qdrant_edge.SparseVector:
    """Return the sparse vector of a chunk: its own words and those of the headings above it."""
    return _model().embed_document(f"{chunk.context}\n{chunk.text}")


def sparse_query(question: str) -> qdrant_edge.SparseVector:
    """Return the sparse vector of a question."""
    return _model().embed_query(question)

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bythebook.embedders.base import Embedder
from bythebook.errors import QueryError
from bythebook.manifest import read_manifest
from bythebook.retrieval import Retriever
from bythebook.shelves.folder import FolderShelf
from bythebook.stores.base import Scope
from bythebook.types import Query

QUESTION = "What is quality of service?"


@pytest.fixture(scope="module")
def retriever(sample_index: Path, embedder: Embedder) -> Retriever:
    manifest = read_manifest(sample_index)
    shelf = FolderShelf(sample_index)
    return Retriever(manifest, embedder, shelf.store(manifest), shelf.lexicon(manifest))


def test_as_many_hits_as_asked_for_come_back_in_rank_order(retriever: Retriever) -> None:
    found = retriever.retrieve(Query(text=QUESTION, top_k=7))
    assert [hit.rank for hit in found.hits] == list(range(1, 8))
    assert found.retrieval.total_candidates == retriever.manifest.chunks


def test_a_depth_looks_further_than_top_k(retriever: Retriever) -> None:
    assert len(retriever.retrieve(Query(text=QUESTION, top_k=2), depth=9).hits) == 9


def test_the_threshold_of_the_index_holds_unless_the_query_brings_one(
    retriever: Retriever,
) -> None:
    own = retriever.retrieve(Query(text=QUESTION))
    given = retriever.retrieve(Query(text=QUESTION, threshold=0.0))
    assert own.retrieval.threshold == retriever.manifest.threshold
    assert given.retrieval.threshold == 0.0
    assert given.retrieval.passages == given.hits


def test_passages_under_the_threshold_are_hits_and_no_more(retriever: Retriever) -> None:
    scores = sorted(hit.score for hit in retriever.retrieve(Query(text=QUESTION)).hits)
    between = (scores[0] + scores[-1]) / 2
    found = retriever.retrieve(Query(text=QUESTION, threshold=between))
    assert 0 < len(found.retrieval.passages) < len(found.hits)
    assert all(passage.score >= between for passage in found.retrieval.passages)


@pytest.mark.parametrize(
    ("question", "weight"),
    [(QUESTION, 1), ("Why do I bump into furniture that the scanner overlooks?", 2)],
)
def test_meaning_counts_twice_for_a_question_in_words_the_book_does_not_have(
    retriever: Retriever, question: str, weight: int
) -> None:
    vector = retriever.embedder.embed_query(question)
    ways = {times: retriever.store.search(question, vector, 9, Scope(), times) for times in (1, 2)}
    assert ways[1] != ways[2]
    assert list(retriever.retrieve(Query(text=question, top_k=9)).hits) == ways[weight]


def test_without_a_lexicon_meaning_and_words_count_the_same(retriever: Retriever) -> None:
    question = "Why do I bump into furniture that the scanner overlooks?"
    vector = retriever.embedder.embed_query(question)
    hits = replace(retriever, lexicon=None).retrieve(Query(text=question, top_k=9)).hits
    assert list(hits) == retriever.store.search(question, vector, 9, Scope())


def test_only_the_module_asked_for_is_searched(retriever: Retriever) -> None:
    hits = retriever.retrieve(Query(text=QUESTION, module="vla", top_k=20)).hits
    assert {hit.chunk.module for hit in hits} == {"vla"}


def test_only_the_chapter_asked_for_is_searched(retriever: Retriever) -> None:
    chapter = retriever.manifest.chapters[3]
    hits = retriever.retrieve(Query(text=QUESTION, chapter=chapter, top_k=20)).hits
    assert {hit.chunk.chapter for hit in hits} == {chapter}


@pytest.mark.parametrize("field", ["module", "chapter"])
def test_an_unknown_place_is_refused_and_the_valid_ones_are_listed(
    retriever: Retriever, field: str
) -> None:
    query = Query.model_validate({"text": QUESTION, field: "astrology"})
    with pytest.raises(QueryError, match=f"the book has no {field} 'astrology'") as caught:
        retriever.retrieve(query)
    assert caught.value.field == field
    valid = getattr(retriever.manifest, f"{field}s")
    assert all(repr(name) in str(caught.value.hint) for name in valid)


def test_the_time_of_both_steps_is_told(retriever: Retriever) -> None:
    retrieval = retriever.retrieve(Query(text=QUESTION)).retrieval
    assert retrieval.embed_ms > 0
    assert retrieval.search_ms > 0
    assert retrieval.total_ms == retrieval.embed_ms + retrieval.search_ms

"""The contract of embedders over the hosted ones, against stand-ins for their services."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.assistant import Assistant
from bythebook.embedders.base import Embedder
from bythebook.errors import IndexMismatchError
from bythebook.indexing import Indexer
from bythebook.manifest import check_embedder, read_manifest
from bythebook.relevance import Relevance
from bythebook.retrieval import Retriever
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import Answer, Query, Refusal
from bythebook.writers.extractive import ExtractiveWriter
from tests.contract import test_embedders as contract
from tests.standins.embeddings import EmbeddingService
from tests.standins.hosted import make_hosted
from tests.standins.server import StandInServer

NAMES = [
    "cohere:embed-english-v3.0",
    "cohere:embed-multilingual-v3.0",
    "openai:text-embedding-3-small",
    "openai:bge-small-en",  # of which nobody knows the dimensions
]
PAGES = {
    "nodes.md": "# Nodes\n\nA node is a process that computes.\n\n## Life\n\nIt starts and ends.\n",
    "topics.md": "# Topics\n\nA topic is a named channel that carries messages.\n",
    "arms.md": "# Arms\n\nAn arm has joints that motors turn.\n",
}
WriteBook = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture(scope="module")
def server() -> Iterator[StandInServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "127.0.0.1")
        with StandInServer(EmbeddingService().endpoints()) as server:
            yield server


@pytest.fixture(scope="module", params=NAMES)
def subject(request: pytest.FixtureRequest, server: StandInServer) -> Iterator[Embedder]:
    with closing(make_hosted(request.param, server)) as embedder:
        yield embedder


# What holds for every embedder, word for word.
test_unit_vectors = contract.test_there_is_one_unit_vector_for_each_text
test_no_texts = contract.test_no_texts_give_no_vectors
test_determinism = contract.test_the_same_text_gives_the_same_vector_every_time
test_batch_independence = contract.test_a_vector_does_not_depend_on_the_texts_beside_it
test_order = contract.test_vectors_come_in_the_order_of_their_texts
test_progress = contract.test_progress_adds_up_to_at_least_every_text
test_tokens = contract.test_tokens_are_counted_without_the_special_ones
test_odd_characters = contract.test_odd_characters_are_embedded_like_any_other
test_facts = contract.test_the_facts_an_index_depends_on_are_told


def test_nothing_of_a_long_text_is_cut_off(subject: Embedder) -> None:
    body = "The robot walks over the floor and looks around. " * 160
    assert subject.count_tokens(body) > 2 * subject.spec.max_tokens
    tail = "Bananas and yellow fruit salad taste sweet in summer. " * 8
    plain, fruity = subject.embed_passages([body, body + tail])
    question = subject.embed_query("sweet fruit salad with bananas")
    assert float(plain @ fruity) < 0.999
    assert float(fruity @ question) > float(plain @ question) + 0.02


def test_a_question_is_nearest_to_the_passage_about_it(subject: Embedder) -> None:
    vectors = subject.embed_passages(contract.TEXTS)
    question = subject.embed_query("Where does a cat sleep?")
    assert question.shape == (subject.spec.dimensions,)
    assert float(np.linalg.norm(question)) == pytest.approx(1.0, abs=1e-4)
    assert int(np.argmax(vectors @ question)) == 1


@pytest.fixture
def folder(subject: Embedder, write_book: WriteBook, tmp_path: Path) -> Path:
    """The folder of a small book's index made with the hosted embedder."""
    folder = tmp_path / "index"
    Indexer(subject).index(make_source(write_book(PAGES)), FolderShelf(folder), origin="book")
    return folder


def opened(folder: Path, embedder: Embedder) -> Assistant:
    """Return the assistant of an index with an embedder of ours in place of the settings'."""
    manifest = read_manifest(folder)
    check_embedder(manifest, embedder.spec)
    shelf = FolderShelf(folder)
    store = shelf.store(manifest)
    relevance = Relevance(shelf.lexicon(manifest), embedder)
    retriever = Retriever(manifest, embedder, store)
    return Assistant(manifest, retriever, ExtractiveWriter(relevance), relevance, store)


def test_a_book_is_indexed_and_answers(folder: Path, subject: Embedder) -> None:
    manifest = read_manifest(folder)
    assert manifest.embedder == subject.spec.name
    assert manifest.dimensions == subject.spec.dimensions
    assert manifest.threshold == subject.spec.default_threshold
    with closing(opened(folder, subject)) as assistant:
        outcome = asyncio.run(assistant.ask(Query(text="What is a topic?")))
        assert isinstance(outcome.result, Answer)
        assert "A topic is a named channel that carries messages." in outcome.result.text
        outcome = asyncio.run(assistant.ask(Query(text="Who painted the Mona Lisa?")))
        assert isinstance(outcome.result, Refusal)


def test_cohere_makes_vectors_of_1024_dimensions(server: StandInServer) -> None:
    with closing(make_hosted(NAMES[0], server)) as embedder:
        assert embedder.embed_query("What is a node?").shape == (1024,)


def test_an_unchanged_book_is_not_embedded_again(
    folder: Path, subject: Embedder, server: StandInServer, tmp_path: Path
) -> None:
    before = len(server.received)
    source = make_source(tmp_path / "book")
    report = Indexer(subject).index(source, FolderShelf(folder), origin="book")
    assert report.is_unchanged
    assert len(server.received) == before


def test_an_index_is_not_opened_with_another_embedder(folder: Path) -> None:
    with pytest.raises(IndexMismatchError, match="minilm"):
        open_assistant(load_settings(index=folder))

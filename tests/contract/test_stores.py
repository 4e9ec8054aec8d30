"""What every store must do, run over every one there is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import pytest

from bythebook.embedders.base import Embedder, Vectors
from bythebook.errors import BythebookError, IndexWriteError, StoreError
from bythebook.stores.base import Scope, Store
from bythebook.stores.edge import EdgeStore
from bythebook.types import Chunk
from tests.builders import CODE, HEADER, ROW, P, make_chunk, run_python

SENTENCES = (
    "A node is a process that computes.",
    "The cat sleeps on the sofa all day.",
    "Torque is a turning force measured in newton metres.",
    "The zircon sensor model XZ-900 is calibrated at the factory.",
    "A topic is a named channel that carries messages.",
    "Bananas are yellow and sweet.",
)
QUESTION = "Which animal lies on the couch?"
ALL = Scope()

Opening = tuple[Callable[[Path, int], Store], Callable[[Path], Store]]
BACK_ENDS: dict[str, Opening] = {"edge": (EdgeStore.create, EdgeStore.open)}


def chunks() -> list[Chunk]:
    return [
        make_chunk(
            (P, sentence),
            id=str(uuid5(NAMESPACE_URL, sentence)),
            module="odd" if number % 2 else "even",
            chapter=f"Chapter {number // 2}",
            index=number,
        )
        for number, sentence in enumerate(SENTENCES)
    ]


@pytest.fixture(scope="module")
def vectors(embedder: Embedder) -> Vectors:
    return embedder.embed_passages(SENTENCES)


@pytest.fixture(params=BACK_ENDS)
def opening(request: pytest.FixtureRequest) -> Opening:
    return BACK_ENDS[request.param]


@pytest.fixture
def folder(opening: Opening, tmp_path: Path, vectors: Vectors) -> Path:
    """A store that was written and closed."""
    written = opening[0](tmp_path / "store", vectors.shape[1])
    written.add(chunks(), vectors)
    written.close()
    return tmp_path / "store"


@pytest.fixture
def store(opening: Opening, folder: Path) -> Store:
    return opening[1](folder)


def find(
    store: Store, embedder: Embedder, question: str, limit: int = 6, scope: Scope = ALL
) -> list[str]:
    hits = store.search(question, embedder.embed_query(question), limit, scope)
    return [hit.chunk.text for hit in hits]


def test_what_was_written_is_counted(store: Store) -> None:
    assert store.count() == len(SENTENCES)


def test_a_passage_is_found_by_its_meaning(store: Store, embedder: Embedder) -> None:
    assert find(store, embedder, QUESTION)[0] == SENTENCES[1]


def test_a_passage_is_found_by_a_rare_word(store: Store, embedder: Embedder) -> None:
    assert find(store, embedder, "XZ-900")[0] == SENTENCES[3]


def test_ranks_count_up_and_no_more_come_than_wanted(store: Store, embedder: Embedder) -> None:
    hits = store.search(QUESTION, embedder.embed_query(QUESTION), 4, ALL)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4]
    assert len({hit.chunk.id for hit in hits}) == 4


def test_the_score_is_the_true_cosine(store: Store, embedder: Embedder, vectors: Vectors) -> None:
    question = embedder.embed_query(QUESTION)
    for hit in store.search(QUESTION, question, 6, ALL):
        cosine = float(np.dot(vectors[SENTENCES.index(hit.chunk.text)], question))
        assert hit.score == pytest.approx(max(0.0, cosine), abs=1e-4)


def test_a_score_below_zero_is_told_as_zero(store: Store, vectors: Vectors) -> None:
    opposite: Vectors = -vectors[0]
    hits = store.search("node process", opposite, 6, ALL)
    scores = {hit.chunk.text: hit.score for hit in hits}
    assert scores[SENTENCES[0]] == 0.0
    assert all(0.0 <= score <= 1.0 for score in scores.values())


@pytest.mark.parametrize(
    ("scope", "numbers"),
    [
        (Scope(module="odd"), {1, 3, 5}),
        (Scope(chapter="Chapter 1"), {2, 3}),
        (Scope(module="odd", chapter="Chapter 1"), {3}),
        (Scope(module="odd", chapter="nowhere"), set()),
    ],
)
def test_only_what_lies_in_scope_is_found(
    store: Store, embedder: Embedder, scope: Scope, numbers: set[int]
) -> None:
    assert set(find(store, embedder, QUESTION, scope=scope)) == {SENTENCES[n] for n in numbers}


def test_a_chunk_comes_back_as_it_was_written(
    opening: Opening, tmp_path: Path, embedder: Embedder
) -> None:
    pieces = ((P, "Run it: é 🤖"), (CODE, "a\n\tb"), (HEADER, "A | B"), (ROW, "1 | 2"))
    chunk = make_chunk(*pieces, id=str(uuid5(NAMESPACE_URL, "x")), lead="Run", chapter=None)
    store = opening[0](tmp_path / "one", embedder.spec.dimensions)
    store.add([chunk], embedder.embed_passages([chunk.text]))
    (hit,) = store.search("Run it", embedder.embed_query("Run it"), 5, ALL)
    assert hit.chunk == chunk
    store.close()


def test_a_store_opened_again_gives_the_same(
    opening: Opening, folder: Path, embedder: Embedder
) -> None:
    seen = []
    for _ in range(2):
        store = opening[1](folder)
        hits = store.search(QUESTION, embedder.embed_query(QUESTION), 6, ALL)
        seen.append([(hit.chunk.id, hit.score) for hit in hits])
        store.close()
    assert seen[0] == seen[1]


def test_two_processes_may_read_at_once(
    opening: Opening, folder: Path, store: Store, embedder: Embedder
) -> None:
    program = (
        "import json, sys\nfrom pathlib import Path\nimport numpy as np\n"
        f"from {opening[1].__module__} import {opening[1].__qualname__.split('.')[0]} as Store\n"
        "from bythebook.stores.base import Scope\n"
        "vector = np.array(json.loads(sys.argv[2]), dtype=np.float32)\n"
        "store = Store.open(Path(sys.argv[1]))\n"
        "hits = store.search(sys.argv[3], vector, 6, Scope())\n"
        "print(json.dumps([hit.chunk.text for hit in hits]))\nstore.close()"
    )
    question = json.dumps(embedder.embed_query(QUESTION).tolist())
    before = find(store, embedder, QUESTION)
    done = run_python(program, folder, question, QUESTION)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == before == find(store, embedder, QUESTION)


def test_a_store_that_is_not_there_is_an_error_in_words(opening: Opening, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        opening[1](tmp_path / "none")
    assert "bythebook index" in str(caught.value.hint)


def test_a_damaged_store_is_an_error_in_words(opening: Opening, folder: Path) -> None:
    for path in folder.rglob("*.json"):
        path.write_text("{")
    with pytest.raises(StoreError, match="cannot be opened"):
        opening[1](folder)


def test_a_store_cannot_be_made_where_nothing_can_be_written(
    opening: Opening, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexWriteError, match="cannot be written"):
        opening[0](tmp_path / "file" / "store", 8)


def test_a_vector_of_another_size_is_refused(store: Store, embedder: Embedder) -> None:
    short: Vectors = embedder.embed_query(QUESTION)[:8]
    with pytest.raises(BythebookError):
        store.search(QUESTION, short, 5, ALL)

"""What only the embedded store does: it lies in a folder, and processes share it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bythebook.embedders.base import Embedder
from bythebook.errors import IndexWriteError, StoreError
from bythebook.stores.edge import EdgeStore
from tests.builders import run_python
from tests.contract.test_stores import ALL, QUESTION, SENTENCES, chunks, find


@pytest.fixture
def folder(tmp_path: Path, embedder: Embedder) -> Path:
    """A store that was written and closed."""
    written = EdgeStore.create(tmp_path / "store", embedder.spec.dimensions)
    written.add(chunks(), embedder.embed_passages(SENTENCES))
    written.close()
    return tmp_path / "store"


def test_a_store_opened_again_gives_the_same(folder: Path, embedder: Embedder) -> None:
    seen = []
    for _ in range(2):
        store = EdgeStore.open(folder)
        hits = store.search(QUESTION, embedder.embed_query(QUESTION), 6, ALL)
        seen.append([(hit.chunk.id, hit.score) for hit in hits])
        store.close()
    assert seen[0] == seen[1]


def test_two_processes_may_read_at_once(folder: Path, embedder: Embedder) -> None:
    program = (
        "import json, sys\nfrom pathlib import Path\nimport numpy as np\n"
        "from bythebook.stores.edge import EdgeStore\n"
        "from bythebook.stores.base import Scope\n"
        "vector = np.array(json.loads(sys.argv[2]), dtype=np.float32)\n"
        "store = EdgeStore.open(Path(sys.argv[1]))\n"
        "hits = store.search(sys.argv[3], vector, 6, Scope())\n"
        "print(json.dumps([hit.chunk.text for hit in hits]))\nstore.close()"
    )
    question = json.dumps(embedder.embed_query(QUESTION).tolist())
    store = EdgeStore.open(folder)
    before = find(store, embedder, QUESTION)
    done = run_python(program, folder, question, QUESTION)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == before == find(store, embedder, QUESTION)


def test_a_store_that_is_not_there_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        EdgeStore.open(tmp_path / "none")
    assert "bythebook index" in str(caught.value.hint)


def test_a_damaged_store_is_an_error_in_words(folder: Path) -> None:
    for path in folder.rglob("*.json"):
        path.write_text("{")
    with pytest.raises(StoreError, match="cannot be opened"):
        EdgeStore.open(folder)


def test_a_store_cannot_be_made_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexWriteError, match="cannot be written"):
        EdgeStore.create(tmp_path / "file" / "store", 8)

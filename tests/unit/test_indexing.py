from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.embedders.base import Embedder
from bythebook.errors import IndexWriteError, SourceError
from bythebook.indexing import Indexer, IndexReport
from bythebook.lexicon import Lexicon
from bythebook.manifest import read_manifest
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import Chunk, Query
from tests.builders import CountingEmbedder, write_files

PAGES = {
    "nodes.md": "# Nodes\n\nA node is a process.\n\n## Life\n\nA node starts and ends.\n",
    "topics.md": "# Topics\n\nA topic is a named channel that carries messages.\n",
    "arms.md": "# Arms\n\nAn arm has joints that motors turn.\n",
}
WriteBook = Callable[[Mapping[str, str | bytes]], Path]


class Shelf:
    """One book, its index, and an embedder that counts."""

    def __init__(self, root: Path, folder: Path, real: Embedder) -> None:
        self.root, self.folder = root, folder
        self.embedder = CountingEmbedder(real)

    def index(self, **files: str) -> IndexReport:
        write_files(self.root, {name.replace("_md", ".md"): text for name, text in files.items()})
        self.embedder.embedded.clear()
        source = make_source(self.root)
        return Indexer(self.embedder).index(source, FolderShelf(self.folder), origin="book")

    def chunks(self) -> dict[str, Chunk]:
        assistant = open_assistant(load_settings(index=self.folder))
        try:
            query = Query(text="a node, a topic, an arm", top_k=100)
            hits = asyncio.run(assistant.search(query)).hits
        finally:
            assistant.close()
        return {hit.chunk.text: hit.chunk for hit in hits}


@pytest.fixture
def shelf(write_book: WriteBook, tmp_path: Path, embedder: Embedder) -> Shelf:
    shelf = Shelf(write_book(PAGES), tmp_path / "index", embedder)
    shelf.index()
    return shelf


def test_a_first_index_embeds_every_passage(shelf: Shelf) -> None:
    manifest = read_manifest(shelf.folder)
    assert manifest.chunks == len(shelf.chunks()) == 4
    assert {page.path for page in manifest.pages} == set(PAGES)
    assert sum(page.chunks for page in manifest.pages) == manifest.chunks
    assert len(shelf.embedder.embedded) == 4


def test_an_unchanged_book_is_not_built_again(shelf: Shelf) -> None:
    before = read_manifest(shelf.folder)
    report = shelf.index()
    assert report.is_unchanged
    assert shelf.embedder.embedded == []
    assert read_manifest(shelf.folder) == before


def test_a_changed_page_embeds_only_the_passages_that_changed(shelf: Shelf) -> None:
    changed = PAGES["nodes.md"].replace("starts and ends", "starts, runs and ends")
    report = shelf.index(nodes_md=changed)
    assert (report.embedded, report.reused, report.removed) == (1, 3, 1)
    assert len(shelf.embedder.embedded) == 1
    assert "starts, runs and ends" in shelf.embedder.embedded[0]
    assert "A node starts, runs and ends." in shelf.chunks()


def test_the_vectors_that_are_reused_are_those_of_their_own_passages(shelf: Shelf) -> None:
    shelf.index(topics_md="# Topics\n\nSomething new stands here now.\n")
    name = read_manifest(shelf.folder).generation
    with np.load(FolderShelf(shelf.folder).generation(name) / "vectors.npz") as stored:
        reused = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
    fresh_folder = shelf.folder.with_name("fresh")
    Indexer(shelf.embedder).index(make_source(shelf.root), FolderShelf(fresh_folder))
    name = read_manifest(fresh_folder).generation
    with np.load(FolderShelf(fresh_folder).generation(name) / "vectors.npz") as stored:
        fresh = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
    assert reused.keys() == fresh.keys()
    for key, vector in reused.items():
        np.testing.assert_allclose(vector, fresh[key], atol=0.02)


def test_a_removed_page_disappears(shelf: Shelf) -> None:
    (shelf.root / "arms.md").unlink()
    report = shelf.index()
    assert report.removed == 1
    assert not any("joints" in text for text in shelf.chunks())
    assert {page.path for page in report.manifest.pages} == {"nodes.md", "topics.md"}


def test_passages_keep_their_ids_when_another_page_changes(shelf: Shelf) -> None:
    before = shelf.chunks()
    shelf.index(arms_md="# Arms\n\nNew words only.\n", new_md="# New\n\nA new page.\n")
    after = shelf.chunks()
    kept = [text for text in before if "joints" not in text]
    assert len(kept) == 3
    assert all(after[text].id == before[text].id for text in kept)


def test_only_the_generation_in_use_stays(shelf: Shelf) -> None:
    shelf.index(arms_md="# Arms\n\nNew words only.\n")
    names = [path.name for path in (shelf.folder / "generations").iterdir()]
    assert names == [read_manifest(shelf.folder).generation]


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04junk"])
def test_damaged_vectors_are_made_again(shelf: Shelf, content: bytes) -> None:
    name = read_manifest(shelf.folder).generation
    (FolderShelf(shelf.folder).generation(name) / "vectors.npz").write_bytes(content)
    report = shelf.index(arms_md="# Arms\n\nNew words only.\n")
    assert (report.embedded, report.reused) == (4, 0)


@pytest.mark.parametrize("content", ["{", '{"format": 0}'])
def test_an_index_of_another_version_is_built_anew(shelf: Shelf, content: str) -> None:
    (shelf.folder / "index.json").write_text(content)
    assert shelf.index().embedded == 4
    assert len(shelf.chunks()) == 4


def test_a_book_without_text_leaves_the_old_index(shelf: Shelf) -> None:
    before = read_manifest(shelf.folder)
    for path in shelf.root.iterdir():
        path.unlink()
    with pytest.raises(SourceError):
        shelf.index()
    assert read_manifest(shelf.folder) == before
    assert len(shelf.chunks()) == 4


@pytest.mark.parametrize("where", ["vectors", "lexicon", "manifest"])
def test_a_disk_that_fills_up_keeps_the_old_index_whole(
    shelf: Shelf, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_manifest(shelf.folder)

    def fill(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    targets = {
        "vectors": (np, "savez"),
        "lexicon": (Lexicon, "to_json"),
        "manifest": (os, "fsync"),
    }
    write_files(shelf.root, {"arms.md": "# Arms\n\nNew words only.\n"})
    with monkeypatch.context() as patch:
        patch.setattr(*targets[where], fill)
        with pytest.raises(IndexWriteError, match="disk is full"):
            shelf.index()
    assert read_manifest(shelf.folder) == before
    assert any("joints" in text for text in shelf.chunks())
    assert shelf.index().embedded == 1
    assert len(list((shelf.folder / "generations").iterdir())) == 1


def test_the_stages_are_told_to_whoever_listens(shelf: Shelf) -> None:
    heard: list[tuple[str, int]] = []

    class Listener:
        def start(self, stage: str, total: int) -> None:
            heard.append((stage, total))

        def advance(self, steps: int) -> None:
            stage, left = heard[-1]
            heard[-1] = (stage, left - steps)

    source = make_source(shelf.root, title="Another title")
    other = FolderShelf(shelf.folder.with_name("other"))
    Indexer(shelf.embedder).index(source, other, reporter=Listener())
    assert heard == [("Reading", 0), ("Chunking", 0), ("Embedding", 0), ("Writing", 0)]

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from bythebook.assembly import make_source
from bythebook.embedders.base import Embedder
from bythebook.errors import IndexBusyError, IndexWriteError
from bythebook.indexing import Indexer
from bythebook.shelves.folder import FolderShelf
from tests.builders import write_files

PAGE = {"robot.md": "# Robot\n\nThe robot weighs 40 kg.\n"}


@pytest.fixture
def filled(tmp_path: Path, embedder: Embedder) -> FolderShelf:
    shelf = FolderShelf(tmp_path / "index")
    Indexer(embedder).index(make_source(write_files(tmp_path / "book", PAGE)), shelf)
    return shelf


def test_tidying_keeps_the_generation_in_use(filled: FolderShelf) -> None:
    manifest = filled.manifest()
    for name in ("left", "behind"):
        filled.generation(name).mkdir()
        (filled.generation(name) / "lexicon.json").write_text("{}")
    filled.tidy(manifest)
    assert list((filled.folder / "generations").iterdir()) == [
        filled.generation(manifest.generation)
    ]


def test_building_names_its_process_while_it_lasts(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path / "new" / "index")
    with shelf.building():
        holder = json.loads((shelf.folder / "indexing.json").read_text())
        assert holder == {"pid": os.getpid()}
    assert not (shelf.folder / "indexing.json").exists()


def test_a_second_builder_is_turned_away_with_the_process_that_builds(tmp_path: Path) -> None:
    busy = pytest.raises(IndexBusyError, match=f"process {os.getpid()}")
    with FolderShelf(tmp_path).building(), busy, FolderShelf(tmp_path).building():
        pytest.fail("two builders at once")
    with FolderShelf(tmp_path).building():
        pass


def test_an_index_is_free_again_after_a_build_that_failed(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), FolderShelf(tmp_path).building():
        raise ZeroDivisionError
    with FolderShelf(tmp_path).building():
        pass


def test_a_folder_below_a_file_cannot_be_built_in(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = pytest.raises(IndexWriteError, match="cannot be written")
    with refused as caught, FolderShelf(tmp_path / "file" / "index").building():
        pytest.fail("built below a file")
    assert "--index" in str(caught.value.hint)


def test_too_little_room_is_told_before_the_engine_starts_and_leaves_nothing(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = FolderShelf(tmp_path / "index")
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(IndexWriteError, match="the disk is full") as caught:
        Indexer(embedder).index(make_source(write_files(tmp_path / "book", PAGE)), shelf)
    assert "untouched" in str(caught.value.hint)
    assert not list(shelf.folder.glob("generations/*"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EACCES])
def test_a_write_that_fails_is_told_in_words_and_its_generation_removed(
    filled: FolderShelf, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    book = write_files(filled.folder.with_name("book"), {"robot.md": "# Robot\n\nNew words.\n"})
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(IndexWriteError) as caught:
            Indexer(embedder).index(make_source(book), filled)
    assert ("the disk is full" in caught.value.message) == (number != errno.EACCES)
    assert len(list(filled.folder.glob("generations/*"))) == 1

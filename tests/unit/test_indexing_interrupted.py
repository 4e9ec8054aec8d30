"""Killed at any moment, the old index or the new one is there, whole."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.errors import IndexBusyError
from bythebook.indexing import Indexer
from bythebook.manifest import read_manifest
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import Answer, Query
from tests.builders import clean_environment, run_python, write_files

OLD = {"robot.md": "# Robot\n\nThe robot weighs 40 kg.\n\n## Arm\n\nThe arm lifts boxes.\n"}
NEW = {"robot.md": "# Robot\n\nThe robot weighs 55 kg.\n\n## Arm\n\nThe arm lifts boxes.\n"}

DRIVER = """
import os, signal, sys
from pathlib import Path
import bythebook.shelves.folder as shelves
from bythebook.assembly import make_embedder, make_source
from bythebook.indexing import Indexer
from bythebook.settings import load_settings

book, folder, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
die = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
create, save = shelves.EdgeStore.create, shelves.np.savez

def create_and_die(*arguments):
    create(*arguments)
    die()

def save_and_die(*arguments, **named):
    save(*arguments, **named)
    die()

embedder = make_embedder(load_settings())
if moment == "embedding":
    embedder.embed_passages = die
elif moment == "store created":
    shelves.EdgeStore.create = create_and_die
elif moment == "vectors saved":
    shelves.np.savez = save_and_die
elif moment == "manifest not begun":
    shelves.write_manifest = die
elif moment == "manifest not in place":
    os.fsync = die
elif moment == "manifest in place":
    shelves.FolderShelf.tidy = die
Indexer(embedder).index(make_source(book), shelves.FolderShelf(folder))
"""
MOMENTS = {
    "embedding": "40",
    "store created": "40",
    "vectors saved": "40",
    "manifest not begun": "40",
    "manifest not in place": "40",
    "manifest in place": "55",
}


def mass(folder: Path) -> str:
    """Return what the index in a folder says about the mass of the robot."""
    assistant = open_assistant(load_settings(index=folder))
    try:
        outcome = asyncio.run(assistant.ask(Query(text="How much does the robot weigh?")))
    finally:
        assistant.close()
    assert isinstance(outcome.result, Answer)
    return outcome.result.text


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_build_leaves_one_whole_index_and_the_next_one_sweeps(
    moment: str, tmp_path: Path, indexer: Indexer
) -> None:
    book, folder = write_files(tmp_path / "book", OLD), tmp_path / "index"
    indexer.index(make_source(book), FolderShelf(folder))
    write_files(book, NEW)
    done = run_python(DRIVER, book, folder, moment)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert MOMENTS[moment] in mass(folder)

    indexer.index(make_source(book), FolderShelf(folder))
    assert "55" in mass(folder)
    left = [path.name for path in (folder / "generations").iterdir()]
    assert left == [read_manifest(folder).generation]
    assert not list(folder.glob("*.new"))


def test_a_first_build_that_is_killed_leaves_no_index_and_can_be_repeated(
    tmp_path: Path, indexer: Indexer
) -> None:
    book, folder = write_files(tmp_path / "book", OLD), tmp_path / "index"
    run_python(DRIVER, book, folder, "manifest not in place")
    assert not (folder / "index.json").exists()
    indexer.index(make_source(book), FolderShelf(folder))
    assert "40" in mass(folder)


def test_a_book_that_is_open_goes_on_answering_while_a_new_index_is_built(
    tmp_path: Path, indexer: Indexer
) -> None:
    book, folder = write_files(tmp_path / "book", OLD), tmp_path / "index"
    indexer.index(make_source(book), FolderShelf(folder))
    reader = open_assistant(load_settings(index=folder))
    try:
        write_files(book, NEW)
        indexer.index(make_source(book), FolderShelf(folder))
        outcome = asyncio.run(reader.ask(Query(text="How much does the robot weigh?")))
    finally:
        reader.close()
    assert isinstance(outcome.result, Answer)
    assert "40" in outcome.result.text
    assert "55" in mass(folder)


def test_a_second_builder_learns_which_process_holds_the_index(
    tmp_path: Path, indexer: Indexer
) -> None:
    book, folder = write_files(tmp_path / "book", OLD), tmp_path / "index"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys\nfrom pathlib import Path\n"
            "from bythebook.shelves.folder import FolderShelf\n"
            "with FolderShelf(Path(sys.argv[1])).building():\n"
            "    print('held', flush=True)\n    sys.stdin.read()",
            str(folder),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=clean_environment(),
    )
    with holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(IndexBusyError, match=f"process {holder.pid}"):
            indexer.index(make_source(book), FolderShelf(folder))
    indexer.index(make_source(book), FolderShelf(folder))
    assert "40" in mass(folder)


def test_a_builder_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from bythebook.shelves.folder import FolderShelf\n"
        "with FolderShelf(Path(sys.argv[1])).building():\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    run_python(program, tmp_path)
    with FolderShelf(tmp_path).building():
        assert str(os.getpid()) in (tmp_path / "indexing.json").read_text()

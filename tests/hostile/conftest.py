from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.assistant import Assistant
from bythebook.indexing import Indexer
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from tests.builders import BASE_URL
from tests.hostile.book import write_book


@pytest.fixture(scope="session")
def hostile_index(indexer: Indexer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the book with an injection on nearly every page."""
    root = write_book(tmp_path_factory.mktemp("hostile") / "book")
    folder = root.parent / "index"
    source = make_source(root, base_url=BASE_URL)
    indexer.index(source, FolderShelf(folder), origin="hostile", base_url=BASE_URL)
    return folder


@pytest.fixture(scope="session")
def hostile_book(hostile_index: Path) -> Iterator[Assistant]:
    """The assistant of that book."""
    assistant = open_assistant(load_settings(index=hostile_index))
    yield assistant
    assistant.close()

"""Sealed by default: no network but loopback, no settings from outside, a folder of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from bythebook.assembly import make_embedder, make_source, open_assistant
from bythebook.assistant import Assistant
from bythebook.calibration.calibrating import calibrate
from bythebook.embedders.base import Embedder
from bythebook.indexing import Indexer
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from tests.builders import BASE_URL, SAMPLE, write_files

pytest_plugins = ("tests.engines.fixtures",)

# Random tests draw the same examples every time, and none fails for being slow.
settings.register_profile("sealed", deadline=None, derandomize=True, database=None)
settings.load_profile("sealed")

_SETTINGS = (
    "BYTHEBOOK_",
    "QDRANT_",
    "COHERE_",
    "CO_API_",
    "OPENAI_",
    "OPENROUTER_",
    "DATABASE_",
    "REDIS_",
)
_LOOPBACK = ("127.", "::1", "localhost")
_connect = socket.socket.connect


def _connect_nearby(self: socket.socket, address: Any) -> None:
    is_near = self.family == socket.AF_UNIX or str(address[0]).startswith(_LOOPBACK)
    assert is_near, f"a test tried to reach {address!r}"
    _connect(self, address)


@pytest.fixture(scope="session", autouse=True)
def _sealed_session() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _connect_nearby)
        patch.setattr(socket.socket, "connect_ex", _connect_nearby)
        for name in [name for name in os.environ if name.startswith(_SETTINGS)]:
            patch.delenv(name)
        # All tests come from one address; those of the limits set their own.
        patch.setenv("BYTHEBOOK_RATE_LIMIT", "off")
        yield


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The real embedder, loaded once."""
    return make_embedder(load_settings())


@pytest.fixture(scope="session")
def indexer(embedder: Embedder) -> Indexer:
    """What builds an index, with the embedder loaded once."""
    return Indexer(embedder)


@pytest.fixture(scope="session")
def sample_index(indexer: Indexer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index of the sample book."""
    folder = tmp_path_factory.mktemp("sample") / "index"
    source = make_source(SAMPLE, base_url=BASE_URL)
    indexer.index(source, FolderShelf(folder), origin=str(SAMPLE), base_url=BASE_URL)
    return folder


@pytest.fixture(scope="session")
def book(sample_index: Path) -> Iterator[Assistant]:
    """The assistant of the sample book."""
    assistant = open_assistant(load_settings(index=sample_index))
    yield assistant
    assistant.close()


@pytest.fixture(scope="session")
def calibrated_index(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same index with its calibration, as `bythebook index` leaves it."""
    folder = tmp_path_factory.mktemp("calibrated") / "index"
    shutil.copytree(sample_index, folder)
    assistant = open_assistant(load_settings(index=folder))
    asyncio.run(calibrate(assistant, FolderShelf(folder)))
    assistant.close()
    return folder


@pytest.fixture(scope="session")
def calibrated_book(calibrated_index: Path) -> Iterator[Assistant]:
    """The assistant of the sample book as an author has it: calibrated."""
    assistant = open_assistant(load_settings(index=calibrated_index))
    yield assistant
    assistant.close()


@pytest.fixture
def write_book(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Return a function that writes the files of a book and returns its folder."""
    return lambda files: write_files(tmp_path / "book", files)

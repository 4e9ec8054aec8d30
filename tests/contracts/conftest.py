"""Real outcomes: the sample book is indexed once, and each kind of question is asked of it."""

from __future__ import annotations

import asyncio
import copy
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bythebook.assembly import make_indexer, make_source, open_assistant
from bythebook.assistant import Assistant
from bythebook.errors import EmbeddingError, WriterError
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.types import Draft, Outcome, Passage, Query, State

SAMPLE = Path(__file__).parents[2] / "examples" / "physical-ai"
SELECTION = (
    "Reliable delivery resends lost messages until they arrive, while best-effort delivery "
    "sends each message once and forgets it."
)
QUESTION = "What does reliable delivery do in ROS 2 QoS?"


class BrokenWriter:
    """A writer whose service is down, or asks for patience."""

    def __init__(self, retry_after_seconds: float | None = None) -> None:
        self.retry_after_seconds = retry_after_seconds

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:  # noqa: ARG002
        raise WriterError("the model did not answer", retry_after_seconds=self.retry_after_seconds)


class BrokenEmbedder:
    """An embedder whose service is down."""

    def embed_query(self, text: str) -> Any:
        raise EmbeddingError(f"no vector for {text!r}")


class GarbledWriter:
    """A writer whose draft cannot be checked."""

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:  # noqa: ARG002
        return Draft.model_construct(sentences=None, model="garbled", tokens_used=7)


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("contracts") / "index"
    source = make_source(SAMPLE, base_url="https://example.org/book/")
    make_indexer(load_settings(index=folder)).index(source, FolderShelf(folder))
    return folder


@pytest.fixture(scope="session")
def assistant(index: Path) -> Iterator[Assistant]:
    opened = open_assistant(load_settings(index=index))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def closed_assistant(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Assistant:
    folder = tmp_path_factory.mktemp("closed") / "index"
    shutil.copytree(index, folder)
    opened = open_assistant(load_settings(index=folder))
    opened.close()
    return opened


@pytest.fixture(scope="session")
def outcomes(assistant: Assistant, closed_assistant: Assistant) -> dict[str, Outcome]:
    """One real outcome of each kind, by name."""
    queries = {
        "answer": Query(text=QUESTION),
        "module": Query(text=QUESTION, module="ros2"),
        "selected": Query(
            text="What does reliable delivery do?",
            selected_text=SELECTION,
            page_url="https://example.org/book/ros2/dds-and-qos",
        ),
        "empty_retrieval": Query(text=QUESTION, module="ros2", chapter="Glossary"),
        "low_relevance": Query(text=QUESTION, threshold=0.99),
        "insufficient_grounding": Query(text="Who invented quantum chromodynamics?", threshold=0),
        "selected_text_missing": Query(
            text="What is the capital of France?", selected_text=SELECTION
        ),
        "validation": Query(text=QUESTION, module="astrology"),
    }
    asked = {name: asyncio.run(assistant.ask(query)) for name, query in queries.items()}
    broken = {
        "store": closed_assistant,
        "embedding": with_parts(
            assistant,
            _retriever=replace(assistant._retriever, embedder=BrokenEmbedder()),  # type: ignore[arg-type]  # it only fails
        ),
        "writing": with_parts(assistant, _writer=BrokenWriter()),
        "rate_limit": with_parts(assistant, _writer=BrokenWriter(retry_after_seconds=2.5)),
        "checking": with_parts(assistant, _writer=GarbledWriter()),
    }
    for name, failing in broken.items():
        asked[name] = asyncio.run(failing.ask(Query(text=QUESTION)))
    return asked


@pytest.fixture(scope="session")
def streams(assistant: Assistant, closed_assistant: Assistant) -> dict[str, list[State]]:
    """The states the engine really goes through, by the state it ends in."""
    return {
        "complete": _states(assistant, Query(text=QUESTION)),
        "no_results": _states(assistant, Query(text=QUESTION, module="ros2", chapter="Glossary")),
        "low_relevance": _states(assistant, Query(text=QUESTION, threshold=0.99)),
        "low_confidence": _states(
            assistant, Query(text="Who invented quantum chromodynamics?", threshold=0)
        ),
        "retrieval_error": _states(closed_assistant, Query(text=QUESTION)),
        "validation_error": _states(assistant, Query(text="   ")),
    }


def with_parts(assistant: Assistant, **parts: object) -> Assistant:
    """Return the same assistant with some of its parts replaced."""
    other = copy.copy(assistant)
    for name, part in parts.items():
        setattr(other, name, part)
    return other


def _states(assistant: Assistant, query: Query) -> list[State]:
    async def collect() -> list[State]:
        return [step async for step in assistant.stream(query) if isinstance(step, State)]

    return asyncio.run(collect())

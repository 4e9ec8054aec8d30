"""Real engines as fixtures; each starts when the first test asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from bythebook.stores.connection import ServerOptions
from tests.engines.qdrant import MakeOptions, Node, running_cluster, running_server, scratch_folder


@pytest.fixture
def engine_folder() -> Iterator[Path]:
    """A folder for an engine that lives as long as one test."""
    with scratch_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def qdrant() -> Iterator[Node]:
    """A Qdrant server."""
    with scratch_folder() as folder, running_server(folder) as node:
        yield node


@pytest.fixture(scope="session")
def qdrant_cluster() -> Iterator[list[Node]]:
    """Three Qdrant nodes that form a cluster."""
    with scratch_folder() as folder, running_cluster(folder) as nodes:
        yield nodes


_numbers = count()


@pytest.fixture(scope="session")
def server_options(qdrant: Node) -> MakeOptions:
    """Return a function that gives options for the server, each with a name nobody has used."""

    def make(**changes: object) -> ServerOptions:
        given: dict[str, object] = {
            "url": qdrant.url,
            "grpc_port": qdrant.grpc_port,
            "collection": f"book-{next(_numbers)}",
        }
        return ServerOptions(**(given | changes))  # type: ignore[arg-type]  # a test's own changes

    return make

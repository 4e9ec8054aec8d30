"""Real engines as fixtures; each starts when the first test asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from bythebook.stores.connection import ServerOptions
from tests.engines.postgres import Postgres, running_postgres
from tests.engines.qdrant import MakeOptions, Node, running_cluster, running_server, scratch_folder
from tests.engines.redis import RedisServer, running_redis


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


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    with scratch_folder() as folder, running_postgres(folder / "postgres") as server:
        yield server


@pytest.fixture
def postgres(postgres_server: Postgres) -> Iterator[Postgres]:
    """The PostgreSQL server, running when a test begins and for the next one too."""
    postgres_server.start()
    yield postgres_server
    postgres_server.start()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A Redis server."""
    with scratch_folder() as folder, running_redis(folder) as server:
        yield server


@pytest.fixture
def redis(redis_server: RedisServer) -> Iterator[RedisServer]:
    """The Redis server, running and empty when a test begins, and running for the next one too."""
    redis_server.start()
    redis_server.empty()
    yield redis_server
    redis_server.start()


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

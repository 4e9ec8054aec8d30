from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from bythebook.embedders.hosted import HostedEmbedder
from tests.standins.embeddings import EmbeddingService
from tests.standins.hosted import make_hosted
from tests.standins.server import StandInServer

MakeEmbedder = Callable[..., HostedEmbedder]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandInServer]:
    """Both vendors' embedding endpoints on loopback."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with StandInServer(EmbeddingService().endpoints()) as server:
        yield server


@pytest.fixture
def make_embedder(server: StandInServer) -> Iterator[MakeEmbedder]:
    """Return a function that makes embedders for the server, closed at the end."""
    with ExitStack() as stack:

        def make(name: str, **options: object) -> HostedEmbedder:
            return stack.enter_context(closing(make_hosted(name, server, **options)))

        yield make

"""The service as a fixture: one that all tests share, and a maker of special ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bythebook.assembly import open_desk
from bythebook.settings import load_settings
from tests.standins.chat import ChatServer
from tests.web.serving import Service, serving

Serve = Callable[..., Service]


@pytest.fixture(scope="session")
def service(sample_index: Path) -> Iterator[Service]:
    """The service of the sample book, shared: leave nothing behind in it but sessions."""
    with serving(open_desk(load_settings(index=sample_index, rate_limit="off"))) as running:
        yield running


@pytest.fixture
def serve(sample_index: Path) -> Iterator[Serve]:
    """Return a function that starts a service of the sample book with settings of its own."""
    with ExitStack() as stack:

        def start(**settings: object) -> Service:
            # The shared service has the reader; what is tested here is the service around it.
            usual = {"index": sample_index, "rate_limit": "off", "reader": "none"}
            desk = open_desk(load_settings(**(usual | settings)))
            return stack.enter_context(serving(desk))

        yield start


@pytest.fixture
def model() -> Iterator[ChatServer]:
    """A server that stands in for a chat model."""
    with ChatServer() as server:
        yield server


@pytest.fixture
def serve_model(serve: Serve, model: ChatServer) -> Serve:
    """Return a function that starts a service whose answers that model writes."""

    def start(**settings: object) -> Service:
        given: dict[str, object] = {
            "writer": "agent",
            "openai_base_url": model.base_url,
            "openai_api_key": "key-of-the-author",
            "openai_model": "stand-in",
        }
        return serve(**(given | settings))

    return start

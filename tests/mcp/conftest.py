"""The official client, connected to the book over each transport, for tests that do not await."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent, Tool

from bythebook.assembly import open_desk
from bythebook.settings import load_settings
from tests.web.serving import Service, serving

COMMAND = str(Path(sys.executable).with_name("bythebook"))


@dataclass(frozen=True)
class Agent:
    """A connected client; a failed call returns its sentence, not a result."""

    client: Client
    portal: BlockingPortal

    def tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def call(self, tool: str, **arguments: object) -> CallToolResult:
        result: CallToolResult = self.portal.call(self.client.call_tool, tool, arguments)
        return result

    def get(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Return the structured result of a call that must succeed."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    def complaint(self, tool: str, **arguments: object) -> str:
        """Return the sentence of a call that must fail."""
        result = self.call(tool, **arguments)
        assert result.is_error
        assert result.structured_content is None
        return text_of(result)


class Connect(Protocol):
    def __call__(self, server: str | StdioServerParameters, mode: str = "auto") -> Agent: ...


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def launch(index: Path) -> StdioServerParameters:
    """Return how an agent starts the server of an index."""
    env = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    return StdioServerParameters(command=COMMAND, args=["mcp", "--index", str(index)], env=env)


@pytest.fixture(scope="session")
def connect() -> Iterator[Connect]:
    """Return a function that connects the official client; all are closed at the end."""
    with start_blocking_portal() as portal, ExitStack() as stack:

        def open_client(server: str | StdioServerParameters, mode: str = "auto") -> Agent:
            client = Client(server, mode=mode)
            stack.enter_context(portal.wrap_async_context_manager(client))
            return Agent(client, portal)

        yield open_client


@pytest.fixture(scope="session")
def http(sample_index: Path) -> Iterator[Service]:
    """The service of the sample book."""
    with serving(open_desk(load_settings(index=sample_index))) as running:
        yield running


@pytest.fixture(scope="session", params=["stdio", "http"])
def agent(
    request: pytest.FixtureRequest, sample_index: Path, http: Service, connect: Connect
) -> Agent:
    """An agent at work with the sample book."""
    server = launch(sample_index) if request.param == "stdio" else f"{http.url}/mcp"
    return connect(server)

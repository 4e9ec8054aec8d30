"""Serving one book to the program that started us, over standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType

from bythebook.assistant import Assistant
from bythebook.mcp.server import make_server
from bythebook.types import Outcome, Query


class OneBook:
    """An assistant that is open as long as the program runs."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    @asynccontextmanager
    async def borrow(self) -> AsyncIterator[Assistant]:
        """Use the assistant."""
        yield self._assistant

    async def ask(self, query: Query) -> Outcome:
        """Return the outcome of a question."""
        return await self._assistant.ask(query)

    def tell(self, outcome: Outcome) -> None:
        """Keep it to ourselves."""


def serve_stdio(assistant: Assistant) -> None:
    """Serve until the other side closes the connection, or a signal ends the program."""
    asyncio.run(_serve(assistant))


async def _serve(assistant: Assistant) -> None:
    from mcp.server.stdio import stdio_server

    server = make_server(OneBook(assistant), assistant.manifest.title)
    _end_at_signals()
    # While it serves, whatever is printed goes to standard error: the protocol stays clean.
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _end_at_signals() -> None:
    def end(_: int, __: FrameType | None) -> None:
        # A thread waits for the next line of input and nothing can interrupt it, so that an
        # ordinary end would wait for that line too. The book is only read: nothing can be lost.
        os._exit(0)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)

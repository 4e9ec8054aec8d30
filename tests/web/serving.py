"""The real service on a real socket, inside the tests' own process."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from bythebook.web.app import create_app
from bythebook.web.desk import Desk

_PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Service:
    """A running service; `client` talks to it over loopback."""

    url: str
    desk: Desk
    app: FastAPI
    client: httpx.Client
    loop: asyncio.AbstractEventLoop

    def ask(self, question: str, **fields: object) -> httpx.Response:
        return self.client.post("/api/query", json={"query": question, **fields})

    def events(self, question: str, **fields: object) -> list[Event]:
        body = {"query": question, **fields}
        with self.client.stream("POST", "/api/query/stream", json=body) as response:
            assert response.headers["content-type"].startswith("text/event-stream"), response.read()
            return list(read_events(response.iter_lines()))


@dataclass(frozen=True)
class Event:
    """A server-sent event; a comment has the name ":"."""

    name: str
    data: Any


class _Server(uvicorn.Server):
    """Tells when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def serving(desk: Desk) -> Iterator[Service]:
    """Serve a desk on a free port of loopback; the desk is closed at the end."""
    app = create_app(desk)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
    )
    server = _Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert server.is_up.wait(_PATIENCE_SECONDS), "the service did not start"
            assert server.loop
            with httpx.Client(base_url=url, timeout=_PATIENCE_SECONDS) as client:
                yield Service(url, desk, app, client, server.loop)
        finally:
            server.should_exit = True
            thread.join(_PATIENCE_SECONDS)
            assert not thread.is_alive(), "the service did not end"


def read_events(lines: Iterator[str]) -> Iterator[Event]:
    """Yield the events of a stream as they come."""
    name = ""
    for line in lines:
        if line.startswith(":"):
            yield Event(":", line[1:].strip())
        elif line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield Event(name, json.loads(line.removeprefix("data: ")))

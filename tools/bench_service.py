"""Measure the service under load: `bythebook serve` on loopback, asked by many at once.

    python tools/bench_service.py [--seconds 60] [--clients 64] [--book FOLDER] [--json FILE]

The sample book, embedded, one worker, everything as it is by default but the rate limit. First one
client asks alone, then all of them ask without a pause. They live in a process of their own, so
that they do not slow the service down more than other programs of the machine would. Every
question is a new text to the service: what it remembers of earlier questions does not help it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import psutil

ROOT = Path(__file__).parents[1]
SAMPLE_BOOK = ROOT / "examples" / "physical-ai"
QUESTIONS = ROOT / "examples" / "questions.jsonl"

WARM_UP = 100
ALONE = 200

_ADDRESS = re.compile(r"http://[\d.]+:\d+")

Figures = dict[str, float]


def main() -> None:
    """Run the service and its readers, print a table and write JSON."""
    parser = argparse.ArgumentParser(description="Measure the service under load.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--book", type=Path, default=SAMPLE_BOOK)
    parser.add_argument("--json", type=Path, default=Path("bench_service.json"))
    parser.add_argument("--load", nargs=2, metavar=("URL", "REQUESTS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        url, requests = options.load[0], int(options.load[1])
        print(json.dumps(asyncio.run(ask_all(url, options.clients, options.seconds, requests))))
        return
    figures = measure(options.book, options.clients, options.seconds)
    machine = {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    report = {
        "book": options.book.name,
        "machine": machine,
        "clients": options.clients,
        "seconds": options.seconds,
        "figures": figures,
    }
    options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(
        f"book: {options.book.name}, {options.clients} clients, {options.seconds:g} s, one worker"
    )
    for name, value in figures.items():
        print(f"{name:<34}{value:>12,.1f}")
    if figures["errors"]:
        sys.exit(f"{figures['errors']:.0f} questions failed")


def measure(book: Path, clients: int, seconds: float) -> Figures:
    """Return the figures of one client alone, and of many."""
    with tempfile.TemporaryDirectory() as folder, serving(book, Path(folder)) as (url, process):
        run_load(url, clients=1, seconds=60, requests=WARM_UP)
        alone = run_load(url, clients=1, seconds=60, requests=ALONE)
        run_load(url, clients, seconds=min(5.0, seconds), requests=0)
        before, cpu = memory(process), process.cpu_times()
        crowd = run_load(url, clients, seconds, requests=0)
        after, used = memory(process), process.cpu_times()
    busy = (used.user + used.system) - (cpu.user + cpu.system)
    return {
        "one client: p50 ms": alone["p50 ms"],
        "one client: p95 ms": alone["p95 ms"],
        "answers/s": crowd["answers/s"],
        "p50 ms": crowd["p50 ms"],
        "p95 ms": crowd["p95 ms"],
        "p99 ms": crowd["p99 ms"],
        "slowest ms": crowd["slowest ms"],
        "errors": alone["errors"] + crowd["errors"],
        "answers": crowd["answers"],
        "memory before MB": before,
        "memory after MB": after,
        "memory growth MB": after - before,
        "cores used by the service": busy / crowd["seconds"],
        "cores used by the clients": crowd["cores"],
    }


@contextmanager
def serving(book: Path, folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Index a book and serve it for as long as the block lasts."""
    program = str(Path(sys.executable).with_name("bythebook"))
    index = ["--index", str(folder / "index")]
    subprocess.run(
        [program, "index", str(book), *index, "--base-url", "https://example.org/"],
        check=True,
        capture_output=True,
    )
    with subprocess.Popen(
        [program, "serve", "--port", "0", *index],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"BYTHEBOOK_RATE_LIMIT": "off"},
    ) as process:
        assert process.stderr  # noqa: S101  # it is a pipe
        found = _ADDRESS.search(process.stderr.readline())
        # The log has a line for each request, and a pipe nobody reads blocks its writer.
        drain = threading.Thread(target=_drain, args=(process.stderr,), daemon=True)
        drain.start()
        try:
            if found is None:
                raise SystemExit("the service did not start")
            yield found.group(), psutil.Process(process.pid)
        finally:
            process.terminate()
            process.wait(60)


def _drain(stream: Iterator[str]) -> None:
    for _ in stream:
        pass


def memory(process: psutil.Process) -> float:
    """Return what a process holds in memory, in megabytes."""
    return float(process.memory_info().rss / 1e6)


def run_load(url: str, clients: int, seconds: float, requests: int) -> Figures:
    """Ask from a process of its own; 0 requests go on until the time is over."""
    arguments = ["--clients", str(clients), "--seconds", str(seconds), "--load", url, str(requests)]
    done = subprocess.run(
        [sys.executable, __file__, *arguments], check=True, capture_output=True, text=True
    )
    figures: Figures = json.loads(done.stdout)
    return figures


# --- in the process of the clients -----------------------------------------------------------


async def ask_all(url: str, clients: int, seconds: float, requests: int) -> Figures:
    """Let clients ask one question after the other, and return how long the answers took."""
    place = urlsplit(url)
    texts = new_questions()
    times: list[float] = []
    errors: list[str] = []
    begin, cpu = perf_counter(), os.times()

    async def client() -> None:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        while perf_counter() - begin < seconds and (not requests or len(times) < requests):
            asked = perf_counter()
            problem = await ask(reader, writer, next(texts))
            times.append(perf_counter() - asked)
            if problem:
                errors.append(problem)
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    took, used = perf_counter() - begin, os.times()
    if errors:
        sys.stderr.write(f"{errors[0]}\n")
    spread = statistics.quantiles([1000 * each for each in times], n=100)
    return {
        "answers": len(times),
        "answers/s": len(times) / took,
        "p50 ms": spread[49],
        "p95 ms": spread[94],
        "p99 ms": spread[98],
        "slowest ms": 1000 * max(times),
        "errors": len(errors),
        "seconds": took,
        "cores": ((used.user + used.system) - (cpu.user + cpu.system)) / took,
    }


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, text: str) -> str | None:
    """Ask one question over a connection that stays open; return what was wrong, if anything."""
    body = json.dumps({"query": text}).encode()
    writer.write(
        b"POST /api/query HTTP/1.1\r\nHost: book\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    )
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    answer = await reader.readexactly(int(length[1])) if length else b""
    if head.startswith(b"HTTP/1.1 200") and answer.startswith(
        (b'{"status":"suc', b'{"status":"ref')
    ):
        return None
    return (head.splitlines()[0] + b" " + answer[:200]).decode()


def new_questions() -> Iterator[str]:
    """Yield the questions of the sample again and again, with other spaces between their words."""
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    questions = [str(json.loads(line)["question"]) for line in lines]
    salt = int.from_bytes(os.urandom(2))
    for number in count():
        words = questions[number % len(questions)].split()
        yield _spaced(words, salt + number // len(questions))


def _spaced(words: list[str], number: int) -> str:
    gaps = (1 + (number >> place & 3) for place in range(0, 2 * len(words), 2))
    return "".join(word + " " * gap for word, gap in zip(words, gaps, strict=True)).strip()


if __name__ == "__main__":
    main()

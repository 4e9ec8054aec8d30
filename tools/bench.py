"""Measure indexing, asking and searching, print a table and write bench.json.

    python tools/bench.py [--book FOLDER] [--json FILE]

The book is `../shared/data/books/rust-book` where it is present, the sample book elsewhere. Each
row is measured in a process of its own, so that peak memory belongs to that row alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).parents[1]
SAMPLE_BOOK = ROOT / "examples" / "physical-ai"
LARGE_BOOK = ROOT.parent / "shared" / "data" / "books" / "rust-book"

# Questions that any book on programming or robotics answers or refuses; each is asked in turn.
QUESTIONS = (
    "What is ownership?",
    "How do I create a new package?",
    "Why does the compiler refuse this program?",
    "What is the difference between a reference and a pointer?",
    "How many bytes does a character take?",
    "Which command runs the tests?",
    "What is the weather in Paris today?",
    "How are errors handled?",
    "When should I use a thread?",
    "What does a publisher do?",
)
ROUNDS = 10
COLD_RUNS = 5

Figures = dict[str, float]


def main() -> None:
    """Run every measurement, each in its own process."""
    parser = argparse.ArgumentParser(description="Measure bythebook.")
    parser.add_argument("--book", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=Path("bench.json"))
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, book, index = options.measure
        print(json.dumps(MEASUREMENTS[name](Path(book), Path(index))))
        return
    book = options.book or (LARGE_BOOK if LARGE_BOOK.is_dir() else SAMPLE_BOOK)
    with tempfile.TemporaryDirectory() as folder:
        figures = {name: _run(name, book, Path(folder) / "index") for name in MEASUREMENTS}
    machine = {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()}
    report = {"book": book.name, "machine": machine, "figures": figures}
    options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    _print_table(book.name, figures)


def _run(name: str, book: Path, index: Path) -> Figures:
    command = [sys.executable, __file__, "--measure", name, str(book), str(index)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure_index(book: Path, index: Path) -> Figures:
    """Index a whole book."""
    from bythebook.assembly import make_indexer, make_shelf, make_source
    from bythebook.settings import load_settings

    settings = load_settings(index=index)
    indexer = make_indexer(settings)
    begin = perf_counter()
    report = indexer.index(make_source(book), make_shelf(settings))
    seconds = perf_counter() - begin
    size = sum(path.stat().st_blocks * 512 for path in index.rglob("*") if path.is_file())
    return {
        "chunks": report.manifest.chunks,
        "tokens per chunk": report.manifest.tokens / report.manifest.chunks,
        "seconds": seconds,
        "chunks per second": report.manifest.chunks / seconds,
        "index MB": size / 1e6,
        "peak MB": _peak_megabytes(),
    }


def measure_reindex(book: Path, index: Path) -> Figures:
    """Index a book again with one page changed."""
    import shutil

    from bythebook.assembly import make_indexer, make_shelf, make_source
    from bythebook.settings import load_settings

    copy = index.parent / "book"
    shutil.copytree(book, copy, dirs_exist_ok=True)
    pages = [page for page in sorted(copy.rglob("*.md")) if page.name != "SUMMARY.md"]
    page = pages[len(pages) // 2]
    page.write_text(page.read_text(encoding="utf-8") + "\n\nA new last line.\n", encoding="utf-8")
    settings = load_settings(index=index)
    begin = perf_counter()
    report = make_indexer(settings).index(make_source(copy), make_shelf(settings))
    return {"embedded": report.embedded, "seconds": perf_counter() - begin}


def measure_cold(_: Path, index: Path) -> Figures:
    """Ask from a new process, as the command line does."""
    command = [sys.executable, "-c", "from bythebook.cli.main import run; run()"]
    command += ["ask", QUESTIONS[0], "--index", str(index)]
    times = []
    for _run_number in range(COLD_RUNS):
        begin = perf_counter()
        subprocess.run(command, check=False, capture_output=True)
        times.append(perf_counter() - begin)
    return {"p50 s": statistics.median(times), "worst s": max(times)}


def measure_warm(_: Path, index: Path) -> Figures:
    """Ask again and again in one process; every round asks in new words."""
    from bythebook import Query, open_book

    assistant = open_book(index)

    async def ask_all() -> list[float]:
        times = []
        for number in range(ROUNDS + 1):
            for question in QUESTIONS:
                text = f"{question[:-1]} ({number})?"
                begin = perf_counter()
                await assistant.ask(Query(text=text))
                times.append((perf_counter() - begin) * 1000)
        return times[len(QUESTIONS) :]  # the first round warms up

    return {**_percentiles(asyncio.run(ask_all())), "peak MB": _peak_megabytes()}


def measure_search(_: Path, index: Path) -> Figures:
    """Search again and again in one process."""
    from bythebook import Query, open_book

    assistant = open_book(index)

    async def search_all() -> list[float]:
        times = []
        for _round in range(ROUNDS + 1):
            for question in QUESTIONS:
                begin = perf_counter()
                await assistant.search(Query(text=question))
                times.append((perf_counter() - begin) * 1000)
        return times[len(QUESTIONS) :]

    return _percentiles(asyncio.run(search_all()))


MEASUREMENTS: dict[str, Callable[[Path, Path], Figures]] = {
    "index": measure_index,
    "reindex one page": measure_reindex,
    "cold ask": measure_cold,
    "warm ask": measure_warm,
    "search": measure_search,
}


def _percentiles(times: list[float]) -> Figures:
    cuts = statistics.quantiles(times, n=20)
    return {"p50 ms": statistics.median(times), "p95 ms": cuts[18]}


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _print_table(book: str, figures: dict[str, Any]) -> None:
    print(f"book: {book}")
    for name, row in figures.items():
        values = "  ".join(f"{key} {value:,.1f}" for key, value in row.items())
        print(f"{name:<18}{values}")


if __name__ == "__main__":
    main()

"""Measure the embedded store against a Qdrant server on the same book.

    python tools/bench_engines.py [--book FOLDER] [--json FILE]

The book is embedded once; then each store writes the same vectors and answers the same questions.
The server is the one the tests use, on loopback.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the engines live with the tests

from bythebook.assembly import make_embedder, make_source  # noqa: E402  # after the path
from bythebook.chunking import Chunker  # noqa: E402
from bythebook.embedders.base import Vectors  # noqa: E402
from bythebook.settings import load_settings  # noqa: E402
from bythebook.stores.base import Scope, Store  # noqa: E402
from bythebook.stores.connection import Connection, ServerOptions  # noqa: E402
from bythebook.stores.edge import EdgeStore  # noqa: E402
from bythebook.stores.server import ServerStore  # noqa: E402
from bythebook.types import Chunk  # noqa: E402
from tests.engines.qdrant import Node, running_server  # noqa: E402

SAMPLE_BOOK = ROOT / "examples" / "physical-ai"
LARGE_BOOK = ROOT.parent / "shared" / "data" / "books" / "rust-book"
ROUNDS = 5
LIMIT = 10

Figures = dict[str, float]
Questions = Sequence[tuple[str, Vectors]]


def main() -> None:
    """Embed a book, measure each store, print a table and write JSON."""
    parser = argparse.ArgumentParser(description="Measure the stores.")
    parser.add_argument("--book", type=Path, default=None)
    parser.add_argument("--json", type=Path, default=Path("bench_engines.json"))
    options = parser.parse_args()
    book = options.book or (LARGE_BOOK if LARGE_BOOK.is_dir() else SAMPLE_BOOK)
    chunks, vectors, questions, seconds = embed(book)
    figures: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder) / "node") as node:
        for name, create in stores(Path(folder), node, vectors.shape[1]).items():
            figures[name] = measure(create, chunks, vectors, questions, seconds)
    report = {"book": book.name, "chunks": len(chunks), "figures": figures}
    options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(f"book: {book.name}, {len(chunks)} chunks")
    for name, row in figures.items():
        print(f"{name:<14}" + "  ".join(f"{key} {value:,.1f}" for key, value in row.items()))


def embed(book: Path) -> tuple[list[Chunk], Vectors, Questions, float]:
    """Return the chunks of a book, their vectors, the questions, and how long embedding took."""
    embedder = make_embedder(load_settings())
    chunker = Chunker(embedder.spec.max_tokens, embedder.count_tokens)
    chunks = [chunk for page in make_source(book).read().pages for chunk in chunker.chunk(page)]
    begin = perf_counter()
    vectors = embedder.embed_passages([chunk.embedded_text for chunk in chunks])
    seconds = perf_counter() - begin
    lines = (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [str(json.loads(line)["question"]) for line in lines]
    return chunks, vectors, [(text, embedder.embed_query(text)) for text in texts], seconds


def stores(folder: Path, node: Node, dimensions: int) -> dict[str, Callable[[], Store]]:
    """Return what makes each store, empty."""

    def server(name: str, prefer_grpc: bool) -> Store:
        options = ServerOptions(node.url, grpc_port=node.grpc_port, prefer_grpc=prefer_grpc)
        return ServerStore.create(Connection(options), name, dimensions)

    return {
        "edge": lambda: EdgeStore.create(folder / "edge", dimensions),
        "server http": lambda: server("http", False),
        "server grpc": lambda: server("grpc", True),
    }


def measure(
    create: Callable[[], Store],
    chunks: list[Chunk],
    vectors: Vectors,
    questions: Questions,
    embedding_seconds: float,
) -> Figures:
    """Write a book to a store and ask it everything, again and again."""
    begin = perf_counter()
    store = create()
    store.add(chunks, vectors)
    seconds = perf_counter() - begin
    times = []
    for _ in range(ROUNDS + 1):
        for text, vector in questions:
            begin = perf_counter()
            store.search(text, vector, LIMIT, Scope())
            times.append((perf_counter() - begin) * 1000)
    store.close()
    warm = times[len(questions) :]  # the first round warms up
    return {
        "written/s": len(chunks) / seconds,
        "indexed/s": len(chunks) / (seconds + embedding_seconds),
        "p50 ms": statistics.median(warm),
        "p95 ms": statistics.quantiles(warm, n=20)[18],
    }


if __name__ == "__main__":
    main()

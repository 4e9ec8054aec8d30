"""Small books, pages and chunks for tests, and wrappers around real parts."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bythebook.embedders.base import Embedder, EmbedderSpec, Progress, Vectors
from bythebook.focus import Focus
from bythebook.lexicon import Lexicon
from bythebook.questions import analyse
from bythebook.types import Block, BlockKind, Chunk, Heading, Page, Passage

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "examples" / "physical-ai"
BASE_URL = "https://example.org/book/"

Piece = tuple[BlockKind, str]

P = BlockKind.PARAGRAPH
ITEM = BlockKind.LIST_ITEM
CODE = BlockKind.CODE
HEADER = BlockKind.TABLE_HEADER
ROW = BlockKind.TABLE_ROW
CAPTION = BlockKind.CAPTION
FORMULA = BlockKind.FORMULA
HEADING = BlockKind.HEADING

_TIGHT = {(ITEM, ITEM), (HEADER, ROW), (ROW, ROW)}


def lay_out(pieces: Sequence[Piece]) -> tuple[str, tuple[Block, ...]]:
    """Return pieces as text the way the sources set it, with the blocks that point into it."""
    text = ""
    blocks: list[Block] = []
    for kind, words in pieces:
        if blocks:
            text += "\n" if (blocks[-1].kind, kind) in _TIGHT else "\n\n"
        marker = "-" if kind is ITEM else ""
        text += "- " if kind is ITEM else ""
        blocks.append(Block(kind=kind, start=len(text), end=len(text) + len(words), marker=marker))
        text += words
    return text, tuple(blocks)


def make_page(*pieces: Piece, path: str = "page.md", title: str = "Page") -> Page:
    """Return a page; its headings are all of level two, anchored by their words."""
    text, blocks = lay_out(pieces)
    headings = tuple(
        Heading(
            level=2,
            text=text[b.start : b.end],
            anchor=text[b.start : b.end].lower().replace(" ", "-"),
            start=b.start,
        )
        for b in blocks
        if b.kind is HEADING
    )
    return Page(path=path, title=title, text=text, blocks=blocks, headings=headings)


def make_chunk(*pieces: Piece, **fields: object) -> Chunk:
    """Return a chunk of the given pieces."""
    text, blocks = lay_out(pieces)
    values: dict[str, object] = {
        "id": "chunk-1",
        "text": text,
        "start": 0,
        "end": len(text),
        "index": 0,
        "page_path": "page.md",
        "page_title": "Page",
        "page_url": "https://example.org/page",
        "heading_path": ("Section",),
        "anchor": "section",
        "token_count": max(1, len(text.split())),
        "content_hash": hashlib.sha256(text.encode()).hexdigest(),
        "blocks": blocks,
    }
    return Chunk.model_validate(values | fields)


def make_passage(*pieces: Piece, score: float = 0.8, rank: int = 1, **fields: object) -> Passage:
    """Return a passage with a chunk of the given pieces."""
    return Passage(chunk=make_chunk(*pieces, **fields), score=score, rank=rank)


def make_focus(question: str, lexicon: Lexicon, everyday: frozenset[str] = frozenset()) -> Focus:
    """Return a question seen through a lexicon; words not among the everyday ones are special."""
    return Focus(analyse(question), lexicon, everyday.__contains__)


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder and return the folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


class CountingEmbedder:
    """A real embedder that remembers which passages it was given."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.embedded: list[str] = []

    @property
    def spec(self) -> EmbedderSpec:
        return self._real.spec

    def count_tokens(self, text: str) -> int:
        return self._real.count_tokens(text)

    def embed_passages(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        self.embedded += texts
        return self._real.embed_passages(texts, progress)

    def embed_query(self, text: str) -> Vectors:
        return self._real.embed_query(text)


def run_python(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a small program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(),
    )


def run_command(
    *arguments: str | Path, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the installed command `bythebook` in a process of its own."""
    return subprocess.run(
        [Path(sys.executable).with_name("bythebook"), *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        env=clean_environment() | environment,
    )


def clean_environment() -> dict[str, str]:
    """Return the environment without any setting of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith("BYTHEBOOK_")}

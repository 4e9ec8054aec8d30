"""Which text may answer a question: the whole book, or only what the reader marked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from bythebook.links import web_address
from bythebook.types import SELECTED_CHUNK_ID, Block, BlockKind, Chunk, Passage, Query, Retrieval

SELECTED_SECTION = "Selected text"

_ITEM = re.compile(r"\s*(?P<marker>[-*•]|\d+[.)])\s+")


def selected_passage(text: str, page_url: str | None = None) -> Passage:
    """Return the marked text as the one passage that may answer; its similarity is 1."""
    page_url = web_address(page_url)
    chunk = Chunk(
        id=SELECTED_CHUNK_ID,
        text=text,
        start=0,
        end=len(text),
        index=0,
        page_path=page_url or SELECTED_SECTION,
        page_title=SELECTED_SECTION,
        page_url=page_url,
        heading_path=(SELECTED_SECTION,),
        token_count=max(1, len(text.split())),
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        blocks=tuple(_blocks(text)),
    )
    return Passage(chunk=chunk, score=1.0, rank=1)


def selected_retrieval(query: Query) -> Retrieval:
    """Return the retrieval of a question on marked text: no search, just that text."""
    passages = (selected_passage(query.selected_text or "", query.page_url),)
    return Retrieval(passages=passages, total_candidates=1, threshold=0.0)


def _blocks(text: str) -> Iterator[Block]:
    """Yield each line as a paragraph or a list item, since marked text has lost its structure."""
    start = 0
    for line in text.splitlines(keepends=True):
        end = start + len(line.rstrip())
        item = _ITEM.match(line)
        if item:
            first, marker = start + item.end(), item["marker"]
            kind = BlockKind.LIST_ITEM
        else:
            first, marker = start + len(line) - len(line.lstrip()), ""
            kind = BlockKind.PARAGRAPH
        if first < end:
            yield Block(kind=kind, start=first, end=end, marker=marker)
        start += len(line)

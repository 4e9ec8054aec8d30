"""Links that open a book at the cited words: page, heading anchor and text fragment.

A page's address comes from the book, from a collection that others filled, or from whoever asks. It
becomes a link only when it is one of the web: nothing that runs, and nothing that ends a link.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from bythebook.types import BlockKind, Chunk

# A browser finds a fragment by its first and last words; more make the link long and brittle.
_EDGE_WORDS = 5
_SHORT_WORDS = 12
_WEB = re.compile(r"https?://[^\s/]", re.IGNORECASE)
_NOT_IN_AN_ADDRESS = re.compile(r"[\x00-\x20\x7f-\xa0\"'<>\\^`{|}()\[\]]|[^\x00-\uffff]|\s")
_MARKER = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def deep_link(chunk: Chunk, start: int, end: int) -> str | None:
    """Return the address of a span of a chunk, relative to the book when it has no URL.

    Marked text that came without its page has no address.
    """
    page = web_address(chunk.page_url)
    if chunk.is_selection and page is None:
        return None
    page = page or quote(chunk.page_path)
    if chunk.page_number is not None:
        return f"{page}#page={chunk.page_number}"
    return f"{page}#{quote(chunk.anchor)}:~:text={_fragment(chunk, start, end)}"


def section_link(chunk: Chunk) -> str | None:
    """Return the address of the section a chunk stands in, if the book has a URL."""
    page = web_address(chunk.page_url)
    if page is None:
        return None
    return f"{page}#{quote(chunk.anchor)}" if chunk.anchor else page


def web_address(url: str | None) -> str | None:
    """Return an address that a browser may open, signs that could end a link written as codes."""
    if url is None or not _WEB.match(url):
        return None
    return _NOT_IN_AN_ADDRESS.sub(lambda sign: quote(sign[0], safe=""), url)


def _fragment(chunk: Chunk, start: int, end: int) -> str:
    excerpt = chunk.text[start:end].strip()
    if _is_row(chunk, start):
        cells = [cell.strip() for cell in re.split(r" \| |\n", excerpt) if cell.strip()]
        first, last = cells[0], cells[-1]
        return _encode(first) if first == last else f"{_encode(first)},{_encode(last)}"
    # Neither end of a fragment may reach over a line break, so each is taken from one line.
    lines = [_MARKER.sub("", line).strip() for line in excerpt.splitlines() if line.strip()]
    opening, closing = lines[0].split(), lines[-1].split()
    if len(lines) == 1 and len(opening) <= _SHORT_WORDS:
        return _encode(" ".join(opening))
    ends = " ".join(opening[:_EDGE_WORDS]), " ".join(closing[-_EDGE_WORDS:])
    return f"{_encode(ends[0])},{_encode(ends[1])}"


def _is_row(chunk: Chunk, start: int) -> bool:
    rows = (BlockKind.TABLE_ROW, BlockKind.TABLE_HEADER)
    return any(b.kind in rows and b.start <= start < b.end for b in chunk.blocks)


def _encode(text: str) -> str:
    # A hyphen and a comma mean something in a fragment, so they too are written as codes.
    return quote(text, safe="").replace("-", "%2D")

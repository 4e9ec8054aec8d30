"""A page's text put together again from its chunks, with the sections it has.

An index keeps chunks, not pages. What stands between two chunks of a page is not kept either, but
it is known: the offsets say how long it is, the heading paths which headings are in it, and the
first block of a chunk whether a list marker stands before it. Only a heading with nothing at all
under it leaves no trace, and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bythebook.types import Block, BlockKind, Chunk

_ROWS = (BlockKind.TABLE_ROW, BlockKind.TABLE_HEADER)
_BREAK = "\n\n"


@dataclass(frozen=True)
class Section:
    """A stretch of a page under one heading, with the sections below it.

    `start` and `end` point into the page's text, behind the heading. The page itself is the section
    with an empty path. A heading that has text only below its subheadings has no known anchor.
    """

    heading_path: tuple[str, ...]
    anchor: str | None
    start: int
    end: int


@dataclass(frozen=True)
class PageText:
    """A page's text and its sections in reading order, the page as a whole first."""

    text: str
    sections: tuple[Section, ...]


@dataclass
class _Open:
    """A section whose end is not reached yet."""

    heading_path: tuple[str, ...]
    anchor: str | None
    start: int
    end: int = 0


@dataclass
class _Page:
    """The text as it grows."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    sections: list[_Open] = field(default_factory=list)
    trail: list[_Open] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def open(self, path: tuple[str, ...], anchor: str | None) -> None:
        section = _Open(path, anchor, self.length)
        self.sections.append(section)
        self.trail.append(section)

    def close(self, depth: int) -> None:
        """End the sections that lie deeper than a depth; the page itself has depth 0."""
        while len(self.trail) > depth + 1:
            self.trail.pop().end = self.length


def assemble(chunks: Sequence[Chunk]) -> PageText:
    """Return the text of a page from all its chunks in order."""
    page = _Page()
    page.open((), "")
    before: Chunk | None = None
    for chunk in chunks:
        kept = _shared_depth(before, chunk)
        page.close(kept)
        if kept < len(chunk.heading_path):
            _write_headings(page, chunk, kept)
            page.write(_marker(chunk))
        else:
            page.write(_gap(before, chunk))
        page.write(chunk.text[len(chunk.lead) :])
        before = chunk
    page.close(-1)
    found = [Section(s.heading_path, s.anchor, s.start, s.end) for s in page.sections]
    return PageText("".join(page.parts), tuple(found))


def _shared_depth(before: Chunk | None, chunk: Chunk) -> int:
    """Return how many headings above a chunk were open already."""
    if before is None:
        return 0
    depth = 0
    for old, new in zip(before.heading_path, chunk.heading_path, strict=False):
        if old != new:
            break
        depth += 1
    # Of the same name, but another one: "Example" and once more "Example" under one heading.
    is_namesake = depth == len(chunk.heading_path) and before.anchor != chunk.anchor
    return max(0, depth - 1) if is_namesake else depth


def _write_headings(page: _Page, chunk: Chunk, kept: int) -> None:
    path = chunk.heading_path
    page.write(_BREAK if page.length else "")
    for depth in range(kept + 1, len(path) + 1):
        page.write(path[depth - 1] + _BREAK)
        page.open(path[:depth], chunk.anchor if depth == len(path) else None)


def _gap(before: Chunk | None, chunk: Chunk) -> str:
    """Return what stands between two chunks of one section."""
    marker = _marker(chunk)
    if before is None:
        return marker
    width = chunk.start - before.end
    if width < 0:
        return _BREAK  # a collection of another program has no offsets
    if marker and width > len(marker):
        return "\n" * (width - len(marker)) + marker
    if width == 1:  # between two rows, or between two sentences of one paragraph
        block = _first_block(chunk)
        return "\n" if block and block.kind in _ROWS else " "
    return "\n" * width


def _marker(chunk: Chunk) -> str:
    """Return the marker of the list item that a chunk begins with."""
    block = _first_block(chunk)
    if block is None or block.kind is not BlockKind.LIST_ITEM or not block.marker:
        return ""
    return f"{'  ' * block.depth}{block.marker} "


def _first_block(chunk: Chunk) -> Block | None:
    own = chunk.blocks[1:] if chunk.lead else chunk.blocks
    return own[0] if own else None

"""Cutting pages into chunks that fit the embedder's window.

A section is taken apart into *pieces* that stay whole: a list or a table with the sentence that
announces it, a code block with the sentence before it, a paragraph. Pieces are packed, in order
and never across a heading, until the window is full. A piece that is longer than the window comes
apart between items, rows and sentences. Only a code block, a row or a sentence that is longer by
itself makes a longer chunk, which the embedder then reads in parts.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid5

from bythebook.sentences import points_ahead, split_sentences
from bythebook.types import Block, BlockKind, Chunk, Heading, Page

CountTokens = Callable[[str], int]

# Changing this changes every chunk id of every index.
_NAMESPACE = UUID("6f1b7c1e-6d2f-5b0e-9a51-6b7974686562")

# A heading path may take this share of the window at the most; the rest belongs to the text.
_CONTEXT_SHARE = 0.25
_SPECIAL_TOKENS = 2

_LEADS_INTO_NEXT = frozenset({BlockKind.CAPTION, BlockKind.TABLE_HEADER})
_STANDS_ON_LEAD = frozenset({BlockKind.CODE, BlockKind.FORMULA})
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_IN_A_LIST = frozenset({BlockKind.LIST_ITEM, BlockKind.CODE})

Bond = Callable[[str, Block, Block], bool]


@dataclass(frozen=True)
class _Section:
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class _Piece:
    """A stretch of the page that is never cut; `lead` is repeated when it opens a chunk."""

    start: int
    end: int
    lead: str = ""


@dataclass
class Chunker:
    """Cuts pages; one chunker serves a whole book so that equal passages get distinct ids."""

    max_tokens: int
    count_tokens: CountTokens
    _seen: Counter[str] = field(default_factory=Counter)

    def chunk(self, page: Page) -> list[Chunk]:
        """Return the chunks of a page in order."""
        chunks: list[Chunk] = []
        for section in _sections(page):
            budget = self._budget(page, section)
            for start, end, lead in self._pack(page, section, budget):
                chunks.append(self._make(page, section, len(chunks), start, end, lead))
        return chunks

    def _budget(self, page: Page, section: _Section) -> int:
        context = self.count_tokens(" > ".join([page.title, *(h.text for h in section.headings)]))
        return (
            self.max_tokens - _SPECIAL_TOKENS - min(context, int(self.max_tokens * _CONTEXT_SHARE))
        )

    def _pack(self, page: Page, section: _Section, budget: int) -> Iterator[tuple[int, int, str]]:
        start, end, lead, used = 0, 0, "", 0
        for piece in self._pieces(page, section, budget):
            begin = end if used else piece.start  # what stands between two pieces counts as well
            size = self.count_tokens(page.text[begin : piece.end])
            if used and used + size > budget:
                yield start, end, lead
                used = 0
            if not used:
                size = self.count_tokens(page.text[piece.start : piece.end])
                start, lead = piece.start, piece.lead
                used = self.count_tokens(lead) if lead else 0
            end = piece.end
            used += size
        if used:
            yield start, end, lead

    def _pieces(self, page: Page, section: _Section, budget: int) -> Iterator[_Piece]:
        for group in _groups(page.text, section.blocks, _reads_together):
            if self._size(page, group) <= budget:
                yield _Piece(group[0].start, group[-1].end)
            else:
                yield from self._loosened(page, group, budget)

    def _loosened(self, page: Page, group: Sequence[Block], budget: int) -> Iterator[_Piece]:
        """Cut a group that is longer than the window; later rows bring their header along."""
        header = next((b for b in group if b.kind is BlockKind.TABLE_HEADER), None)
        for part in _groups(page.text, group, _cannot_part):
            is_later_row = header is not None and part[0].kind is BlockKind.TABLE_ROW
            lead = f"{page.text[header.start : header.end]}\n" if header and is_later_row else ""
            if self._size(page, part) <= budget:
                yield _Piece(part[0].start, part[-1].end, lead)
            else:
                yield from _between_sentences(page.text, part, lead)

    def _size(self, page: Page, blocks: Sequence[Block]) -> int:
        return self.count_tokens(page.text[blocks[0].start : blocks[-1].end])

    def _make(
        self, page: Page, section: _Section, index: int, start: int, end: int, lead: str
    ) -> Chunk:
        text = lead + page.text[start:end]
        path = tuple(heading.text for heading in section.headings)
        content_hash = hashlib.sha256(text.encode()).hexdigest()
        key = "\n".join([page.path, *path, content_hash])
        self._seen[key] += 1
        if self._seen[key] > 1:  # the same words twice under one heading
            key += f"\n{self._seen[key]}"
        return Chunk(
            id=str(uuid5(_NAMESPACE, key)),
            text=text,
            lead=lead,
            start=start,
            end=end,
            index=index,
            page_path=page.path,
            page_title=page.title,
            page_url=page.url,
            page_number=page.number,
            chapter=page.chapter,
            module=page.module,
            heading_path=path,
            anchor=section.headings[-1].anchor if section.headings else "",
            token_count=max(1, self.count_tokens(text)),
            content_hash=content_hash,
            blocks=tuple(_blocks_of(section.blocks, start, end, lead)),
        )


def _sections(page: Page) -> Iterator[_Section]:
    headings = {heading.start: heading for heading in page.headings}
    trail: list[Heading] = []
    blocks: list[Block] = []
    for block in page.blocks:
        if block.kind is not BlockKind.HEADING:
            blocks.append(block)
            continue
        if blocks:
            yield _Section(tuple(trail), tuple(blocks))
            blocks = []
        heading = headings[block.start]
        trail = [above for above in trail if above.level < heading.level] + [heading]
    if blocks:
        yield _Section(tuple(trail), tuple(blocks))


def _groups(text: str, blocks: Sequence[Block], bound: Bond) -> Iterator[list[Block]]:
    """Join neighbours that are bound to each other."""
    group: list[Block] = []
    for block in blocks:
        if group and not bound(text, group[-1], block):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _cannot_part(text: str, before: Block, block: Block) -> bool:
    """What loses its meaning when parted: code and its sentence, a header and its first row."""
    if before.kind in _LEADS_INTO_NEXT:
        return True
    if before.kind not in _PROSE:
        return False
    announces = text[before.start : before.end].endswith(":")
    return block.kind in _STANDS_ON_LEAD or (announces and block.kind is not BlockKind.PARAGRAPH)


def _reads_together(text: str, before: Block, block: Block) -> bool:
    """What is better read in one: a whole list, a whole table, with what announces it."""
    if _cannot_part(text, before, block):
        return True
    if block.kind is BlockKind.TABLE_ROW:
        return before.kind is BlockKind.TABLE_ROW
    if block.kind is BlockKind.LIST_ITEM and before.kind in _IN_A_LIST:
        return True
    follows = block.kind in (BlockKind.LIST_ITEM, BlockKind.TABLE_HEADER)
    return follows and before.kind in _PROSE and points_ahead(text[before.start : before.end])


def _between_sentences(text: str, group: Sequence[Block], lead: str) -> Iterator[_Piece]:
    """Cut between sentences and blocks; what cannot part keeps the last sentence before it."""
    pending: int | None = None
    for position, block in enumerate(group):
        spans = split_sentences(text, block.start, block.end) if block.kind in _PROSE else []
        spans = spans or [(block.start, block.end)]
        is_last_block = position + 1 == len(group)
        for number, (start, end) in enumerate(spans, start=1):
            start = start if pending is None else pending
            if number == len(spans) and not is_last_block:
                pending = start
                continue
            yield _Piece(start, end, lead)
            pending, lead = None, ""


def _blocks_of(blocks: Sequence[Block], start: int, end: int, lead: str) -> Iterator[Block]:
    if lead:
        yield Block(kind=BlockKind.TABLE_HEADER, start=0, end=len(lead) - 1)
    for block in blocks:
        first, last = max(block.start, start), min(block.end, end)
        if first < last:
            part = block.model_copy(update={"start": first, "end": last})
            yield part.shifted(len(lead) - start)

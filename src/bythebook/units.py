"""The smallest parts of a passage that can be quoted: a sentence, an item, a row, a code block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bythebook.sentences import points_ahead, split_sentences
from bythebook.types import Block, BlockKind, Chunk, Passage

_SENTENCES = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_FOLLOWERS = frozenset(
    {BlockKind.LIST_ITEM, BlockKind.CODE, BlockKind.TABLE_HEADER, BlockKind.FORMULA}
)
_SHOWS_A_TABLE = re.compile(
    r"\btable\b|\b(?:shows?|lists?|compares?|summari[sz]es?|gives?)\b", re.IGNORECASE
)
# "The gap has three main sources." before a table or a list of them.
_COUNTS_WHAT_FOLLOWS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|several|[2-9])\s+"
    r"(?:(?!(?:of|for|in|at|on|with|and|or|to|from|by)\s)[\w-]+\s+){0,2}[\w-]+s\.$",
    re.IGNORECASE,
)
_FULL_STOP = re.compile(r"[.!?…][\"'”’)\]]*$")


@dataclass(frozen=True)
class Unit:
    """A quotable span of a passage, with what is needed to understand it alone."""

    passage: Passage
    start: int
    end: int
    block: Block
    position: int  # among the units of its passage
    is_announcement: bool = False  # whether it only announces what follows
    introduced_by: int | None = None  # the position of the unit that announces it
    header: str = ""  # the header row, for a row of a table

    @property
    def text(self) -> str:
        """The words of the book."""
        return self.passage.chunk.text[self.start : self.end]

    @property
    def kind(self) -> BlockKind:
        """What sort of text this is."""
        return self.block.kind

    @property
    def key(self) -> tuple[str, int, int]:
        """What tells this unit from every other."""
        return (self.passage.chunk.id, self.start, self.end)


def units_of(passage: Passage) -> list[Unit]:
    """Return the units of a passage in reading order."""
    units: list[Unit] = []
    leads: list[Unit] = []  # the announcements still open, outermost first
    header = ""
    blocks = _blocks(passage.chunk)
    for number, block in enumerate(blocks):
        # A caption belongs to what follows it.
        after = next((b for b in blocks[number + 1 :] if b.kind is not BlockKind.CAPTION), None)
        if block.kind is BlockKind.TABLE_HEADER:
            header = passage.chunk.text[block.start : block.end]
        for unit in _units_of_block(passage, block, after, len(units)):
            leads = [lead for lead in leads if _still_introduces(lead, unit)]
            units.append(
                replace(
                    unit,
                    introduced_by=leads[-1].position if leads else None,
                    header=header if block.kind is BlockKind.TABLE_ROW else "",
                )
            )
            if unit.is_announcement:
                leads.append(unit)
    return units


def introduced(units: Sequence[Unit], lead: Unit) -> list[Unit]:
    """Return the units that a unit announces, with what those announce in turn."""
    found: list[Unit] = []
    for unit in units:
        if unit.introduced_by == lead.position:
            found.append(unit)
            found += introduced(units, unit) if unit.is_announcement else []
    return found


def _blocks(chunk: Chunk) -> Sequence[Block]:
    return chunk.blocks or (Block(kind=BlockKind.PARAGRAPH, start=0, end=len(chunk.text)),)


def _units_of_block(
    passage: Passage, block: Block, after: Block | None, position: int
) -> Iterator[Unit]:
    text = passage.chunk.text
    if block.kind not in _SENTENCES:
        if block.start < block.end:
            yield Unit(passage, block.start, block.end, block, position)
        return
    spans = split_sentences(text, block.start, block.end)
    for number, (start, end) in enumerate(spans):
        is_last = number + 1 == len(spans)
        announces = is_last and _announces(text[start:end], block, after)
        yield Unit(passage, start, end, block, position + number, is_announcement=announces)


def _announces(sentence: str, block: Block, after: Block | None) -> bool:
    """Tell whether the last sentence of a block stands there for what follows it."""
    if sentence.endswith(":"):
        return True
    if after is None or after.kind not in _FOLLOWERS:
        return False
    if block.kind is BlockKind.LIST_ITEM:
        return after.depth > block.depth
    if after.kind is BlockKind.TABLE_HEADER and _SHOWS_A_TABLE.search(sentence):
        return True
    if after.kind is not BlockKind.CODE and _COUNTS_WHAT_FOLLOWS.search(sentence):
        return True
    return points_ahead(sentence) or not _FULL_STOP.search(sentence)


def _still_introduces(lead: Unit, unit: Unit) -> bool:
    """A new paragraph, or an item beside the announcing one, is announced by it no longer."""
    if unit.kind is BlockKind.PARAGRAPH:
        is_title = unit.is_announcement and not unit.text.endswith(":")
        return unit.block.depth > lead.block.depth or (is_title and lead.text.endswith(":"))
    if unit.kind is BlockKind.LIST_ITEM and lead.kind is BlockKind.LIST_ITEM:
        return unit.block.depth > lead.block.depth
    return True

"""Turning a page of Markdown into readable text with its structure beside it.

The tokens of the page are walked once. Whatever they show is written to the text, and for every
piece it is noted what it is and where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it.token import Token

from bythebook.sources.anchors import Slugger
from bythebook.sources.dialect import Dialect
from bythebook.sources.fences import read_fence
from bythebook.sources.inlines import anchor_text, visible_text
from bythebook.sources.parsing import parse
from bythebook.types import Block, BlockKind, Heading

_TASK_BOX = re.compile(r"\A\[[ xX]\](?: |\Z)")
_FORMULA_LANGUAGES = frozenset({"math", "latex-math", "katex"})
# Rows and items that follow each other stand on neighbouring lines.
_RUNNING_KINDS = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW})


@dataclass(frozen=True)
class Rendered:
    """A page's text with what stands where."""

    text: str
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]


def render(source: str, dialect: Dialect) -> Rendered:
    """Return the readable text of a page."""
    walk = _Walk(dialect)
    for token in parse(source, dialect):
        walk.take(token)
    return Rendered("".join(walk.page.parts), tuple(walk.page.blocks), tuple(walk.headings))


@dataclass
class _PageText:
    """The text as it grows, block by block."""

    parts: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    length: int = 0

    def add(self, kind: BlockKind, text: str, *, lead: str = "", gap: str = "\n\n") -> None:
        """Append a block; the lead stands before it in the text but is no part of it."""
        self.add_block(Block(kind=kind, start=0, end=len(text)), text, lead=lead, gap=gap)

    def add_block(self, block: Block, text: str, *, lead: str = "", gap: str = "\n\n") -> None:
        """Append a block that is described as if its text stood alone."""
        before = (gap if self.blocks else "") + lead
        self.blocks.append(block.shifted(self.length + len(before)))
        self.parts += [before, text]
        self.length += len(before) + len(text)


@dataclass
class _List:
    """A list that is being read; `number` is None for bullets."""

    number: int | None
    is_marker_due: bool = False  # the item's marker still waits for its text

    @property
    def marker(self) -> str:
        return "-" if self.number is None else f"{self.number}."


class _Walk:
    """Reads tokens one after the other and remembers where in the page it is."""

    def __init__(self, dialect: Dialect) -> None:
        self.page = _PageText()
        self.headings: list[Heading] = []
        self._dialect = dialect
        self._slugger = Slugger(dialect.slug)
        self._lists: list[_List] = []
        self._leaf: Token | None = None
        self._cells: list[str] = []
        self._row_kind = BlockKind.TABLE_ROW
        self._follows_closely = False  # the next row or item continues a list or table
        self._readers: dict[str, Callable[[Token], None]] = {
            "bullet_list_open": self._open_list,
            "ordered_list_open": self._open_list,
            "bullet_list_close": self._close_list,
            "ordered_list_close": self._close_list,
            "list_item_open": self._open_item,
            "list_item_close": self._close_item,
            "paragraph_open": self._open_leaf,
            "heading_open": self._open_leaf,
            "caption_open": self._open_leaf,
            "th_open": self._open_leaf,
            "td_open": self._open_leaf,
            "table_open": self._open_table,
            "thead_open": self._open_table_part,
            "tbody_open": self._open_table_part,
            "tr_close": self._close_row,
            "inline": self._read_line,
            "long_line": self._read_line,
            "fence": self._read_code,
            "code_block": self._read_code,
            "math_block": self._read_formula,
            "math_block_label": self._read_formula,
        }

    def take(self, token: Token) -> None:
        """Write what the token shows a reader, if anything."""
        if reader := self._readers.get(token.type):
            reader(token)

    # --- lists

    def _open_list(self, token: Token) -> None:
        if not self._lists:
            self._follows_closely = False
        is_ordered = token.type == "ordered_list_open"
        # The first item counts up to the number the list begins with.
        first = int(token.attrGet("start") or 1) - 1 if is_ordered else None
        self._lists.append(_List(first))

    def _close_list(self, _: Token) -> None:
        self._lists.pop()

    def _open_item(self, _: Token) -> None:
        current = self._lists[-1]
        current.is_marker_due = True
        if current.number is not None:
            current.number += 1

    def _close_item(self, _: Token) -> None:
        self._lists[-1].is_marker_due = False

    @property
    def _depth(self) -> int:
        return max(len(self._lists) - 1, 0)

    # --- tables

    def _open_table(self, _: Token) -> None:
        self._follows_closely = False

    def _open_table_part(self, token: Token) -> None:
        is_head = token.type == "thead_open"
        self._row_kind = BlockKind.TABLE_HEADER if is_head else BlockKind.TABLE_ROW

    def _close_row(self, _: Token) -> None:
        cells, self._cells = self._cells, []
        if any(cells):
            self._add_closely(Block(kind=self._row_kind, start=0, end=0), " | ".join(cells))

    # --- lines of text

    def _open_leaf(self, token: Token) -> None:
        self._leaf = token

    def _read_line(self, token: Token) -> None:
        leaf = self._leaf.type if self._leaf else "paragraph_open"
        text = self._text_of(token)
        if leaf in ("th_open", "td_open"):
            self._cells.append(text)
            return
        if "alert" in token.meta:
            self.page.add(BlockKind.CAPTION, str(token.meta["alert"]))
        if not text:
            return
        if leaf == "heading_open":
            self._add_heading(text, token)
        elif leaf == "caption_open":
            self.page.add(BlockKind.CAPTION, text)
        else:
            self._add_prose(text)

    def _text_of(self, token: Token) -> str:
        if token.type == "long_line":
            return " ".join(token.content.split())
        return visible_text(token.children or [])

    def _add_heading(self, text: str, token: Token) -> None:
        opening = self._leaf
        given = opening.attrGet("id") if opening else None
        anchor = str(given) if given else self._slugger.anchor(anchor_text(token.children or []))
        self.page.add(BlockKind.HEADING, text)
        level = int(opening.tag[1:]) if opening else 1
        start = self.page.blocks[-1].start
        self.headings.append(Heading(level=level, text=text, anchor=anchor, start=start))

    def _add_prose(self, text: str) -> None:
        current = self._lists[-1] if self._lists else None
        if current is None or not current.is_marker_due:
            block = Block(kind=BlockKind.PARAGRAPH, start=0, end=len(text), depth=self._depth)
            self.page.add_block(block, text)
            return
        text = _TASK_BOX.sub("", text)
        if text:
            current.is_marker_due = False
            block = Block(
                kind=BlockKind.LIST_ITEM, start=0, end=0, marker=current.marker, depth=self._depth
            )
            self._add_closely(block, text, lead=f"{'  ' * self._depth}{current.marker} ")

    def _add_closely(self, block: Block, text: str, lead: str = "") -> None:
        is_close = self._follows_closely and self.page.blocks[-1].kind in _RUNNING_KINDS
        gap = "\n" if is_close else "\n\n"
        self.page.add_block(block.model_copy(update={"end": len(text)}), text, lead=lead, gap=gap)
        self._follows_closely = True

    # --- code and formulas

    def _read_code(self, token: Token) -> None:
        fence = read_fence(
            token.info, token.content, hides_rust_lines=self._dialect.hides_rust_lines
        )
        if fence is None:
            return
        if fence.title:
            self.page.add(BlockKind.CAPTION, fence.title)
        if fence.language in _FORMULA_LANGUAGES:
            self.page.add(BlockKind.FORMULA, fence.code.strip())
            return
        block = Block(
            kind=BlockKind.CODE,
            start=0,
            end=len(fence.code),
            depth=self._depth,
            language=fence.language,
        )
        self.page.add_block(block, fence.code)

    def _read_formula(self, token: Token) -> None:
        if formula := token.content.strip():
            self.page.add(BlockKind.FORMULA, formula)

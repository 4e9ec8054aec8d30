"""Markdown-it, set up for the dialects that books are written in."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from bythebook.sources.dialect import Dialect
from bythebook.sources.markup import teach_markup

BlockRule = Callable[[StateBlock, int, int, bool], bool]

# At its own limit markdown-it drops the rest of the page. So quotes and lists stop nesting before,
# and what is nested deeper is text. No person nests this deep.
_MAX_NESTING = 60
_MARKER = r"[ \t]*(?:>|[-+*](?=[ \t]))"
_MARKER_RUN = re.compile(rf"^((?:{_MARKER}){{30}})(?:{_MARKER})+", re.MULTILINE)

# Reading a line can take time in the square of its length; a longer one is taken as it is.
_MAX_LINE = 50_000

_HEADING_ATTRIBUTES = re.compile(
    r"[ \t]*\{(?:/\*[ \t]*)?(?P<given>[#.][^{}*\n]*)(?:\*/)?\}[ \t]*\Z"
)
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|\Z)", re.IGNORECASE)


def parse(source: str, dialect: Dialect) -> list[Token]:
    """Return the tokens of a page."""
    return _parser(dialect).parse(_MARKER_RUN.sub(r"\1", source), {"dialect": dialect})


def parse_line(source: str, dialect: Dialect) -> list[Token]:
    """Return the inline tokens of a single line."""
    return _parser(dialect).parseInline(source, {"dialect": dialect})[0].children or []


@lru_cache(maxsize=8)
def _parser(dialect: Dialect) -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING + 40}).enable(
        ["table", "strikethrough"]
    )
    md.use(dollarmath_plugin)  # only its blocks: formulas inside a line have our own rule
    md.use(footnote_plugin)
    md.block.ruler.at(
        "list", _limited(list_block), {"alt": ["paragraph", "reference", "blockquote"]}
    )
    md.block.ruler.at(
        "blockquote",
        _limited(blockquote),
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )
    if not dialect.has_indented_code:
        md.disable("code")
    teach_markup(md, dialect)
    md.core.ruler.before("inline", "prepare_lines", _prepare_lines)
    return md


def _limited(rule: BlockRule) -> BlockRule:
    """Return the rule of a container that may only be nested so deep."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < _MAX_NESTING and rule(state, start, end, silent)

    return limited


def _prepare_lines(state: StateCore) -> None:
    """Take out of each line what must be gone before its inline Markdown is read."""
    opening: Token | None = None
    for token in state.tokens:
        if token.type == "inline":
            if opening is not None and opening.type == "heading_open":
                _take_heading_attributes(opening, token)
            _take_alert(token)
            if len(token.content) > _MAX_LINE:
                token.type = "long_line"
        opening = token


def _take_heading_attributes(heading: Token, line: Token) -> None:
    """Move `{#id .class}` from a heading's text to its attributes."""
    found = _HEADING_ATTRIBUTES.search(line.content)
    if found is None:
        return
    line.content = line.content[: found.start()]
    for word in found["given"].split():
        if word.startswith("#"):
            heading.attrSet("id", word[1:])


def _take_alert(line: Token) -> None:
    """Note the title of a quote that begins with `[!NOTE]`."""
    if alert := _ALERT.match(line.content):
        line.meta["alert"] = alert[1].capitalize()
        line.content = line.content[alert.end() :]

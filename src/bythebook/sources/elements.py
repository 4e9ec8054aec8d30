"""What an element of HTML or a component shows a reader by itself.

Most show nothing: they are taken out and their content is read on. Captions, headings, tables
and preformatted code are pushed to markdown-it as tokens of their own.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left

from markdown_it.rules_block import StateBlock

from bythebook.sources import jsx

BLOCK_ELEMENTS = frozenset(
    "address article aside blockquote body br button caption center col colgroup dd details dialog"
    " dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html"
    " legend li link main menu nav ol optgroup option p picture pre script section source style"
    " summary svg table tbody td tfoot th thead tr track ul video iframe".split()
)
_CAPTION_ELEMENTS = frozenset({"summary", "figcaption", "caption"})
_CAPTION_CLASSES = frozenset({"caption", "filename"})
_HEADING_ELEMENTS = {f"h{level}": level for level in range(1, 7)}

_ROW = re.compile(r"<tr\b[^>]*>(.*?)(?=<tr\b|</tbody|</thead|\Z)", re.DOTALL | re.IGNORECASE)
_CELL = re.compile(r"<t([hd])\b[^>]*>(.*?)(?=<t[hd]\b|</tr|\Z)", re.DOTALL | re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


def stands_as_block(text: str, tag: jsx.Tag) -> bool:
    """Tell whether a tag at the beginning of a line is no part of a sentence."""
    if tag.name.lower() in BLOCK_ELEMENTS or _is_caption(tag):
        return True
    return (tag.is_component or not tag.name) and not text_follows(text, tag.end)


def text_follows(text: str, position: int) -> bool:
    """Tell whether words stand in the rest of the line."""
    rest = text[position : _end_of_line(text, position)].strip()
    return bool(rest) and not rest.startswith(("<", "{"))


def _is_caption(tag: jsx.Tag) -> bool:
    classes = tag.attributes.get("class") or tag.attributes.get("className") or ""
    return tag.name.lower() in _CAPTION_ELEMENTS or not _CAPTION_CLASSES.isdisjoint(classes.split())


def take_element(state: StateBlock, tag: jsx.Tag, position: int) -> int:
    """Push what a tag shows by itself and return where reading goes on."""
    text, name, line = state.src, tag.name.lower(), line_at(state, position)
    if tag.is_closing:
        return tag.end
    if mute := jsx.scan_mute_element(text, tag):
        return mute
    inner_end, closed = jsx.find_closing(text, tag) if _is_read_whole(tag) else (0, None)
    if closed is None:
        push_caption(state, line, _attribute_caption(tag))
        return tag.end
    inner = text[tag.end : inner_end].strip("\n")
    if not _is_whole(name, inner):
        return tag.end
    if name == "pre":
        _push_code(state, line, inner)
    elif name == "table":
        _push_table(state, line, inner)
    elif name in _HEADING_ELEMENTS:
        _push_heading(state, line, inner, tag)
    else:
        push_caption(state, line, inner.strip().lstrip("# "))
    return closed


def _is_whole(name: str, inner: str) -> bool:
    """Tell whether the content is what the element promises, and no page with a tag missing."""
    if name == "pre":
        return True
    if name == "table":
        return _ROW.search(inner) is not None
    return not re.search(r"\n[ \t]*\n", inner.strip())


def _is_read_whole(tag: jsx.Tag) -> bool:
    name = tag.name.lower()
    return name in ("pre", "table") or name in _HEADING_ELEMENTS or _is_caption(tag)


def _attribute_caption(tag: jsx.Tag) -> str:
    attributes = {key: html.unescape(value) for key, value in tag.attributes.items()}
    if tag.name == "TabItem":
        return attributes.get("label") or attributes.get("value", "")
    if tag.name == "Listing":
        number, caption = attributes.get("number"), attributes.get("caption", "")
        file_name = attributes.get("file-name")
        if number and caption:
            return f"Listing {number}: {caption}"
        return caption or (f"Filename: {file_name}" if file_name else "")
    if tag.name.lower() in ("details", "admonition", "accordion"):
        return attributes.get("title") or attributes.get("summary", "")
    return ""


def push_caption(state: StateBlock, line: int, content: str) -> None:
    """Push a caption unless it is empty."""
    if content.strip():
        _push_inline(state, line, "caption", content)


def _push_heading(state: StateBlock, line: int, content: str, tag: jsx.Tag) -> None:
    _push_inline(
        state, line, "heading", content, tag=tag.name.lower(), anchor=tag.attributes.get("id")
    )


def _push_inline(
    state: StateBlock, line: int, name: str, content: str, tag: str = "", anchor: str | None = None
) -> None:
    opening = state.push(f"{name}_open", tag, 1)
    opening.map = [line, line + 1]
    if anchor:
        opening.attrSet("id", anchor)
    inline = state.push("inline", "", 0)
    inline.content, inline.children, inline.map = content, [], [line, line + 1]
    state.push(f"{name}_close", tag, -1)


def _push_code(state: StateBlock, line: int, inner: str) -> None:
    token = state.push("code_block", "code", 0)
    token.content, token.map = html.unescape(_ANY_TAG.sub("", inner)), [line, line + 1]


def _push_table(state: StateBlock, line: int, inner: str) -> None:
    """Push an HTML table as the tokens a Markdown table makes."""
    state.push("table_open", "table", 1)
    for row in _ROW.findall(inner):
        cells = _CELL.findall(row)
        part = "thead" if all(kind in "hH" for kind, _ in cells) else "tbody"
        state.push(f"{part}_open", part, 1)
        state.push("tr_open", "tr", 1)
        for _, content in cells:
            _push_inline(state, line, "td", " ".join(content.split()))
        state.push("tr_close", "tr", -1)
        state.push(f"{part}_close", part, -1)
    state.push("table_close", "table", -1)


def line_at(state: StateBlock, position: int) -> int:
    """Return the line that a position of the page lies in."""
    return min(bisect_left(state.eMarks, position), state.lineMax - 1)


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end

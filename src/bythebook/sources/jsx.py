"""Recognising what is not prose in a Markdown page: tags, comments, expressions, imports.

Everything here looks at a string from one position on and says where the construct ends, or
None when there is none. Nothing fails on broken markup: what does not close is simply text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# How far a single construct may reach. Comments may be longer, as they are found by a plain search.
MAX_CONSTRUCT = 20_000

# Elements whose content is not for reading.
_MUTE_ELEMENTS = frozenset({"script", "style", "svg", "iframe", "video", "audio", "object", "math"})

_COMMENTS = (("<!--", "-->"), ("{/*", "*/}"))
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?=[\s/>])")
_FRAGMENT = re.compile(r"</?>")
_TAG_END = re.compile(r"\s*(/?)>")
_ATTRIBUTE = re.compile(
    r"""\s+([A-Za-z_:@][\w.:-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`{]+)|(?=(\{))))?"""
)
_BRACE_VALUE = re.compile(r"\s*=?\s*(?=\{)")
_CODE_TOKEN = re.compile(
    r"""
      "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | `(?:[^`\\]|\\.)*(?:`|\Z)   # strings
    | /\*.*?(?:\*/|\Z)                                                      # comments
    | (?P<open>[{(\[]) | (?P<close>[})\]])
    """,
    re.VERBOSE | re.DOTALL,
)
_DECLARATION = re.compile(r"<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<![A-Za-z][^>]*>", re.DOTALL)
_IMPORT = re.compile(r"""import\s+(?:[^;'"]{1,2000}?\sfrom\s+)?(["'])[^"'\n]*\1[^\n]*""")
_EXPORT = re.compile(r"export\s+(?:(?:default|const|let|var|function|class|async)\b|[{*])")
_STRING = re.compile(r"""\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|`([^`\\$]*)`)\s*\Z""")


@dataclass(frozen=True, slots=True)
class Tag:
    """An opening or closing tag of HTML or JSX."""

    name: str
    end: int
    is_closing: bool = False
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def is_component(self) -> bool:
        """Tell whether this is a component such as `Tabs` and no element of HTML."""
        return self.name[:1].isupper() or "." in self.name


def opens_comment(text: str, start: int) -> bool:
    """Tell whether an HTML or MDX comment begins here."""
    return text.startswith(tuple(opener for opener, _ in _COMMENTS), start)


def scan_comment(text: str, start: int) -> int | None:
    """Return where an HTML or MDX comment ends."""
    for opener, closer in _COMMENTS:
        if text.startswith(opener, start):
            end = text.find(closer, start + len(opener))
            return None if end < 0 else end + len(closer)
    return None


def scan_declaration(text: str, start: int) -> int | None:
    """Return where a doctype, CDATA section or processing instruction ends."""
    found = _DECLARATION.match(text, start, start + MAX_CONSTRUCT)
    return found.end() if found else None


def scan_tag(text: str, start: int) -> Tag | None:
    """Return the tag that begins here; its attributes may hold JSX expressions."""
    limit = start + MAX_CONSTRUCT
    if fragment := _FRAGMENT.match(text, start):
        return Tag("", fragment.end())
    opening = _TAG_NAME.match(text, start, limit)
    if opening is None:
        return None
    attributes: dict[str, str] = {}
    position = opening.end()
    while not (end := _TAG_END.match(text, position, limit)):
        found = _ATTRIBUTE.match(text, position, limit)
        if found:
            position = found.end()
            attributes[found[1]] = found[2] or found[3] or found[4] or ""
        elif not _BRACE_VALUE.match(text, position, limit):
            return None
        if found is None or found[5]:
            braces = _BRACE_VALUE.match(text, position, limit)
            closing = scan_braces(text, braces.end()) if braces else None
            if braces is None or closing is None:
                return None
            if found:
                attributes[found[1]] = string_value(text[braces.end() : closing]) or ""
            position = closing
    return Tag(opening[2], end.end(), bool(opening[1]), attributes)


def scan_braces(text: str, start: int) -> int | None:
    """Return where the expression that opens here with a brace is closed."""
    return _scan_brackets(text, start) if text.startswith("{", start) else None


def scan_mute_element(text: str, tag: Tag) -> int | None:
    """Return where an element ends whose content no reader sees, such as `style`."""
    if tag.is_closing or tag.name.lower() not in _MUTE_ELEMENTS:
        return None
    return find_closing(text, tag)[1]


def find_closing(text: str, tag: Tag) -> tuple[int, int | None]:
    """Return where the closing tag begins and ends; no end when it is missing."""
    closing = re.compile(rf"</{re.escape(tag.name)}\s*>", re.IGNORECASE)
    found = closing.search(text, tag.end, tag.end + MAX_CONSTRUCT)
    return (found.start(), found.end()) if found else (tag.end, None)


def scan_module_code(text: str, start: int) -> int | None:
    """Return where an `import` or `export` statement ends, at the end of its line."""
    if found := _IMPORT.match(text, start):
        return found.end()
    if not _EXPORT.match(text, start):
        return None
    position = start
    while position < len(text):
        line_end = _line_end(text, position)
        # A line may open a bracket that closes many lines, and blank lines, later.
        if bracket := re.compile(r"[{(\[]").search(text, position, line_end):
            closed = _scan_brackets(text, bracket.start())
            if closed is None:
                return _paragraph_end(text, start)
            position = closed
            continue
        if text[start:line_end].rstrip().endswith((";", "}", ")", "]")) or _is_last(text, line_end):
            return line_end
        position = line_end + 1
    return len(text)


def string_value(expression: str) -> str | None:
    """Return the text of an expression that is only a string, as in `{' '}`."""
    found = _STRING.match(expression.removeprefix("{").removesuffix("}"))
    return "".join(group or "" for group in found.groups()) if found else None


def _scan_brackets(text: str, start: int) -> int | None:
    depth = 0
    for token in _CODE_TOKEN.finditer(text, start, start + MAX_CONSTRUCT):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _paragraph_end(text: str, position: int) -> int:
    blank = re.compile(r"\n[ \t]*(?:\n|\Z)").search(text, position)
    return blank.start() if blank else len(text)


def _is_last(text: str, line_end: int) -> bool:
    following = text[line_end + 1 : _line_end(text, line_end + 1)]
    return not following.strip()

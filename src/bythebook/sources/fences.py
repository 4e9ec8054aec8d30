"""Code blocks: their language, their title, and the lines that are not meant for readers."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Sources of drawings: a reader sees the picture, never this text.
_DRAWING_LANGUAGES = frozenset({"mermaid", "plantuml", "puml", "dot", "graphviz"})

# A drawing made of characters has this share of lines and arrows among its visible characters;
# program text with a few arrows in its comments stays well below.
_DIAGRAM_SHARE = 0.08

_LANGUAGE = re.compile(r"[{.\s]*([A-Za-z][\w+#-]*|[0-9][\w+#-]*)(?![\w=])")
_TITLE = re.compile(r"""\b(?:title|filename)=(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
_HIGHLIGHT_COMMENT = re.compile(
    r"\s*(?://|#|/\*|<!--|\{/\*|--|%|;|REM)\s*highlight-(?:next-line|start|end)\s*(?:\*/\}?|-->)?\s*"
)
_HIDDEN_RUST_LINE = re.compile(r"[ \t]*#(?:[ \t].*)?")
_ESCAPED_RUST_LINE = re.compile(r"^([ \t]*)##", re.MULTILINE)
_DRAWN = re.compile("[\u2190-\u21ff\u2500-\u259f\u25a0-\u25ff\u27f5-\u27ff]")


@dataclass(frozen=True)
class Fence:
    """A code block as a reader sees it."""

    code: str
    language: str = ""
    title: str = ""


def read_fence(info: str, content: str, *, hides_rust_lines: bool = False) -> Fence | None:
    """Return the code block without its decoration; None when nothing is left to read."""
    language = _language(info)
    if language in _DRAWING_LANGUAGES:
        return None
    code = _without_highlight_comments(content)
    if hides_rust_lines and language == "rust":
        code = _without_hidden_lines(code)
    code = _trim(code)
    if not code.strip():
        return None
    if not info.strip() and _is_drawn(code):
        language = "diagram"
    title = _TITLE.search(info)
    return Fence(code, language, " ".join(filter(None, title.groups())) if title else "")


def _language(info: str) -> str:
    found = _LANGUAGE.match(info)
    return found[1].lower() if found else ""


def _without_highlight_comments(code: str) -> str:
    if "highlight-" not in code:
        return code
    return "\n".join(line for line in code.split("\n") if not _HIGHLIGHT_COMMENT.fullmatch(line))


def _without_hidden_lines(code: str) -> str:
    shown = (line for line in code.split("\n") if not _HIDDEN_RUST_LINE.fullmatch(line))
    return _ESCAPED_RUST_LINE.sub(r"\1#", "\n".join(shown))


def _trim(code: str) -> str:
    lines = [line.rstrip() for line in code.split("\n")]
    return re.sub(r"\A\n+", "", "\n".join(lines)).rstrip("\n")


def _is_drawn(code: str) -> bool:
    visible = sum(not character.isspace() for character in code)
    return len(_DRAWN.findall(code)) >= _DIAGRAM_SHARE * visible

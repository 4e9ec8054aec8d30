"""mdBook's `{{#include ...}}` lines: other files of the book that belong into a page."""

from __future__ import annotations

import re
from pathlib import Path

from bythebook.sources.files import MAX_FILE_BYTES, Folder, tidy

_DIRECTIVE = re.compile(r"(\\?)\{\{\s*#([A-Za-z_]+)([^}]*)\}\}")
_INCLUDES = frozenset({"include", "rustdoc_include", "playground", "playpen"})
# Template code that a book about templates shows its readers; mdBook leaves it alone.
_TEMPLATE_WORDS = frozenset({"if", "each", "unless", "with"})
_MAX_NESTING = 10
_ANCHOR_LINE = re.compile(r"ANCHOR(?:_END)?:\s*[\w-]+")


class Includer:
    """Puts included files into a page, from inside the book's folder only."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._room = 0

    def expand(self, text: str, path: Path) -> str:
        """Return the page with every directive replaced; what cannot be found is left out."""
        # Files that include each other could grow without end.
        self._room = MAX_FILE_BYTES
        return self._expand(text, path, depth=0)

    def _expand(self, text: str, path: Path, depth: int) -> str:
        def replacement(directive: re.Match[str]) -> str:
            escape, name, argument = directive.groups()
            if escape or name in _TEMPLATE_WORDS:
                return directive[0].removeprefix("\\")
            if name not in _INCLUDES or depth >= _MAX_NESTING:
                return ""
            return self._included(argument.strip(), path, depth)

        return _DIRECTIVE.sub(replacement, text)

    def _included(self, argument: str, path: Path, depth: int) -> str:
        words = argument.split()
        if not words:
            return ""
        name, _, selection = words[0].partition(":")
        target = path.parent / name
        content = self._read(target)
        if content is None:
            return ""
        chosen = "\n".join(_select(content.split("\n"), selection)).rstrip("\n")
        self._room -= len(chosen)
        return self._expand(chosen, target, depth + 1) if self._room >= 0 else ""

    def _read(self, target: Path) -> str | None:
        try:
            if not self._folder.holds(target) or target.stat().st_size > MAX_FILE_BYTES:
                return None
            return tidy(target.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError):
            return None


def _select(lines: list[str], selection: str) -> list[str]:
    """Return the lines that `2:5` or the name of an anchor stands for."""
    if not selection:
        chosen = lines
    elif re.fullmatch(r"\d*(?::\d*)?", selection):
        chosen = _line_range(lines, selection)
    else:
        chosen = _anchored(lines, selection.split(":")[0])
    return [line for line in chosen if not _ANCHOR_LINE.search(line)]


def _line_range(lines: list[str], selection: str) -> list[str]:
    first, colon, last = selection.partition(":")
    start = max(int(first or 1) - 1, 0)
    if not colon:
        return lines[start : start + 1]
    return lines[start : int(last) if last else None]


def _anchored(lines: list[str], name: str) -> list[str]:
    opening = re.compile(rf"ANCHOR:\s*{re.escape(name)}(?![\w-])")
    closing = re.compile(rf"ANCHOR_END:\s*{re.escape(name)}(?![\w-])")
    chosen: list[str] = []
    is_inside = False
    for line in lines:
        if closing.search(line):
            is_inside = False
        elif opening.search(line):
            is_inside = True
        elif is_inside:
            chosen.append(line)
    return chosen

"""Where output goes: data to stdout, everything else to stderr.

Pages, titles and file names may hold commands for a terminal (colours, links, writing turned
round). None gets there: a person is shown the text without them, data has them as `\\u001b`.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from bythebook.errors import BythebookError
from bythebook.markup import without_invisible

_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def data(text: str) -> None:
    """Print data; a sign that a terminal would obey is written as a code, the same in JSON."""
    sys.stdout.write(_COMMANDS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text) + "\n")


def message(text: str) -> None:
    """Print a message for the person at the terminal."""
    sys.stderr.write(without_invisible(text) + "\n")


def report(problem: BythebookError) -> None:
    """Print what went wrong and what to do about it."""
    message(f"error: {problem.message}")
    if problem.hint:
        message(f"hint: {problem.hint}")


def styled() -> Console:
    """Return a console for stdout that wraps lines and colours them only on a terminal."""
    return _PlainConsole(
        highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty()
    )


def heading(text: str) -> Text:
    """Return a line that stands out on a terminal and is plain elsewhere."""
    return Text(without_invisible(text), style="bold")


class _PlainConsole(Console):
    """A console that shows text and obeys none of it."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text to print, without what a terminal would obey."""
        return super().render_str(without_invisible(text), **options)

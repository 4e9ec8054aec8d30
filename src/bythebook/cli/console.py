"""Where output goes: data to stdout, everything else to stderr."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from bythebook.errors import BythebookError


def data(text: str) -> None:
    """Print data, exactly as it is."""
    sys.stdout.write(text + "\n")


def message(text: str) -> None:
    """Print a message for the person at the terminal."""
    sys.stderr.write(text + "\n")


def report(problem: BythebookError) -> None:
    """Print what went wrong and what to do about it."""
    message(f"error: {problem.message}")
    if problem.hint:
        message(f"hint: {problem.hint}")


def styled() -> Console:
    """Return a console for stdout that wraps lines and colours them only on a terminal."""
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


def heading(text: str) -> Text:
    """Return a line that stands out on a terminal and is plain elsewhere."""
    return Text(text, style="bold")

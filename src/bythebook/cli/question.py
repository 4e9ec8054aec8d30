"""Reading the question a command was given, from its argument or from standard input."""

from __future__ import annotations

import sys

from bythebook.errors import QueryError

# Enough to tell that a question is too long without reading gigabytes of it.
_READ_AT_MOST = 1_000_000


def read_question(argument: str) -> str:
    """Return the question; '-' stands for standard input."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.read(_READ_AT_MOST)
    except UnicodeDecodeError as problem:
        raise QueryError(
            "the question is not valid text", field="text", hint="write it in UTF-8"
        ) from problem

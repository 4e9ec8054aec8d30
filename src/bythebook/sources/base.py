"""The role of a source: reading a book, whatever it is written in, into pages."""

from __future__ import annotations

from typing import Protocol

from bythebook.types import Book


class Source(Protocol):
    """A book somewhere on disk or on the web."""

    def read(self) -> Book:
        """Return every readable page in reading order; raise SourceError when there is none."""
        ...

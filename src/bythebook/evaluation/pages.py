"""Gold pages under the names that an index gives them.

A question file names pages by their path in the book's folder, or by their address. The index may
have been made from a folder above or below that one, so a path also fits when it is the end of
exactly one page's path, or the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable

from bythebook.evaluation.cases import Case
from bythebook.manifest import PageEntry


class PageFinder:
    """Knows the pages of one index."""

    def __init__(self, pages: Iterable[PageEntry]) -> None:
        listed = list(pages)
        self._paths = [page.path for page in listed]
        self._by_url = {page.url.rstrip("/"): page.path for page in listed if page.url}

    def find(self, case: Case) -> frozenset[str]:
        """Return the gold pages of a question that the index has."""
        by_path = (self._path(name) for name in case.gold_pages)
        by_url = (self._by_url.get(url.rstrip("/")) for url in case.gold_urls)
        return frozenset(page for page in (*by_path, *by_url) if page is not None)

    def _path(self, name: str) -> str | None:
        name = name.removeprefix("./")
        if name in self._paths:
            return name
        alike = [p for p in self._paths if p.endswith(f"/{name}") or name.endswith(f"/{p}")]
        return alike[0] if len(alike) == 1 else None

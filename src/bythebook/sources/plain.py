"""A plain folder of Markdown: pages in the order of their names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bythebook.sources.dialect import PLAIN, PLAIN_MDX
from bythebook.sources.files import Folder
from bythebook.sources.layout import Arrangement, Manuscript, Place, load, prettify, split_number
from bythebook.sources.siteconfig import Site, page_url

SortKey = tuple[tuple[int, tuple[tuple[int, int, str], ...]], ...]


def find_pages(folder: Folder) -> list[Manuscript]:
    """Return every page below the folder."""
    return [page for file in folder.markdown_files(folder.root) if (page := load(folder, file))]


def arrange(manuscripts: Iterable[Manuscript], site: Site) -> Arrangement:
    """Return the pages sorted by path, index pages first."""
    ordered = sorted(manuscripts, key=_order)
    return Arrangement("plain", [_place(manuscript, site) for manuscript in ordered], site.title)


def _order(manuscript: Manuscript) -> SortKey:
    *folders, name = manuscript.path.split("/")
    keys = [(1, _natural(folder)) for folder in folders]
    return (*keys, (0 if manuscript.has_index_name else 1, _natural(name)))


def _natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key by which 2 comes before 10."""
    pieces = re.findall(r"[0-9]+|[^0-9]+", name.lower())
    return tuple(
        (0, int(piece), "") if piece.isdigit() and piece.isascii() else (1, 0, piece)
        for piece in pieces
    )


def _place(manuscript: Manuscript, site: Site) -> Place:
    *folders, _ = manuscript.path.split("/")
    last = [] if manuscript.has_index_name else [manuscript.stem]
    return Place(
        manuscript,
        PLAIN_MDX if manuscript.is_mdx else PLAIN,
        fallback_title=prettify(manuscript.stem),
        title=manuscript.front.text("title"),
        url=page_url(site.root, [*folders, *last]),
        module=split_number(folders[0])[1] if folders else None,
        is_book_index=not folders and manuscript.has_index_name,
    )

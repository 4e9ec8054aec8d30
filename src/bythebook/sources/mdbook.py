"""An mdBook: SUMMARY.md says which pages there are, in what order, and how they are called."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from markdown_it.token import Token

from bythebook.sources.dialect import MDBOOK
from bythebook.sources.files import Folder
from bythebook.sources.includes import Includer
from bythebook.sources.inlines import title_text
from bythebook.sources.layout import Arrangement, Manuscript, Place, load
from bythebook.sources.parsing import parse
from bythebook.sources.siteconfig import Site, page_url


@dataclass(frozen=True)
class Entry:
    """A line of SUMMARY.md."""

    title: str
    target: str  # empty for a chapter that is not written yet
    chapter: str
    part: str | None


def find_summary(folder: Folder, source_folder: str | None) -> Path | None:
    """Return the book's SUMMARY.md, if it has one."""
    for name in (source_folder, "src", "."):
        if name is None:
            continue
        path = folder.root / posixpath.normpath(name) / "SUMMARY.md"
        if folder.has_file(path):
            return path
    return None


def arrange(folder: Folder, summary: Path, site: Site) -> Arrangement:
    """Return the pages in the order of SUMMARY.md."""
    source = summary.parent
    includer = Includer(folder)
    places: dict[str, Place] = {}
    for entry in read_summary(folder.read(summary) or ""):
        manuscript = _manuscript(folder, source, entry, places)
        if manuscript is not None:
            body = includer.expand(manuscript.body, folder.root / manuscript.path)
            prefix = folder.relative(source).removeprefix(".")
            place = _place(replace(manuscript, body=body), entry, prefix, site)
            places[manuscript.path] = place
    return Arrangement("mdbook", list(places.values()), site.title)


def read_summary(text: str) -> Iterator[Entry]:
    """Yield the entries of SUMMARY.md."""
    part: str | None = None
    has_begun = False  # the first heading is the title of the summary itself
    chapters: list[str] = []  # the titles from the top down to the current entry
    depth = 0
    opening = ""
    for token in parse(text, MDBOOK):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "inline" and opening == "heading_open":
            part = title_text(token.children or []) if has_begun else None
            has_begun = True
        elif token.type == "inline":
            has_begun = True
            for title, target in _links(token.children or []):
                chapters = [*chapters[: max(depth - 1, 0)], title]
                # Chapters outside the list come before the first part or behind the last one.
                yield Entry(title, target, chapters[0], part if depth else None)
        opening = token.type


def _links(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    title: list[Token] = []
    target: str | None = None
    for token in tokens:
        if token.type == "link_open":
            target, title = str(token.attrGet("href") or ""), []
        elif token.type == "link_close" and target is not None:
            yield title_text(title), unquote(target).split("#")[0].strip()
            target = None
        elif target is not None:
            title.append(token)


def _manuscript(
    folder: Folder, source: Path, entry: Entry, known: dict[str, Place]
) -> Manuscript | None:
    """Return what an entry points to; None when that is nothing to read."""
    if not entry.target:
        return None
    if "://" in entry.target:
        folder.skip(entry.target, "SUMMARY.md points to an address, not to a file of the book")
        return None
    name = posixpath.normpath(posixpath.join(folder.relative(source), entry.target))
    path = folder.root / name
    if name in known:
        return None
    if name.startswith(("../", "/")) or not folder.holds(path):
        folder.skip(entry.target, "SUMMARY.md points to a file outside the book's folder")
        return None
    if not folder.has_file(path):
        folder.skip(name, "SUMMARY.md names this file, but it does not exist")
        return None
    return load(folder, path)


def _place(manuscript: Manuscript, entry: Entry, prefix: str, site: Site) -> Place:
    below = manuscript.path.removeprefix(f"{prefix}/" if prefix else "")
    *folders, name = below.split("/")
    # mdBook renames a README to be the index of its folder.
    stem = "index" if manuscript.stem.lower() == "readme" else name.rsplit(".", 1)[0]
    return Place(
        manuscript,
        MDBOOK,
        fallback_title=stem,
        title=entry.title or None,
        url=page_url(site.root, [*folders, f"{stem}.html"]),
        module=entry.part,
        chapter=entry.chapter or None,
        is_book_index=not folders and manuscript.has_index_name,
    )

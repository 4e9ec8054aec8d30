"""The table of contents of a book, and the text of each of its sections, word for word."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote, unquote, urldefrag

from bythebook.errors import QueryError
from bythebook.manifest import Manifest, PageEntry
from bythebook.pagetext import PageText, Section, assemble
from bythebook.types import Chunk

_SUGGESTIONS = 5
_PATH_SEPARATOR = " > "


@dataclass(frozen=True)
class ContentsPage:
    """A page of the book with its sections."""

    entry: PageEntry
    number: int | None  # of a paged format such as PDF
    body: PageText

    def url(self, section: Section) -> str | None:
        """Return the address of a section, if the book has one."""
        if self.entry.url is None:
            return None
        if self.number is not None:
            return f"{self.entry.url}#page={self.number}"
        # A heading with nothing of its own is seen right above its first subheading.
        anchor = section.anchor if section.anchor is not None else self._first_below(section)
        return f"{self.entry.url}#{quote(anchor)}" if anchor else self.entry.url

    def text(self, section: Section) -> str:
        """Return the text of a section, its subsections included."""
        return self.body.text[section.start : section.end]

    def title(self, section: Section) -> str:
        """Return the heading of a section, or the page's title."""
        return section.heading_path[-1] if section.heading_path else self.entry.title

    @property
    def listed(self) -> tuple[Section, ...]:
        """The sections for a table of contents: a title over the whole page stands for the page."""
        sections = self.body.sections
        if not self.body.text or len(sections) < 2:
            return sections
        whole, first = sections[:2]
        is_title = first.end == whole.end and self.body.text.startswith(first.heading_path[0])
        return sections[1:] if is_title else sections

    def _first_below(self, section: Section) -> str:
        depth = len(section.heading_path)
        below = (
            other.anchor
            for other in self.body.sections
            if other.anchor and other.heading_path[:depth] == section.heading_path
        )
        return next(below, "")


class BookContents:
    """All pages of a book in reading order."""

    def __init__(self, pages: Sequence[ContentsPage], modules: Sequence[str] = ()) -> None:
        self.pages = tuple(pages)
        self._modules = tuple(modules)

    @classmethod
    def of(cls, manifest: Manifest, chunks: Iterable[Chunk]) -> BookContents:
        """Return the contents of a book from its chunks, which may come in any order."""
        by_page: dict[str, list[Chunk]] = defaultdict(list)
        for chunk in chunks:
            by_page[chunk.page_path].append(chunk)
        pages = [_page(entry, by_page.get(entry.path, [])) for entry in manifest.pages]
        return cls(pages, manifest.modules)

    def sections(
        self, module: str | None = None, page: str | None = None
    ) -> Iterator[tuple[ContentsPage, Section]]:
        """Yield every section with its page, or those of one module or page."""
        if module is not None and module not in self._modules:
            known = ", ".join(map(repr, self._modules)) or "none: this book has no modules"
            raise QueryError(
                f"the book has no module {module!r}",
                field="module",
                hint=f"valid modules: {known}",
            )
        pages = self.pages if page is None else (self.page(page)[0],)
        for each in pages:
            if module is None or each.entry.module == module:
                yield from ((each, section) for section in each.listed)

    def section(
        self, page: str, anchor: str | None = None, heading: str | None = None
    ) -> tuple[ContentsPage, Section]:
        """Return the section that an anchor or a heading names; without either, the whole page.

        A page may be given by its path, its title or its address; the address may bring the anchor.
        Raises QueryError that names what there is instead.
        """
        found, from_address = self.page(page)
        if anchor is None and heading is None:
            anchor = from_address or None
        if anchor is not None:
            return found, _by_anchor(found, anchor)
        if heading is not None:
            return found, _by_heading(found, heading)
        return found, found.body.sections[0]

    def page(self, name: str) -> tuple[ContentsPage, str]:
        """Return a page by its path, title or address, and the anchor that the address holds."""
        address, anchor = urldefrag(name.strip())
        anchor = unquote(anchor.partition(":~:")[0])
        found = self._by_name.get(_key(name)) or self._by_name.get(_key(address)) or []
        if len(found) == 1:
            return found[0], anchor
        if found:
            paths = ", ".join(repr(page.entry.path) for page in found)
            raise QueryError(
                f"{len(found)} pages go by the name {name!r}",
                field="page",
                hint=f"name one by its path: {paths}",
            )
        near = difflib.get_close_matches(_key(address), self._by_name, _SUGGESTIONS, cutoff=0.4)
        paths = ", ".join(dict.fromkeys(repr(self._by_name[key][0].entry.path) for key in near))
        raise QueryError(
            f"the book has no page {name!r}",
            field="page",
            hint=f"pages with such names: {paths}"
            if paths
            else "list the sections to see the pages",
        )

    @cached_property
    def _by_name(self) -> dict[str, list[ContentsPage]]:
        names: dict[str, list[ContentsPage]] = defaultdict(list)
        for page in self.pages:
            entry = page.entry
            # A path and an address are one page's own; a title gives way to them.
            for name in dict.fromkeys(_key(n) for n in (entry.path, entry.url) if n):
                names[name].append(page)
        for page in self.pages:
            title = _key(page.entry.title)
            if title not in {_key(other.entry.path) for other in names.get(title, [])}:
                names[title].append(page)
        return names


def _page(entry: PageEntry, chunks: Sequence[Chunk]) -> ContentsPage:
    ordered = sorted(chunks, key=lambda chunk: (chunk.index, chunk.start))
    number = ordered[0].page_number if ordered else None
    return ContentsPage(entry, number, assemble(ordered))


def _by_anchor(page: ContentsPage, anchor: str) -> Section:
    wanted = unquote(anchor.lstrip("#").partition(":~:")[0])
    for section in page.body.sections:
        if section.anchor == wanted:
            return section
    raise _no_section(page, "anchor", anchor, [s.anchor for s in page.body.sections if s.anchor])


def _by_heading(page: ContentsPage, heading: str) -> Section:
    wanted = [_key(part) for part in heading.split(_PATH_SEPARATOR)]
    found = [
        section
        for section in page.body.sections
        if [_key(part) for part in section.heading_path][-len(wanted) :] == wanted
    ]
    if not found and wanted == [_key(page.entry.title)]:
        return page.body.sections[0]
    if not found:
        there = [section.heading_path[-1] for section in page.body.sections[1:]]
        raise _no_section(page, "heading", heading, there)
    if len(found) > 1:
        anchors = ", ".join(repr(section.anchor) for section in found if section.anchor)
        raise QueryError(
            f"{len(found)} sections of page {page.entry.path!r} have the heading {heading!r}",
            field="heading",
            hint=f"name one by its anchor: {anchors}",
        )
    return found[0]


def _no_section(page: ContentsPage, field: str, value: str, there: Sequence[str]) -> QueryError:
    near = difflib.get_close_matches(value, there, _SUGGESTIONS, cutoff=0.3) or there[:_SUGGESTIONS]
    names = ", ".join(map(repr, near)) or "none"
    return QueryError(
        f"page {page.entry.path!r} has no section with the {field} {value!r}",
        field=field,
        hint=f"some that it has: {names}",
    )


def _key(name: str) -> str:
    return " ".join(name.split()).rstrip("/").casefold()

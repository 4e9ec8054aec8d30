"""A book as a folder of Markdown: Docusaurus, mdBook or just files."""

from __future__ import annotations

from pathlib import Path

from bythebook.errors import SourceError
from bythebook.sources import docusaurus, mdbook, plain
from bythebook.sources.files import MARKDOWN_SUFFIXES, Folder
from bythebook.sources.layout import Arrangement, Place, load, prettify
from bythebook.sources.rendering import Rendered, render
from bythebook.sources.siteconfig import (
    Site,
    read_book_toml,
    read_docusaurus_site,
    read_site_json,
)
from bythebook.types import Book, Page


class MarkdownFolder:
    """Reads a folder of Markdown, or a single Markdown file, into a book."""

    def __init__(self, root: Path, base_url: str | None = None, title: str | None = None) -> None:
        self._root = root
        self._base_url = base_url
        self._title = title

    def read(self) -> Book:
        """Return every readable page in reading order; raise SourceError when there is none."""
        if not _exists(self._root):
            raise SourceError(
                f"there is no book at {str(self._root)!r}",
                hint="give the folder that holds the book's Markdown files",
            )
        is_file = self._root.is_file()
        folder = Folder(self._root.parent if is_file else self._root)
        arrangement = self._arrange_file(folder) if is_file else self._arrange_folder(folder)
        pages = self._read_pages(folder, arrangement.places)
        return Book(
            title=self._title or arrangement.title or self._own_title(arrangement.places, pages),
            generator=arrangement.generator,
            pages=tuple(pages),
            skipped=tuple(sorted(folder.skipped, key=lambda skipped: skipped.path)),
        )

    def _arrange_file(self, folder: Folder) -> Arrangement:
        if self._root.suffix.lower() not in MARKDOWN_SUFFIXES:
            raise SourceError(
                f"{str(self._root)!r} is not a Markdown file",
                hint="give a .md or .mdx file, or a folder of them",
            )
        manuscript = load(folder, self._root)
        return plain.arrange([manuscript] if manuscript else [], Site(root=self._base_url))

    def _arrange_folder(self, folder: Folder) -> Arrangement:
        """Tell which generator the book is made for and let its rules order the pages."""
        beside = read_site_json(folder)
        configured = read_docusaurus_site(folder)
        if configured is None:
            book_toml = read_book_toml(folder) or Site()
            if summary := mdbook.find_summary(folder, book_toml.source_folder):
                return mdbook.arrange(folder, summary, self._site(book_toml, beside))
        site = self._site(configured or Site(), beside)
        if configured is not None or docusaurus.is_site(folder.root):
            return docusaurus.arrange(folder, site)
        return plain.arrange(plain.find_pages(folder), site)

    def _site(self, own: Site, beside: Site) -> Site:
        """Return what is known about the site; what the user gave goes first."""
        return Site(
            title=own.title or beside.title,
            root=self._base_url or own.root or beside.root,
            docs_route=own.docs_route if own.docs_route is not None else beside.docs_route,
            has_trailing_slash=own.has_trailing_slash or beside.has_trailing_slash,
        )

    def _read_pages(self, folder: Folder, places: list[Place]) -> list[Page]:
        pages = []
        for place in places:
            try:
                page = _read_page(place)
            except Exception as error:  # one odd page must not cost the reader the whole book
                folder.skip(place.manuscript.path, f"could not be read: {error}")
                continue
            if page.text:
                pages.append(page)
            else:
                folder.skip(place.manuscript.path, "no text")
        if not pages:
            raise self._nothing_to_read(folder)
        return pages

    def _nothing_to_read(self, folder: Folder) -> SourceError:
        place = str(self._root)
        if not folder.skipped:
            return SourceError(
                f"there is no Markdown in {place!r}",
                hint="give the folder that holds the book's .md or .mdx files",
            )
        first = folder.skipped[0]
        return SourceError(
            f"no page of {place!r} could be read; {first.path}: {first.reason}",
            hint="mend the files named here, or give the folder that holds the book's pages",
        )

    def _own_title(self, places: list[Place], pages: list[Page]) -> str:
        """Return the title of a book whose configuration gives none."""
        if self._root.is_file():
            return pages[0].title
        index_paths = {place.manuscript.path for place in places if place.is_book_index}
        index_titles = [page.title for page in pages if page.path in index_paths]
        return index_titles[0] if index_titles else prettify(self._root.resolve().name)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long, a parent that may not be entered
        return False


def _read_page(place: Place) -> Page:
    rendered = render(place.manuscript.body, place.dialect)
    title = place.title or _first_title(rendered) or place.fallback_title
    return Page(
        path=place.manuscript.path,
        title=title,
        text=rendered.text,
        blocks=rendered.blocks,
        headings=rendered.headings,
        url=place.url,
        chapter=place.chapter or title,
        module=place.module,
    )


def _first_title(rendered: Rendered) -> str | None:
    return next((heading.text for heading in rendered.headings if heading.level == 1), None)

"""A Docusaurus site: order as in its generated sidebar, addresses as on the site."""

from __future__ import annotations

import math
import posixpath
from dataclasses import dataclass
from pathlib import Path

import yaml

from bythebook.sources.dialect import DOCUSAURUS_MD, DOCUSAURUS_MDX
from bythebook.sources.files import Folder
from bythebook.sources.frontmatter import YAML_ERRORS, split_front_matter
from bythebook.sources.layout import Arrangement, Manuscript, Place, load, split_number
from bythebook.sources.siteconfig import Site, page_url

_SIGNS_IN_FRONT_MATTER = ("sidebar_position", "sidebar_label", "slug")
_CATEGORY_FILES = ("_category_.json", "_category_.yml", "_category_.yaml")
_GENERATED_FOLDERS = frozenset({"build", "versioned_docs", "i18n"})

# Where an item stands among its siblings: index page first, then by number, then by name.
SortKey = tuple[tuple[int, float, str], ...]


def is_site(root: Path) -> bool:
    """Tell whether a folder looks like a Docusaurus site even without its configuration."""
    if any(path.is_file() for path in root.glob("sidebars.*")):
        return True
    scout = Folder(root)  # what it cannot read is reported later, by whoever reads the book
    return any(_has_signs(scout, path) for path in scout.markdown_files(docs_folder(root)))


def docs_folder(root: Path) -> Path:
    """Return the folder that holds the pages: `docs` if there are any in it, else the root."""
    docs = root / "docs"
    if not docs.is_dir() or docs.is_symlink():
        return root
    return docs if any(Folder(root).markdown_files(docs)) else root


def find_pages(folder: Folder, docs: Path) -> list[Manuscript]:
    """Return the pages that Docusaurus would publish."""
    files = folder.markdown_files(docs, lambda path: _is_left_out(path, folder.root))
    return [manuscript for file in files if (manuscript := load(folder, file))]


def arrange(folder: Folder, site: Site) -> Arrangement:
    """Return the pages in the order of the sidebar."""
    docs = docs_folder(folder.root)
    manuscripts = find_pages(folder, docs)
    shelf = _Shelf(folder, docs, manuscripts, site)
    ordered = sorted(manuscripts, key=shelf.order)
    return Arrangement("docusaurus", [shelf.place(each) for each in ordered], site.title)


def route_base(docs: Path, site: Site) -> str:
    """Return the first part of every page's address on the site."""
    if site.docs_route is not None:
        return site.docs_route
    return "docs" if docs.name == "docs" else ""


@dataclass
class _Shelf:
    """Knows the folder of each page, and the place of each folder."""

    folder: Folder
    docs: Path
    manuscripts: list[Manuscript]
    site: Site

    def __post_init__(self) -> None:
        self._prefix = self.folder.relative(self.docs).removeprefix(".")
        self._positions: dict[str, float] = {}
        self._index_positions = {
            posixpath.dirname(manuscript.path): manuscript.front.number("sidebar_position")
            for manuscript in self.manuscripts
            if _stands_for_its_folder(manuscript, self._folders(manuscript))
        }
        route = route_base(self.docs, self.site)
        root = self.site.root
        # A given address often already ends in the docs route.
        if root is not None and root.rstrip("/").rsplit("/", 1)[-1] == route:
            root = root.rstrip("/").removesuffix(route)
        self._root, self._route = root, route

    def order(self, manuscript: Manuscript) -> SortKey:
        """Return the key that sorts a page as the sidebar does."""
        keys: list[tuple[int, float, str]] = []
        parent = self._prefix
        folders = self._folders(manuscript)
        for name in folders:
            parent = posixpath.join(parent, name)
            keys.append((1, self._folder_position(parent), name))
        position = manuscript.front.number("sidebar_position")
        is_index = _stands_for_its_folder(manuscript, folders)
        if is_index and (folders or position is None):
            return (*keys, (0, 0.0, ""))
        if position is None:
            position = _number_or_last(manuscript.stem)
        return (*keys, (1, position, posixpath.basename(manuscript.path)))

    def place(self, manuscript: Manuscript) -> Place:
        """Return a page's title, address and module."""
        folders = self._folders(manuscript)
        slug = _slug(manuscript, folders)
        url = page_url(self._root, [*self._route.split("/"), *slug.split("/")])
        if url is not None:
            is_site_root = not self._route and not slug.strip("/")
            wants_slash = self.site.has_trailing_slash or is_site_root
            url = url.rstrip("/") + ("/" if wants_slash else "")
        return Place(
            manuscript,
            DOCUSAURUS_MDX if manuscript.is_mdx else DOCUSAURUS_MD,
            fallback_title=_base_id(manuscript),
            title=manuscript.front.text("title"),
            url=url,
            module=split_number(folders[0])[1] if folders else None,
            is_book_index=not slug.strip("/"),
        )

    def _folders(self, manuscript: Manuscript) -> list[str]:
        below = manuscript.path.removeprefix(f"{self._prefix}/" if self._prefix else "")
        return below.split("/")[:-1]

    def _folder_position(self, path: str) -> float:
        if path not in self._positions:
            position = self._category_position(path)
            if position is None:
                position = self._index_positions.get(path)
            name = posixpath.basename(path)
            self._positions[path] = _number_or_last(name) if position is None else position
        return self._positions[path]

    def _category_position(self, path: str) -> float | None:
        for name in _CATEGORY_FILES:
            file = self.folder.root / path / name
            if not self.folder.has_file(file):
                continue
            try:
                values = yaml.safe_load(self.folder.read(file) or "")  # JSON is YAML, too
            except YAML_ERRORS:
                self.folder.skip(file, "not valid; the folder is sorted by its name")
                return None
            position = values.get("position") if isinstance(values, dict) else None
            return float(position) if isinstance(position, int | float) else None
        return None


def _has_signs(scout: Folder, path: Path) -> bool:
    if path.suffix.lower() == ".mdx" or any(
        (path.parent / name).is_file() for name in _CATEGORY_FILES
    ):
        return True
    front, _ = split_front_matter(scout.read(path) or "")
    return any(sign in front.values for sign in _SIGNS_IN_FRONT_MATTER)


def _is_left_out(path: Path, root: Path) -> bool:
    # Below `docs` a folder called `build` is a chapter; at the top it is the finished site.
    return path.name.startswith("_") or (path.parent == root and path.name in _GENERATED_FOLDERS)


def _slug(manuscript: Manuscript, folders: list[str]) -> str:
    """Return a page's address below the docs route."""
    given = manuscript.front.text("slug")
    if given is not None and given.startswith("/"):
        return posixpath.normpath(given)
    parent = "/" + "/".join(split_number(name)[1] for name in folders)
    if given is None and _stands_for_its_folder(manuscript, folders):
        return parent
    return posixpath.normpath(posixpath.join(parent, given or _base_id(manuscript)))


def _base_id(manuscript: Manuscript) -> str:
    return manuscript.front.text("id") or split_number(manuscript.stem)[1]


def _stands_for_its_folder(manuscript: Manuscript, folders: list[str]) -> bool:
    same_as_folder = bool(folders) and manuscript.stem.lower() == folders[-1].lower()
    return manuscript.has_index_name or same_as_folder


def _number_or_last(name: str) -> float:
    number = split_number(name)[0]
    return math.inf if number is None else float(number)

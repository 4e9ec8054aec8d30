"""The words that the kinds of books share: a manuscript, and its place in the book."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from bythebook.sources.dialect import Dialect
from bythebook.sources.files import Folder
from bythebook.sources.frontmatter import FrontMatter, split_front_matter

_NUMBERED = re.compile(r"(\d+)\s*[-_.]+\s*([^-_.\s].*)")
# Dates and versions such as 2021-11-notes or 7.0-release begin with a number but have no place.
_DATE_OR_VERSION = re.compile(r"\d+[-_.]\d+")
_INDEX_NAMES = frozenset({"index", "readme"})


@dataclass(frozen=True)
class Manuscript:
    """A page as its author wrote it."""

    path: str
    body: str
    front: FrontMatter = field(default_factory=FrontMatter)

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return Path(self.path).stem

    @property
    def is_mdx(self) -> bool:
        """Tell whether the page may hold JSX expressions."""
        return self.path.lower().endswith(".mdx")

    @property
    def has_index_name(self) -> bool:
        """Tell whether the page stands for its folder."""
        return self.stem.lower() in _INDEX_NAMES


@dataclass(frozen=True)
class Place:
    """Where a manuscript stands in the book and how it is to be read."""

    manuscript: Manuscript
    dialect: Dialect
    fallback_title: str  # when neither `title` nor a first heading gives one
    title: str | None = None
    url: str | None = None
    module: str | None = None
    chapter: str | None = None  # None: the page is its own chapter
    is_book_index: bool = False


@dataclass(frozen=True)
class Arrangement:
    """A book before its pages are read."""

    generator: str
    places: list[Place] = field(default_factory=list)
    title: str | None = None


def load(folder: Folder, path: Path) -> Manuscript | None:
    """Return a manuscript; None when the file cannot be read or is not meant for readers."""
    text = folder.read(path)
    if text is None:
        return None
    front, body = split_front_matter(text)
    if front.problem:
        folder.skip(path, front.problem)
    for switch, reason in (("draft", "marked as a draft"), ("unlisted", "marked as unlisted")):
        if front.is_set(switch):
            folder.skip(path, reason)
            return None
    return Manuscript(folder.relative(path), body, front)


def split_number(name: str) -> tuple[int | None, str]:
    """Return the number a name begins with and the name without it, as Docusaurus does."""
    found = _NUMBERED.fullmatch(name)
    if found is None or _DATE_OR_VERSION.match(name):
        return None, name
    return int(found[1]), found[2]


def prettify(name: str) -> str:
    """Return a file or folder name as a title."""
    words = re.sub(r"[-_\s]+", " ", split_number(name)[1]).strip()
    return words[:1].upper() + words[1:]

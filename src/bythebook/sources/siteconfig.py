"""What a book's own configuration tells about the site it is published on."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from bythebook.sources.files import Folder
from bythebook.sources.jsx import scan_braces

_CONFIG_NAMES = tuple(f"docusaurus.config.{suffix}" for suffix in ("js", "ts", "mjs", "cjs"))
_COMMENT = re.compile(r"^[ \t]*//[^\n]*|/\*.*?\*/", re.MULTILINE | re.DOTALL)
_DOCS_OPTIONS = re.compile(r"""\bdocs['"]?\s*:\s*(?=\{)""")


@dataclass(frozen=True)
class Site:
    """Where a book is published; everything may be unknown."""

    title: str | None = None
    root: str | None = None  # url and baseUrl together
    docs_route: str | None = None
    has_trailing_slash: bool = False
    source_folder: str | None = None  # mdBook's `src`


def read_docusaurus_site(folder: Folder) -> Site | None:
    """Return what docusaurus.config says; None when there is no such file."""
    for name in _CONFIG_NAMES:
        path = folder.root / name
        if folder.has_file(path):
            return _site_of_program(_COMMENT.sub("", folder.read(path) or ""))
    return None


def read_site_json(folder: Folder) -> Site:
    """Return what a site.json beside the book says."""
    path = folder.root / "site.json"
    if not folder.has_file(path):
        return Site()
    try:
        values = json.loads(folder.read(path) or "{}")
    except (ValueError, RecursionError):
        folder.skip(path, "not valid JSON")
        return Site()
    if not isinstance(values, dict):
        return Site()
    docs = values.get("docs")
    return Site(
        title=_text(values.get("title")),
        root=_site_root(_text(values.get("url")), _text(values.get("baseUrl"))),
        docs_route=_route(docs.get("routeBasePath")) if isinstance(docs, dict) else None,
        has_trailing_slash=values.get("trailingSlash") is True,
    )


def read_book_toml(folder: Folder) -> Site | None:
    """Return what mdBook's book.toml says; None when there is no such file."""
    path = folder.root / "book.toml"
    if not folder.has_file(path):
        return None
    try:
        values = tomllib.loads(folder.read(path) or "")
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        folder.skip(path, f"not valid TOML: {error}")
        return Site()
    book, output = _table(values, "book"), _table(values, "output")
    site_url = _text(_table(output, "html").get("site-url")) or ""
    return Site(
        title=_text(book.get("title")),
        root=site_url if site_url.startswith(("http://", "https://")) else None,
        source_folder=_text(book.get("src")),
    )


def page_url(root: str | None, parts: list[str]) -> str | None:
    """Return the address of a page below the site's root; None when the root is unknown."""
    if root is None:
        return None
    path = "/".join(quote(part, safe="~!$&'()*+,;=:@%") for part in parts if part)
    return root.rstrip("/") + "/" + path


def _site_of_program(code: str) -> Site:
    options = _DOCS_OPTIONS.search(code)
    end = scan_braces(code, options.end()) if options else None
    docs = code[options.end() : end] if options and end else ""
    return Site(
        title=_literal(code, "title"),
        root=_site_root(_literal(code, "url"), _literal(code, "baseUrl")),
        docs_route=_route(_literal(docs, "routeBasePath")),
        has_trailing_slash=re.search(r"\btrailingSlash\s*:\s*true\b", code) is not None,
    )


def _literal(code: str, key: str) -> str | None:
    found = re.search(rf"""\b{key}['"]?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`$\n]*)`)""", code)
    return next((group for group in found.groups() if group is not None), None) if found else None


def _site_root(url: str | None, base: str | None) -> str | None:
    return urljoin(url.rstrip("/") + "/", base or "/") if url else None


def _route(value: object) -> str | None:
    return value.strip("/") if isinstance(value, str) else None


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _table(values: dict[str, object], key: str) -> dict[str, object]:
    table = values.get(key)
    return table if isinstance(table, dict) else {}

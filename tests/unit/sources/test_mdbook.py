"""mdBook: SUMMARY.md decides, and includes bring in other files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bythebook.sources.markdown import MarkdownFolder
from bythebook.types import Book

WriteBook = Callable[[Mapping[str, str | bytes]], Path]

SITE = "https://example.org/book/"


def read(root: Path, base_url: str | None = SITE) -> Book:
    return MarkdownFolder(root, base_url=base_url).read()


def include(write_book: WriteBook, directive: str, files: Mapping[str, str | bytes]) -> str:
    """Return the text of a page that holds the directive in a code block."""
    page = f"Before.\n\n```text\n{directive}\n```\n"
    book = read(write_book({"src/SUMMARY.md": "[A](a.md)", "src/a.md": page, **files}))
    return book.pages[0].text.removeprefix("Before.").strip("\n")


SUMMARY = """# Summary

[Preface](README.md)

# First Part

- [One](one.md)
  - [One `a`](deep/a.md)
- [Not written]()
  - [Child](child.md)

# Second Part

1. [Two](two.md)

---

[Thanks](thanks.md)
"""

PAGES = {
    f"src/{name}": "# Its own heading\n\nText.\n"
    for name in ("README.md", "one.md", "deep/a.md", "child.md", "two.md", "thanks.md", "alone.md")
}


def test_summary_gives_order_title_part_and_chapter(write_book: WriteBook) -> None:
    book = read(write_book({"src/SUMMARY.md": SUMMARY, **PAGES}))
    assert book.generator == "mdbook"
    assert [(page.path, page.title, page.module, page.chapter) for page in book.pages] == [
        ("src/README.md", "Preface", None, "Preface"),
        ("src/one.md", "One", "First Part", "One"),
        ("src/deep/a.md", "One `a`", "First Part", "One"),
        ("src/child.md", "Child", "First Part", "Not written"),
        ("src/two.md", "Two", "Second Part", "Two"),
        ("src/thanks.md", "Thanks", None, "Thanks"),
    ]
    assert book.skipped == ()


def test_addresses_end_in_html_and_a_readme_is_the_index(write_book: WriteBook) -> None:
    book = read(write_book({"src/SUMMARY.md": SUMMARY, **PAGES}))
    assert [page.url for page in book.pages][:3] == [
        f"{SITE}index.html",
        f"{SITE}one.html",
        f"{SITE}deep/a.html",
    ]


@pytest.mark.parametrize("place", ["", "src/", "text/"])
def test_summary_is_found_where_book_toml_says_or_by_custom(
    place: str, write_book: WriteBook
) -> None:
    toml = (
        '[book]\ntitle = "Rust"\nsrc = "text"\n[output.html]\nsite-url = "https://r.example/b/"\n'
    )
    files = {"book.toml": toml, f"{place}SUMMARY.md": "[A](a.md)", f"{place}a.md": "Text."}
    book = read(write_book(files), None)
    assert book.title == "Rust"
    assert [(page.path, page.url) for page in book.pages] == [
        (f"{place}a.md", "https://r.example/b/a.html")
    ]


def test_relative_site_url_gives_no_address(write_book: WriteBook) -> None:
    toml = '[output.html]\nsite-url = "/b/"\n'
    root = write_book({"book.toml": toml, "src/SUMMARY.md": "[A](a.md)", "src/a.md": "Text."})
    assert read(root, None).pages[0].url is None


def test_missing_and_foreign_files_are_skipped_with_a_reason(
    write_book: WriteBook, tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("secret")
    summary = "- [A](a.md)\n- [B](gone.md)\n- [C](../../secret.md)\n- [D](https://example.org)\n"
    book = read(write_book({"src/SUMMARY.md": summary, "src/a.md": "Text."}))
    assert [page.path for page in book.pages] == ["src/a.md"]
    reasons = {file.path: file.reason for file in book.skipped}
    assert "does not exist" in reasons["src/gone.md"]
    assert "outside" in reasons["../../secret.md"]
    assert "address" in reasons["https://example.org"]


def test_broken_book_toml_is_reported(write_book: WriteBook) -> None:
    root = write_book({"book.toml": "[book", "src/SUMMARY.md": "[A](a.md)", "src/a.md": "Text."})
    assert "TOML" in read(root).skipped[0].reason


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ("", "one\ntwo\nthree\nfour"),
        (":2", "two"),
        (":2:3", "two\nthree"),
        (":3:", "three\nfour"),
        ("::2", "one\ntwo"),
    ],
)
def test_include_takes_the_chosen_lines(
    selection: str, expected: str, write_book: WriteBook
) -> None:
    files = {"listings/x.txt": "one\ntwo\nthree\nfour\n"}
    directive = f"{{{{#include ../listings/x.txt{selection}}}}}"
    assert include(write_book, directive, files) == expected


def test_include_takes_an_anchor_and_drops_the_anchor_comments(write_book: WriteBook) -> None:
    code = "a\n// ANCHOR: x\nb\n// ANCHOR: y\nc\n// ANCHOR_END: y\n// ANCHOR_END: x\nd\n"
    files = {"listings/x.rs": code}
    assert include(write_book, "{{#rustdoc_include ../listings/x.rs:x}}", files) == "b\nc"


@pytest.mark.parametrize(
    "directive",
    [
        "{{#include gone.txt}}",
        "{{#include ../../secret.txt}}",
        "{{#include /etc/hostname}}",
        "{{#quiz ../quizzes/a.toml}}",
        "{{#title Other}}",
        "{{#include }}",
    ],
)
def test_directive_that_brings_nothing_leaves_no_trace(
    directive: str, write_book: WriteBook, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    assert include(write_book, directive, {}) == ""


def test_files_that_include_themselves_come_to_an_end(write_book: WriteBook) -> None:
    text = include(write_book, "{{#include x.txt}}", {"src/x.txt": "x {{#include x.txt}}"})
    assert text.startswith("x x")


def test_escaped_directive_is_shown(write_book: WriteBook) -> None:
    assert include(write_book, r"\{{#include x}}", {}) == "{{#include x}}"

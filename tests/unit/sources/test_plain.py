"""Plain folders of Markdown and single files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from bythebook.sources.markdown import MarkdownFolder

WriteBook = Callable[[Mapping[str, str | bytes]], Path]


def test_pages_are_sorted_naturally_with_index_pages_first(write_book: WriteBook) -> None:
    names = ["ch10.md", "ch2.md", "README.md", "b/z.md", "b/index.md", "a.markdown"]
    book = MarkdownFolder(write_book(dict.fromkeys(names, "Text."))).read()
    assert book.generator == "plain"
    assert [page.path for page in book.pages] == [
        "README.md",
        "a.markdown",
        "b/index.md",
        "b/z.md",
        "ch2.md",
        "ch10.md",
    ]


def test_addresses_have_no_ending_and_an_index_is_its_folder(write_book: WriteBook) -> None:
    root = write_book({"README.md": "T", "b/index.md": "T", "b/my page.md": "T"})
    book = MarkdownFolder(root, base_url="https://example.org/x").read()
    assert [page.url for page in book.pages] == [
        "https://example.org/x/",
        "https://example.org/x/b",
        "https://example.org/x/b/my%20page",
    ]
    assert MarkdownFolder(root).read().pages[0].url is None


def test_title_and_module_come_from_headings_and_folders(write_book: WriteBook) -> None:
    root = write_book({"01-part/02-the_page.md": "Text.", "b.md": "# Named\n"})
    first, second = MarkdownFolder(root).read().pages
    assert (first.title, first.module, first.chapter) == ("The page", "part", "The page")
    assert (second.title, second.module) == ("Named", None)


def test_title_of_the_book_is_given_or_read_or_made_of_the_folder(write_book: WriteBook) -> None:
    root = write_book({"a.md": "Text."})
    assert MarkdownFolder(root).read().title == "My small book"
    write_book({"README.md": "# Welcome\n"})
    assert MarkdownFolder(root).read().title == "Welcome"
    assert MarkdownFolder(root, title="Mine").read().title == "Mine"


def test_single_file_is_a_book_of_one_page(write_book: WriteBook) -> None:
    root = write_book({"notes.md": "# My notes\n\nText.\n", "other.md": "Other."})
    book = MarkdownFolder(root / "notes.md").read()
    assert (book.title, book.generator) == ("My notes", "plain")
    assert [page.path for page in book.pages] == ["notes.md"]


def test_docs_folder_without_signs_of_docusaurus_is_just_a_folder(write_book: WriteBook) -> None:
    book = MarkdownFolder(write_book({"docs/a.md": "Text.", "b.md": "Text."})).read()
    assert (book.generator, len(book.pages)) == ("plain", 2)


def test_hidden_folders_are_left_out(write_book: WriteBook) -> None:
    root = write_book({"a.md": "T", ".git/b.md": "T", "node_modules/c.md": "T"})
    assert len(MarkdownFolder(root).read().pages) == 1

"""Damaged books: the rest is read, and every loss has a reason."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bythebook.errors import SourceError
from bythebook.sources.dialect import Dialect
from bythebook.sources.markdown import MarkdownFolder
from bythebook.sources.rendering import Rendered, render
from bythebook.types import Book

WriteBook = Callable[[Mapping[str, str | bytes]], Path]


def read(root: Path) -> Book:
    return MarkdownFolder(root).read()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"abc\xff", "not valid UTF-8 (byte 0xff at 3)"),
        (b"a\0b", "not a text file (it holds NUL bytes)"),
        (b"", "no text"),
        (b"---\ntitle: x\n---\n<!-- nothing -->\n", "no text"),
        (b"a" * (10 * 1024 * 1024 + 1), "larger than 10 MB"),
    ],
    ids=["latin-1", "binary", "empty", "only a comment", "too large"],
)
def test_unreadable_page_is_skipped_with_its_reason(
    content: bytes, reason: str, write_book: WriteBook
) -> None:
    book = read(write_book({"good.md": "Text.", "bad.md": content}))
    assert [page.path for page in book.pages] == ["good.md"]
    assert [(file.path, file.reason) for file in book.skipped] == [("bad.md", reason)]


def test_file_that_cannot_be_opened_is_skipped(
    write_book: WriteBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_book({"good.md": "Text.", "bad.md": "Text."})
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "bad.md":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert read(root).skipped[0].reason == "Permission denied"


def test_invalid_front_matter_is_reported_and_the_page_read(write_book: WriteBook) -> None:
    book = read(write_book({"a.md": "---\ntitle: 'x\n---\n\nText.\n"}))
    assert book.pages[0].text == "Text."
    assert "front matter is not valid YAML" in book.skipped[0].reason


def test_links_in_a_circle_and_out_of_the_folder_are_skipped(
    write_book: WriteBook, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    root = write_book({"good.md": "Text."})
    (root / "circle").symlink_to(root, target_is_directory=True)
    (root / "away").symlink_to(outside, target_is_directory=True)
    (root / "file.md").symlink_to(outside / "secret.md")
    (root / "loop.md").symlink_to(root / "loop.md")
    (root / "broken.md").symlink_to(root / "gone.md")
    (root / "alias.md").symlink_to(root / "good.md")
    book = read(root)
    assert [page.path for page in book.pages] == ["alias.md", "good.md"]
    assert {file.path for file in book.skipped} == {
        "circle",
        "away",
        "file.md",
        "loop.md",
        "broken.md",
    }


def test_folder_that_cannot_be_listed_is_skipped(
    write_book: WriteBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Taking the permission away would not stop root, as whom tests often run.
    listdir = os.listdir

    def listing(folder: Path) -> list[str]:
        if folder.name == "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return listdir(folder)

    monkeypatch.setattr(os, "listdir", listing)
    book = read(write_book({"good.md": "Text.", "closed/a.md": "Text."}))
    assert [(file.path, file.reason) for file in book.skipped] == [("closed", "Permission denied")]
    assert [page.path for page in book.pages] == ["good.md"]


def test_unexpected_failure_costs_one_page_only(
    write_book: WriteBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: str, dialect: Dialect) -> Rendered:
        if "bad" in source:
            raise RuntimeError("surprise")
        return render(source, dialect)

    monkeypatch.setattr("bythebook.sources.markdown.render", fail)
    book = read(write_book({"a.md": "good", "b.md": "bad"}))
    assert [page.path for page in book.pages] == ["a.md"]
    assert "surprise" in book.skipped[0].reason


def test_windows_line_ends_byte_order_mark_and_hard_spaces_are_handled(
    write_book: WriteBook,
) -> None:
    source = "\ufeff---\r\ntitle: T\r\n---\r\n# A\u00a0B\r\n\r\none\r\ntwo\tthree\u200b\r\n"
    page = read(write_book({"a.md": source})).pages[0]
    assert page.title == "T"
    assert page.text == "A B\n\none two three"


@pytest.mark.parametrize("name", ["nowhere", "nowhere" * 1000])
def test_missing_root_is_an_error_with_a_hint(name: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere") as caught:
        read(tmp_path / name)
    assert caught.value.hint


def test_folder_without_markdown_is_an_error_with_a_hint(write_book: WriteBook) -> None:
    with pytest.raises(SourceError, match="no Markdown") as caught:
        read(write_book({"a.txt": "Text."}))
    assert caught.value.hint


def test_book_without_a_readable_page_is_an_error_that_names_the_file(
    write_book: WriteBook,
) -> None:
    with pytest.raises(SourceError, match=r"bad\.md: no text") as caught:
        read(write_book({"bad.md": ""}))
    assert caught.value.hint


def test_file_that_is_not_markdown_is_an_error_with_a_hint(write_book: WriteBook) -> None:
    with pytest.raises(SourceError, match="not a Markdown file") as caught:
        read(write_book({"a.txt": "Text."}) / "a.txt")
    assert caught.value.hint


def test_a_pipe_is_skipped_and_not_waited_for(write_book: WriteBook) -> None:
    root = write_book({"good.md": "Text."})
    os.mkfifo(root / "pipe.md")
    book = read(root)
    assert [page.path for page in book.pages] == ["good.md"]
    assert [(file.path, file.reason) for file in book.skipped] == [
        ("pipe.md", "not an ordinary file")
    ]

"""Order, titles and addresses of a Docusaurus book."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bythebook.sources.layout import split_number
from bythebook.sources.markdown import MarkdownFolder
from bythebook.types import Book

WriteBook = Callable[[Mapping[str, str | bytes]], Path]

SITE = "https://example.org/book/"


def read(root: Path, base_url: str | None = SITE) -> Book:
    return MarkdownFolder(root, base_url=base_url).read()


def urls(book: Book) -> dict[str, str | None]:
    return {page.path: page.url for page in book.pages}


@pytest.mark.parametrize(
    "files",
    [
        {"docusaurus.config.ts": "export default {}", "a.md": "Text."},
        {"sidebars.js": "module.exports = {}", "a.md": "Text."},
        {"part/_category_.json": "{}", "part/a.md": "Text."},
        {"a.mdx": "Text."},
        {"a.md": "---\nsidebar_position: 1\n---\nText."},
        {"a.md": "---\nslug: /b\n---\nText."},
    ],
)
def test_docusaurus_is_recognised(files: dict[str, str], write_book: WriteBook) -> None:
    assert read(write_book(files)).generator == "docusaurus"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("01-intro", (1, "intro")),
        ("02_intro", (2, "intro")),
        ("3. intro", (3, "intro")),
        ("1 - intro", (1, "intro")),
        ("intro", (None, "intro")),
        ("2021-11-notes", (None, "2021-11-notes")),
        ("7.0-foo", (None, "7.0-foo")),
        ("10", (None, "10")),
    ],
)
def test_number_prefixes_are_split_but_dates_and_versions_kept(
    name: str, expected: tuple[int | None, str]
) -> None:
    assert split_number(name) == expected


def test_addresses_follow_the_rules_of_docusaurus(write_book: WriteBook) -> None:
    root = write_book(
        {
            "docs/01-intro.mdx": "Text.",
            "docs/02-kept.md": "---\nid: 02-kept\n---\nText.",
            "docs/03-part/04-page.md": "Text.",
            "docs/03-part/index.md": "Text.",
            "docs/tools/tools.md": "Text.",
            "docs/tools/moved.md": "---\nslug: /elsewhere\n---\nText.",
            "docs/tools/near.md": "---\nslug: ./close-by\n---\nText.",
            "docs/2021-11-log.md": "Text.",
            "docs/README.md": "Text.",
        }
    )
    assert urls(read(root)) == {
        "docs/01-intro.mdx": f"{SITE}docs/intro",
        "docs/02-kept.md": f"{SITE}docs/02-kept",
        "docs/03-part/04-page.md": f"{SITE}docs/part/page",
        "docs/03-part/index.md": f"{SITE}docs/part",
        "docs/tools/tools.md": f"{SITE}docs/tools",
        "docs/tools/moved.md": f"{SITE}docs/elsewhere",
        "docs/tools/near.md": f"{SITE}docs/tools/close-by",
        "docs/2021-11-log.md": f"{SITE}docs/2021-11-log",
        "docs/README.md": f"{SITE}docs",
    }


def test_docs_route_is_not_added_twice(write_book: WriteBook) -> None:
    root = write_book({"docs/a.mdx": "Text."})
    assert urls(read(root, f"{SITE}docs/")) == {"docs/a.mdx": f"{SITE}docs/a"}


def test_folder_without_docs_has_no_route(write_book: WriteBook) -> None:
    root = write_book({"a.mdx": "Text.", "index.md": "Text."})
    assert urls(read(root)) == {"index.md": SITE, "a.mdx": f"{SITE}a"}


def test_address_title_and_route_come_from_the_configuration(write_book: WriteBook) -> None:
    config = """
    // url: 'https://commented.example',
    module.exports = {
      title: 'Robots',
      url: 'https://robots.example',
      baseUrl: '/course/',
      trailingSlash: true,
      presets: [['classic', {
        blog: {routeBasePath: 'news'},
        docs: {sidebarPath: {a: 1}, routeBasePath: '/learn'},
      }]],
    };
    """
    book = read(write_book({"docusaurus.config.js": config, "docs/a.md": "Text."}), None)
    assert book.title == "Robots"
    assert book.pages[0].url == "https://robots.example/course/learn/a/"


def test_address_comes_from_site_json(write_book: WriteBook) -> None:
    site = {
        "title": "Robots",
        "url": "https://robots.example",
        "baseUrl": "/course/",
        "docs": {"routeBasePath": "docs"},
    }
    book = read(write_book({"site.json": json.dumps(site), "docs/a.mdx": "Text."}), None)
    assert (book.title, book.pages[0].url) == ("Robots", "https://robots.example/course/docs/a")


def test_without_any_address_pages_have_no_url(write_book: WriteBook) -> None:
    assert read(write_book({"a.mdx": "Text."}), None).pages[0].url is None


def test_pages_stand_in_the_order_of_the_sidebar(write_book: WriteBook) -> None:
    root = write_book(
        {
            "docs/zebra.md": "Text.",
            "docs/apple.md": "Text.",
            "docs/10-ten.md": "Text.",
            "docs/02-two/a.md": "Text.",
            "docs/02-two/readme.md": "Text.",
            "docs/first.md": "---\nsidebar_position: 1\n---\nText.",
            "docs/last-part/_category_.json": '{"position": 3}',
            "docs/last-part/x.md": "Text.",
        }
    )
    assert [page.path.removeprefix("docs/") for page in read(root).pages] == [
        "first.md",
        "02-two/readme.md",
        "02-two/a.md",
        "last-part/x.md",
        "10-ten.md",
        "apple.md",
        "zebra.md",
    ]


def test_title_is_front_matter_then_first_heading_then_name(write_book: WriteBook) -> None:
    root = write_book(
        {
            "01-a.mdx": "---\ntitle: Given\n---\n# Heading\n",
            "02-b.mdx": "Text.\n\n# Heading `b`\n",
            "03-c.mdx": "## Only a section\n",
        }
    )
    book = read(root)
    assert [page.title for page in book.pages] == ["Given", "Heading b", "c"]
    assert [page.chapter for page in book.pages] == ["Given", "Heading b", "c"]
    assert book.pages[0].headings[0].text == "Heading"


def test_module_is_the_first_folder_without_its_number(write_book: WriteBook) -> None:
    root = write_book({"docs/02-ros2/deep/a.mdx": "Text.", "docs/b.md": "Text."})
    modules = {page.path: page.module for page in read(root).pages}
    assert modules == {"docs/02-ros2/deep/a.mdx": "ros2", "docs/b.md": None}


def test_private_and_generated_files_are_left_out_silently(write_book: WriteBook) -> None:
    root = write_book(
        {
            "docusaurus.config.js": "",
            "a.md": "Text.",
            "_partial.mdx": "Text.",
            "_parts/b.md": "Text.",
            "node_modules/x/readme.md": "Text.",
            ".docusaurus/c.md": "Text.",
            "build/d.md": "Text.",
            "versioned_docs/e.md": "Text.",
            "i18n/f.md": "Text.",
        }
    )
    book = read(root)
    assert [page.path for page in book.pages] == ["a.md"]
    assert book.skipped == ()


def test_files_beside_the_docs_folder_are_no_pages(write_book: WriteBook) -> None:
    root = write_book({"docs/build/a.mdx": "Text.", "README.md": "Text.", "blog/b.md": "Text."})
    assert [page.path for page in read(root).pages] == ["docs/build/a.mdx"]


def test_drafts_and_unlisted_pages_are_skipped_with_a_reason(write_book: WriteBook) -> None:
    root = write_book(
        {
            "a.mdx": "Text.",
            "b.mdx": "---\ndraft: true\n---\nText.",
            "c.mdx": "---\nunlisted: true\n---\nText.",
        }
    )
    book = read(root)
    assert [page.path for page in book.pages] == ["a.mdx"]
    assert [(file.path, file.reason) for file in book.skipped] == [
        ("b.mdx", "marked as a draft"),
        ("c.mdx", "marked as unlisted"),
    ]


def test_broken_category_file_is_reported_and_the_folder_still_read(write_book: WriteBook) -> None:
    book = read(write_book({"part/_category_.json": "{", "part/a.md": "Text."}))
    assert len(book.pages) == 1
    assert book.skipped[0].path == "part/_category_.json"


def test_title_of_the_book_is_that_of_its_index_page(write_book: WriteBook) -> None:
    root = write_book({"a.mdx": "# A\n", "start.mdx": "---\nslug: /\n---\n# The whole book\n"})
    assert read(root).title == "The whole book"

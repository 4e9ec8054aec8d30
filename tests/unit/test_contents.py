from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.assistant import Assistant
from bythebook.contents import BookContents
from bythebook.copying import copy_index
from bythebook.errors import QueryError
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf
from bythebook.shelves.server import ServerShelf
from tests.builders import BASE_URL, SAMPLE
from tests.engines.qdrant import MakeOptions

SENSORS = "01-intro/02-sensors.md"
LIDAR = "A lidar measures distance by emitting laser light"


@pytest.fixture(scope="module")
def contents(book: Assistant) -> BookContents:
    return asyncio.run(book.contents())


def read(contents: BookContents, page: str, **where: str) -> str:
    found, section = contents.section(page, **where)
    return found.text(section)


def test_the_book_has_its_pages_in_reading_order_with_their_whole_text(
    contents: BookContents,
) -> None:
    pages = make_source(SAMPLE, base_url=BASE_URL).read().pages
    assert [page.entry.path for page in contents.pages] == [page.path for page in pages]
    assert [page.body.text for page in contents.pages] == [page.text for page in pages]


def test_the_contents_are_read_once(book: Assistant, contents: BookContents) -> None:
    assert asyncio.run(book.contents()) is contents


@pytest.mark.parametrize(
    "name",
    [SENSORS, "Sensors", "sensors", f"{BASE_URL}intro/sensors", f"{BASE_URL}intro/sensors/"],
)
def test_a_page_goes_by_its_path_its_title_and_its_address(
    contents: BookContents, name: str
) -> None:
    page, section = contents.section(name)
    assert page.entry.path == SENSORS
    assert section.heading_path == ()


@pytest.mark.parametrize(
    "where", [{"anchor": "lidar"}, {"anchor": "#lidar"}, {"heading": "Lidar"}, {"heading": "lidar"}]
)
def test_a_section_goes_by_its_anchor_and_its_heading(
    contents: BookContents, where: dict[str, str]
) -> None:
    assert read(contents, SENSORS, **where).startswith(LIDAR)


def test_the_link_of_a_citation_leads_to_its_section(contents: BookContents) -> None:
    link = f"{BASE_URL}intro/sensors#lidar:~:text=A%20lidar%20measures"
    assert read(contents, link).startswith(LIDAR)


def test_the_address_of_a_section_leads_back_to_it(contents: BookContents) -> None:
    for page, section in contents.sections():
        url = page.url(section)
        assert url
        again, same = contents.section(url)
        assert (again.entry.path, same.anchor) == (page.entry.path, section.anchor or "")


def test_sections_can_be_had_of_one_module_or_page(contents: BookContents) -> None:
    assert {p.entry.module for p, _ in contents.sections(module="ros2")} == {"ros2"}
    assert {p.entry.path for p, _ in contents.sections(page="Sensors")} == {SENSORS}


@pytest.mark.parametrize(
    ("page", "where", "said"),
    [
        ("Sensor", {}, "the book has no page 'Sensor'"),
        (SENSORS, {"anchor": "lida"}, "has no section with the anchor 'lida'"),
        (SENSORS, {"heading": "Lidars"}, "has no section with the heading 'Lidars'"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(
    contents: BookContents, page: str, where: dict[str, str], said: str
) -> None:
    with pytest.raises(QueryError) as caught:
        contents.section(page, **where)
    assert said in caught.value.message
    assert caught.value.hint
    assert "sensors.md" in caught.value.hint or "idar" in caught.value.hint


def test_a_module_that_is_not_there_is_named_with_those_that_are(contents: BookContents) -> None:
    with pytest.raises(QueryError) as caught:
        list(contents.sections(module="cooking"))
    assert "'cooking'" in caught.value.message
    assert "'ros2'" in (caught.value.hint or "")


def test_a_book_on_a_server_has_the_same_contents(
    sample_index: Path, server_options: MakeOptions, contents: BookContents
) -> None:
    options = server_options()
    copy_index(FolderShelf(sample_index), ServerShelf(options))
    assistant = open_assistant(
        load_settings(qdrant_url=options.url, qdrant_collection=options.collection)
    )
    try:
        there = asyncio.run(assistant.contents())
    finally:
        assistant.close()
    assert [page.body for page in there.pages] == [page.body for page in contents.pages]

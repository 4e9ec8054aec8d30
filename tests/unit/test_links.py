from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.links import deep_link, section_link
from bythebook.types import Chunk
from tests.builders import CODE, HEADER, ITEM, ROW, P, make_chunk

LONG = "The first words of it stand here and then many others follow until the last words come."


def link(chunk: Chunk, excerpt: str) -> str:
    start = chunk.text.index(excerpt)
    return deep_link(chunk, start, start + len(excerpt)) or ""


def test_a_short_excerpt_is_found_by_all_its_words() -> None:
    chunk = make_chunk((P, "A node runs. It talks."))
    assert link(chunk, "It talks.") == "https://example.org/page#section:~:text=It%20talks."


def test_a_long_excerpt_is_found_by_its_first_and_last_words() -> None:
    fragment = link(make_chunk((P, LONG)), LONG).partition(":~:text=")[2]
    first, last = map(unquote, fragment.split(","))
    assert LONG.startswith(first)
    assert LONG.endswith(last)
    assert len(first) + len(last) < len(LONG)


def test_neither_end_of_a_fragment_reaches_over_a_line_break() -> None:
    code = "def move():\n    turn()\n    return True"
    fragment = link(make_chunk((CODE, code)), code).partition(":~:text=")[2]
    assert list(map(unquote, fragment.split(","))) == ["def move():", "return True"]


def test_a_row_is_found_by_its_first_and_last_cell() -> None:
    chunk = make_chunk((HEADER, "Name | Mass | Use"), (ROW, "Arm | 3 kg | lifting"))
    assert link(chunk, "Arm | 3 kg | lifting").endswith(":~:text=Arm,lifting")


def test_the_marker_of_an_item_is_no_part_of_the_fragment() -> None:
    chunk = make_chunk((ITEM, "Look."), (ITEM, "Move."))
    assert link(chunk, "- Look.\n- Move.").endswith(":~:text=Look.,Move.")


def test_signs_that_mean_something_in_a_fragment_are_written_as_codes() -> None:
    text = "real-time, safe & sound #1"
    fragment = link(make_chunk((P, text)), text).partition(":~:text=")[2]
    assert not set("-,&# ") & set(fragment)
    assert unquote(fragment) == text


def test_a_paged_book_is_opened_at_its_page() -> None:
    assert link(make_chunk((P, "Hello."), page_number=7), "Hello.").endswith("page#page=7")


def test_a_book_without_an_address_is_linked_by_its_file() -> None:
    chunk = make_chunk((P, "Hello."), page_url=None, page_path="my page.md")
    assert link(chunk, "Hello.") == "my%20page.md#section:~:text=Hello."


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "https://example.org/page#section"),
        ({"anchor": ""}, "https://example.org/page"),
        ({"anchor": "é b"}, "https://example.org/page#%C3%A9%20b"),
        ({"page_url": None}, None),
    ],
)
def test_a_section_is_linked_by_its_anchor(fields: dict[str, str], expected: str | None) -> None:
    assert section_link(make_chunk((P, "Hello."), **fields)) == expected


@given(st.text(min_size=1).filter(str.strip))
def test_every_excerpt_has_a_link_without_space_in_it(text: str) -> None:
    made = deep_link(make_chunk((P, text)), 0, len(text))
    assert made
    assert not any(character.isspace() for character in made)

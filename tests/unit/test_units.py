from __future__ import annotations

import pytest

from bythebook.types import Block
from bythebook.units import introduced, units_of
from tests.builders import CODE, HEADER, ITEM, ROW, P, make_passage


def test_prose_is_quoted_sentence_by_sentence() -> None:
    units = units_of(make_passage((P, "A node runs. It talks."), (ITEM, "One. Two.")))
    assert [unit.text for unit in units] == ["A node runs.", "It talks.", "One.", "Two."]
    assert [unit.position for unit in units] == [0, 1, 2, 3]


def test_code_and_rows_are_quoted_whole() -> None:
    code = "x = 1. \n\ny = 2. Z"
    units = units_of(make_passage((CODE, code), (HEADER, "A | B"), (ROW, "1. One | 2. Two")))
    assert [unit.text for unit in units] == [code, "A | B", "1. One | 2. Two"]


def test_a_row_knows_the_header_above_it() -> None:
    passage = make_passage((HEADER, "A | B"), (ROW, "1 | 2"), (ROW, "3 | 4"), (P, "Done."))
    assert [unit.header for unit in units_of(passage)] == ["", "A | B", "A | B", ""]


def test_a_sentence_with_a_colon_announces_what_follows() -> None:
    passage = make_passage((P, "Listen. Do this:"), (ITEM, "Look."), (CODE, "run"), (P, "Done."))
    units = units_of(passage)
    lead = units[1]
    assert lead.is_announcement
    assert [unit.text for unit in introduced(units, lead)] == ["Look.", "run"]
    assert units[3].introduced_by == lead.position
    assert units[4].introduced_by is None
    assert not units[0].is_announcement


def test_a_sentence_that_points_ahead_announces_a_list_but_not_a_paragraph() -> None:
    before_list = units_of(make_passage((P, "The following steps help."), (ITEM, "Look.")))
    before_prose = units_of(make_passage((P, "The following steps help."), (P, "Look.")))
    assert before_list[0].is_announcement
    assert not before_prose[0].is_announcement


@pytest.mark.parametrize(
    ("sentence", "announces"),
    [
        ("The gap has three main sources.", True),
        ("A robot needs 3 maps.", True),
        ("The gap has causes.", False),
        ("Take version two for all releases.", False),
        ("It has two modes, fast and slow.", False),
    ],
)
def test_a_sentence_that_counts_what_a_table_holds_announces_it(
    sentence: str, announces: bool
) -> None:
    lead, *_ = units_of(make_passage((P, sentence), (HEADER, "A | B"), (ROW, "1 | 2")))
    assert lead.is_announcement == announces
    before_code, *_ = units_of(make_passage((P, sentence), (CODE, "x = 1")))
    assert not before_code.is_announcement


def test_an_item_announces_the_items_nested_in_it() -> None:
    passage = make_passage((ITEM, "Sensors"), (ITEM, "camera"), (ITEM, "Motors"))
    blocks = [
        b.model_copy(update={"depth": d})
        for b, d in zip(passage.chunk.blocks, (0, 1, 0), strict=True)
    ]
    chunk = passage.chunk.model_copy(update={"blocks": tuple(blocks)})
    units = units_of(passage.model_copy(update={"chunk": chunk}))
    assert [unit.introduced_by for unit in units] == [None, 0, None]


def test_a_passage_without_structure_is_read_as_prose() -> None:
    units = units_of(make_passage((P, "One here. Two here."), blocks=()))
    assert [unit.text for unit in units] == ["One here.", "Two here."]


def test_an_empty_block_gives_no_unit() -> None:
    passage = make_passage((P, "One here."), blocks=(Block(kind=CODE, start=3, end=3),))
    assert units_of(passage) == []


def test_a_unit_is_told_apart_by_its_place() -> None:
    units = units_of(make_passage((P, "Same. Same.")))
    assert units[0].text == units[1].text
    assert units[0].key != units[1].key

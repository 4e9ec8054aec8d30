from __future__ import annotations

from bythebook.planning import SELECTED_SECTION, selected_passage, selected_retrieval
from bythebook.types import Mode, Query
from tests.builders import ITEM, P

TEXT = "  A node runs.\n- one\n2) two\n\nLast line  "


def test_marked_text_decides_the_workflow() -> None:
    assert Query(text="q").mode is Mode.STANDARD_RAG
    assert Query(text="q", selected_text=TEXT).mode is Mode.SELECTED_TEXT_ONLY


def test_marked_text_is_the_one_passage_and_as_it_was_marked() -> None:
    passage = selected_passage(TEXT)
    assert passage.chunk.text == TEXT
    assert passage.score == 1.0
    assert passage.chunk.is_selection
    assert passage.chunk.section == SELECTED_SECTION


def test_lines_of_marked_text_become_paragraphs_and_items() -> None:
    chunk = selected_passage(TEXT).chunk
    found = [(b.kind, b.marker, chunk.text[b.start : b.end]) for b in chunk.blocks]
    assert found == [
        (P, "", "A node runs."),
        (ITEM, "-", "one"),
        (ITEM, "2)", "two"),
        (P, "", "Last line"),
    ]


def test_the_page_of_marked_text_comes_from_the_request() -> None:
    query = Query(text="q", selected_text=TEXT, page_url="https://example.org/p")
    retrieval = selected_retrieval(query)
    assert [p.chunk.page_url for p in retrieval.passages] == ["https://example.org/p"]
    assert retrieval.total_candidates == 1
    assert retrieval.threshold == 0.0

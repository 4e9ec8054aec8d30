from __future__ import annotations

import pytest

from bythebook.chunking import Chunker
from bythebook.types import Block, BlockKind, Chunk, Page
from tests.builders import CAPTION, CODE, HEADER, HEADING, ITEM, ROW, P, make_page


def count_words(text: str) -> int:
    return len(text.split())


def chunk(page: Page, max_tokens: int = 40) -> list[Chunk]:
    return Chunker(max_tokens, count_words).chunk(page)


def sentence(words: int, tag: str = "word") -> str:
    return "A " + " ".join(f"{tag}{number}" for number in range(words - 1)) + "."


def test_a_short_section_is_one_chunk_with_all_it_needs_to_be_found_again() -> None:
    page = make_page((HEADING, "First part"), (P, "One here."), (P, "Two here."))
    (only,) = chunk(page)
    assert only.text == "One here.\n\nTwo here." == page.text[only.start : only.end]
    assert only.heading_path == ("First part",)
    assert only.anchor == "first-part"
    assert (only.page_path, only.page_title, only.index) == ("page.md", "Page", 0)
    assert only.token_count == 4
    assert [only.text[b.start : b.end] for b in only.blocks] == ["One here.", "Two here."]


def test_a_chunk_never_reaches_over_a_heading() -> None:
    page = make_page((P, "Before."), (HEADING, "A"), (P, "One."), (HEADING, "B"), (P, "Two."))
    chunks = chunk(page)
    assert [(c.heading_path, c.text) for c in chunks] == [
        ((), "Before."),
        (("A",), "One."),
        (("B",), "Two."),
    ]
    assert [c.index for c in chunks] == [0, 1, 2]


def test_a_deeper_heading_keeps_those_above_it_and_an_equal_one_replaces() -> None:
    page = make_page((HEADING, "A"), (P, "a"), (HEADING, "B"), (P, "b"), (HEADING, "C"), (P, "c"))
    levels = (1, 2, 2)
    headings = tuple(
        h.model_copy(update={"level": n}) for h, n in zip(page.headings, levels, strict=True)
    )
    paths = [c.heading_path for c in chunk(page.model_copy(update={"headings": headings}))]
    assert paths == [("A",), ("A", "B"), ("A", "C")]


def test_paragraphs_are_packed_until_the_window_is_full() -> None:
    chunks = chunk(make_page(*[(P, sentence(12)) for _ in range(4)]))
    assert [c.text.count("A ") for c in chunks] == [3, 1]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    text = " ".join(sentence(15, tag) for tag in ("a", "b", "c", "d"))
    chunks = chunk(make_page((P, text)))
    assert len(chunks) == 2
    assert all(c.text.endswith(".") and c.text.startswith("A ") for c in chunks)


def test_code_stays_whole_with_the_sentence_that_introduces_it() -> None:
    code = "run\n\n" * 60 + "stop"
    page = make_page((P, f"{sentence(20)} Type this."), (CODE, code), (P, "Done now."))
    chunks = chunk(page)
    assert [c.text for c in chunks] == [sentence(20), f"Type this.\n\n{code}", "Done now."]


def test_a_caption_stays_with_what_it_names() -> None:
    page = make_page((P, sentence(30)), (CAPTION, "Warning"), (P, sentence(12)))
    assert [c.text for c in chunk(page)] == [sentence(30), f"Warning\n\n{sentence(12)}"]


def test_an_announcement_stays_with_the_first_item_of_its_list() -> None:
    page = make_page((P, sentence(30)), (P, "Do these:"), (ITEM, sentence(8)), (ITEM, sentence(8)))
    chunks = chunk(page)
    assert chunks[0].text == sentence(30)
    assert chunks[1].text.startswith("Do these:\n\n- A ")


def test_every_part_of_a_table_keeps_the_header_row() -> None:
    rows = [(ROW, f"joint{number} | {number} kg") for number in range(30)]
    chunks = chunk(make_page((HEADER, "Name | Mass"), *rows))
    assert len(chunks) > 2
    assert all(c.text.startswith("Name | Mass\n") for c in chunks)
    assert chunks[0].lead == ""
    for later in chunks[1:]:
        assert later.lead == "Name | Mass\n"
        first = later.blocks[0]
        assert first.kind is BlockKind.TABLE_HEADER
        assert later.text[first.start : first.end] == "Name | Mass"


def test_list_markers_count_against_the_window() -> None:
    page = make_page(*[(ITEM, f"turn wheel{number}") for number in range(60)])
    assert all(c.token_count <= 40 for c in chunk(page))


def test_the_place_of_a_passage_counts_against_the_window() -> None:
    paragraphs = [(P, sentence(6)) for _ in range(12)]
    short = chunk(make_page((HEADING, "A"), *paragraphs))
    long = chunk(make_page((HEADING, "A very long heading of eight words indeed"), *paragraphs))
    assert max(c.token_count for c in long) < max(c.token_count for c in short)


def test_a_page_without_text_has_no_chunks() -> None:
    assert chunk(make_page((HEADING, "Only a heading"))) == []
    assert chunk(Page(path="a.md", title="A", text="")) == []


def test_the_same_words_twice_under_one_heading_get_two_ids() -> None:
    chunks = chunk(make_page((P, sentence(30)), (P, sentence(30))))
    assert chunks[0].content_hash == chunks[1].content_hash
    assert chunks[0].id != chunks[1].id


def test_an_id_depends_on_page_heading_and_words_alone() -> None:
    first = chunk(make_page((HEADING, "A"), (P, "One here.")))[0]
    moved = chunk(make_page((P, "New start."), (HEADING, "A"), (P, "One here.")))[1]
    assert first.id == moved.id
    others = [
        make_page((HEADING, "A"), (P, "One there.")),
        make_page((HEADING, "B"), (P, "One here.")),
        make_page((HEADING, "A"), (P, "One here."), path="other.md"),
    ]
    assert first.id not in {chunk(page)[0].id for page in others}


def test_a_block_outside_its_page_is_refused() -> None:
    with pytest.raises(ValueError, match="outside page"):
        Page(path="a.md", title="A", text="ab", blocks=(Block(kind=P, start=0, end=3),))

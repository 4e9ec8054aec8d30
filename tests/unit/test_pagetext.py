"""A page put together from its chunks is the page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bythebook.assembly import make_source
from bythebook.chunking import Chunker
from bythebook.embedders.tokens import count_tokens
from bythebook.pagetext import PageText, assemble
from bythebook.types import Heading, Page
from tests.builders import (
    CODE,
    HEADER,
    HEADING,
    ITEM,
    ROW,
    SAMPLE,
    P,
    Piece,
    make_chunk,
    make_page,
)
from tests.unit.test_chunking_properties import chunk, code, line, prose, row

bodies = st.one_of(
    prose.map(lambda text: [(P, text)]),
    st.lists(prose, min_size=1, max_size=6).map(lambda texts: [(ITEM, text) for text in texts]),
    code.map(lambda text: [(CODE, text)]),
    st.lists(row, min_size=2, max_size=9).map(
        lambda r: [(HEADER, r[0]), *((ROW, x) for x in r[1:])]
    ),
)
sections = st.lists(bodies, min_size=1, max_size=4).map(lambda parts: [p for b in parts for p in b])


def with_headings(parts: list[tuple[str, list[Piece]]]) -> Page:
    """Return a page with a heading over every part but the first."""
    pieces: list[Piece] = []
    for number, (heading, body) in enumerate(parts):
        pieces += [(HEADING, f"{heading} {number}")] if number else []
        pieces += body
    return make_page(*pieces)


pages = st.lists(st.tuples(line, sections), min_size=1, max_size=5).map(with_headings)


@given(pages)
def test_the_text_of_any_page_comes_back_from_its_chunks(page: Page) -> None:
    assert assemble(chunk(page)).text == page.text


def test_every_page_of_the_sample_book_comes_back_word_for_word() -> None:
    chunker = Chunker(256, count_tokens)
    read = make_source(SAMPLE).read().pages
    assert len(read) > 20
    for page in read:
        assert assemble(chunker.chunk(page)).text == page.text, page.path


def test_every_section_of_the_sample_book_is_what_stands_under_its_heading() -> None:
    chunker = Chunker(256, count_tokens)
    checked = 0
    for page in make_source(SAMPLE).read().pages:
        body = assemble(chunker.chunk(page))
        found = {section.anchor: section for section in body.sections if section.anchor}
        for heading in page.headings:
            section = found[heading.anchor]
            assert body.text[section.start : section.end] == under(page, heading)
            checked += 1
    assert checked > 100


def under(page: Page, heading: Heading) -> str:
    """Return the text from behind a heading to the next one of its level or above."""
    begin = heading.start + len(heading.text)
    ends = [h.start for h in page.headings if h.start > heading.start and h.level <= heading.level]
    return page.text[begin : min(ends, default=len(page.text))].strip("\n")


def nested(*levels_and_texts: tuple[int, str]) -> PageText:
    """Return a page made of headings of some level and paragraphs of level 0."""
    pieces = [(HEADING if level else P, text) for level, text in levels_and_texts]
    page = make_page(*pieces)
    levels = iter([level for level, _ in levels_and_texts if level])
    headings = tuple(h.model_copy(update={"level": next(levels)}) for h in page.headings)
    body = assemble(chunk(page.model_copy(update={"headings": headings})))
    assert body.text == page.text
    return body


def test_a_section_holds_its_subsections_and_ends_before_the_next() -> None:
    body = nested((1, "Arms"), (0, "One."), (2, "Left"), (0, "Two."), (1, "Legs"), (0, "Three."))
    texts = {s.heading_path: body.text[s.start : s.end] for s in body.sections}
    assert texts[("Arms",)] == "One.\n\nLeft\n\nTwo."
    assert texts[("Arms", "Left")] == "Two."
    assert texts[("Legs",)] == "Three."
    assert texts[()] == body.text


def test_a_heading_with_text_only_below_its_subheadings_is_a_section_too() -> None:
    body = nested((1, "Arms"), (2, "Left"), (0, "Two."))
    section = next(s for s in body.sections if s.heading_path == ("Arms",))
    assert section.anchor is None
    assert body.text[section.start : section.end] == "Left\n\nTwo."


def test_sections_of_the_same_name_are_told_apart_by_their_anchors() -> None:
    chunks = [
        make_chunk((P, "One."), heading_path=("Example",), anchor="example", index=0),
        make_chunk((P, "Two."), heading_path=("Example",), anchor="example-1", index=1, start=15),
    ]
    body = assemble(chunks)
    found = {s.anchor: body.text[s.start : s.end] for s in body.sections}
    assert (found["example"], found["example-1"]) == ("One.", "Two.")


def test_chunks_of_another_program_without_offsets_are_set_one_below_the_other() -> None:
    chunks = [
        make_chunk((P, words), heading_path=("A",), anchor="", start=0, end=len(words), index=n)
        for n, words in enumerate(("First.", "Second."))
    ]
    assert assemble(chunks).text == "A\n\nFirst.\n\nSecond."

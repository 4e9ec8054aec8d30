"""What holds for the chunks of every page, however it is made."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bythebook.chunking import Chunker
from bythebook.sentences import split_sentences
from bythebook.types import Block, Chunk, Page
from tests.builders import CAPTION, CODE, FORMULA, HEADER, HEADING, ITEM, ROW, P, Piece, make_page

MAX_TOKENS = 24
PROSE = (P, ITEM)

words = st.lists(
    st.sampled_from("Robot arm has 3.5 e.g. joints, and (two) legs é".split()),
    min_size=1,
    max_size=9,
)
sentences = st.builds(lambda w, mark: "Now " + " ".join(w) + mark, words, st.sampled_from(".!?:"))
prose = st.lists(sentences, min_size=1, max_size=4).map(" ".join)
line = words.map(" ".join)
row = st.lists(line, min_size=2, max_size=2).map(" | ".join)
code = st.lists(line, min_size=1, max_size=6).map("\n".join)


def as_pieces(*kinds_and_texts: Piece) -> list[Piece]:
    return list(kinds_and_texts)


table = st.builds(
    lambda h, rows: [(HEADER, h), *((ROW, r) for r in rows)],
    row,
    st.lists(row, min_size=1, max_size=8),
)
bodies = st.one_of(
    prose.map(lambda t: as_pieces((P, t))),
    st.lists(prose, min_size=1, max_size=6).map(lambda ts: [(ITEM, t) for t in ts]),
    code.map(lambda t: as_pieces((CODE, t))),
    line.map(lambda t: as_pieces((FORMULA, t))),
    st.builds(lambda c, t: as_pieces((CAPTION, c), (P, t)), line, prose),
    line.map(lambda t: as_pieces((HEADING, t))),
    table,
)
pages = st.lists(bodies, max_size=8).map(
    lambda parts: make_page(*[p for part in parts for p in part])
)


def count_tokens(text: str) -> int:
    return len(text.split())


def chunk(page: Page) -> list[Chunk]:
    return Chunker(MAX_TOKENS, count_tokens).chunk(page)


@given(pages)
def test_the_text_of_a_chunk_is_its_lead_and_a_span_of_the_page(page: Page) -> None:
    for found in chunk(page):
        assert found.text == found.lead + page.text[found.start : found.end]
        assert found.token_count == count_tokens(found.text)


@given(pages)
def test_chunks_follow_each_other_and_cover_every_block(page: Page) -> None:
    chunks = chunk(page)
    assert [c.index for c in chunks] == list(range(len(chunks)))
    assert all(before.end <= after.start for before, after in pairwise(chunks))
    covered = {position for c in chunks for position in range(c.start, c.end)}
    for block in page.blocks:
        positions = range(block.start, block.end)
        if block.kind is HEADING:
            assert not covered & set(positions)
        else:
            assert all(p in covered or page.text[p].isspace() for p in positions)


@given(pages)
def test_no_cut_goes_through_code_a_row_or_a_sentence(page: Page) -> None:
    for found in chunk(page):
        for cut in (found.start, found.end):
            for block in page.blocks:
                if not block.start < cut < block.end:
                    continue
                assert block.kind in PROSE
                spans = split_sentences(page.text, block.start, block.end)
                assert not any(start < cut < end for start, end in spans)


@given(pages)
def test_a_chunk_fits_the_window_unless_it_cannot_be_parted(page: Page) -> None:
    for found in chunk(page):
        context = count_tokens(" > ".join(["Page", *found.heading_path]))
        room = MAX_TOKENS - 2 - min(context, MAX_TOKENS // 4)
        if found.token_count > room:
            assert not seams(page, found)


def seams(page: Page, found: Chunk) -> list[int]:
    """Return the places inside a chunk where it may have been cut."""
    blocks = [
        b
        for b in page.blocks
        if found.start <= b.start < found.end or b.start <= found.start < b.end
    ]
    places: list[int] = []
    for number, block in enumerate(blocks):
        if number and not belongs(page, blocks[number - 1], block):
            places.append(block.start)
        if block.kind in PROSE:
            places += [start for start, _ in split_sentences(page.text, block.start, block.end)[1:]]
    return [place for place in places if found.start < place < found.end]


def belongs(page: Page, before: Block, block: Block) -> bool:
    announces = before.kind in PROSE and page.text[before.start : before.end].endswith(":")
    return (
        before.kind in (CAPTION, HEADER)
        or (before.kind in PROSE and block.kind in (CODE, FORMULA))
        or (announces and block.kind is not P)
    )


@given(pages)
def test_ids_are_distinct_and_the_same_every_time(page: Page) -> None:
    ids = [c.id for c in chunk(page)]
    assert len(set(ids)) == len(ids)
    assert ids == [c.id for c in chunk(page)]


@given(pages, prose)
def test_a_new_section_behind_changes_no_id(page: Page, text: str) -> None:
    pieces = [(b.kind, page.text[b.start : b.end]) for b in page.blocks]
    longer = make_page(*pieces, (HEADING, "An end of its own"), (P, text))
    before = [c.id for c in chunk(page)]
    assert [c.id for c in chunk(longer)][: len(before)] == before


@given(pages)
def test_the_blocks_of_a_chunk_are_those_of_the_page(page: Page) -> None:
    for found in chunk(page):
        for block in found.blocks:
            words_here = found.text[block.start : block.end]
            assert words_here.strip()
            assert any(
                words_here in page.text[b.start : b.end]
                for b in page.blocks
                if b.kind is block.kind
            )

"""What holds for every page, whatever is written in it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bythebook.sources.dialect import DOCUSAURUS_MD, DOCUSAURUS_MDX, MDBOOK, PLAIN, Dialect
from bythebook.sources.frontmatter import split_front_matter
from bythebook.sources.rendering import render
from bythebook.types import BlockKind

DIALECTS = st.sampled_from([PLAIN, MDBOOK, DOCUSAURUS_MD, DOCUSAURUS_MDX])

# Pieces of markup, whole and broken, that meet in every order.
PIECES = st.sampled_from(
    [
        "# A\n", "\n", "\n\n", "  ", "    ", "\t", "- ", "1. ", "> ", "```", "~~~py\n", "`", "**",
        "_", "$", "$$", "$$\n", "|", "|-|\n", "a|b\n-|-\n", "<div>", "</div>", "<Tabs>", "<a b={",
        "<TabItem label='x'>", "{", "}", "{/*", "*/}", "<!--", "-->", ":::tip ", ":::\n", "[x](y)",
        "![", "]", "(", "[^1]", "[^1]: ", "import a from 'b'\n", "export const a = {\n",
        "<summary>", "</summary>", "<pre>", "<table>", "<tr><td>", "</table>", "<h2>", "</h2>",
        "<style>", "{#id}", "word", " word ", "[ ] ", "[!NOTE]\n", "\\", "&amp;", "---\n", "===\n",
        "\u00a0",
    ]
)  # fmt: skip
PAGES = st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join)


@settings(deadline=None, max_examples=400)
@given(source=PAGES, dialect=DIALECTS)
def test_blocks_lie_in_the_text_in_order_and_apart(source: str, dialect: Dialect) -> None:
    page = render(source, dialect)
    end = 0
    for number, block in enumerate(page.blocks):
        assert block.start < block.end <= len(page.text)
        if number:
            assert "\n" in page.text[end : block.start]
        end = block.end
    starts = {block.start for block in page.blocks if block.kind is BlockKind.HEADING}
    assert {heading.start for heading in page.headings} == starts


@settings(deadline=None, max_examples=300)
@given(source=st.text(), dialect=DIALECTS)
def test_any_text_can_be_read(source: str, dialect: Dialect) -> None:
    front, body = split_front_matter(source)
    render(body, dialect)
    assert front.problem is None or body != source


@settings(deadline=None, max_examples=200)
@given(words=st.lists(st.text("abcdefgh", min_size=1), min_size=1), dialect=DIALECTS)
def test_plain_words_are_kept_as_they_are(words: list[str], dialect: Dialect) -> None:
    prose = " ".join(words)
    assert render(prose, dialect).text == prose


@pytest.mark.parametrize(
    "piece",
    ["[", "![", "*a ", "<a b={", "{\n", "<!--\n", "{/*\n", "<div>\n", "$a ", "- ", "> ", "```\n"],
)
def test_endless_repetition_is_read_in_time(piece: str) -> None:
    for dialect in (PLAIN, DOCUSAURUS_MDX):
        render(piece * 10_000, dialect)

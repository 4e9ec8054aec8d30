"""How Markdown becomes readable text with blocks beside it."""

from __future__ import annotations

import pytest

from bythebook.sources.dialect import MDBOOK, PLAIN, Dialect
from bythebook.sources.rendering import Rendered, render
from bythebook.types import BlockKind


def shown(source: str, dialect: Dialect = PLAIN) -> list[tuple[str, str]]:
    """Return kind and text of every block."""
    return spans(render(source, dialect))


def spans(page: Rendered) -> list[tuple[str, str]]:
    return [(block.kind.value, page.text[block.start : block.end]) for block in page.blocks]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("A **bold** and *thin* word", "A bold and thin word"),
        ("See [the docs](https://example.org) now", "See the docs now"),
        ("Run `pip install` twice", "Run pip install twice"),
        ("A picture ![of a cat](cat.png) here", "A picture here"),
        ("one\ntwo", "one two"),
        ("one  \ntwo", "one two"),
        ("one<br/>two", "one two"),
        ("a <kbd>key</kbd> press", "a key press"),
        ("fish &amp; chips&nbsp;here", "fish & chips here"),
        ("~~old~~ new", "old new"),
        (r"not \*bold\*", "not *bold*"),
        ("a <!-- hidden --> comment", "a comment"),
        ("<https://example.org>", "https://example.org"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("the type `Vec<T>`", "the type Vec<T>"),
    ],
)
def test_inline_markdown_leaves_only_what_a_reader_sees(source: str, text: str) -> None:
    assert render(source, PLAIN).text == text


@pytest.mark.parametrize(
    "text",
    [
        r"The sum $\sum_{i=0}^{n} x_i$ is small",
        r"Here $ \frac{a}{b} $ stands with spaces",
        "It costs $5 and then $10 more",
    ],
)
def test_formulas_and_prices_in_a_line_are_kept_as_written(text: str) -> None:
    assert render(text, PLAIN).text == text


def test_shell_variables_are_no_formula() -> None:
    assert render("In *$HOME/bin* set `$PATH` now", PLAIN).text == "In $HOME/bin set $PATH now"


def test_paragraphs_are_separated_by_an_empty_line() -> None:
    assert render("# Title\n\nOne.\n\nTwo.", PLAIN).text == "Title\n\nOne.\n\nTwo."


def test_headings_have_level_text_anchor_and_place() -> None:
    page = render("# The `big` *one*\n\nText.\n\n## Next\n", PLAIN)
    first, second = page.headings
    assert (first.level, first.text, first.anchor) == (1, "The big one", "the-big-one")
    assert (second.level, second.anchor) == (2, "next")
    assert page.text[second.start :].startswith("Next")


@pytest.mark.parametrize("given", ["{#my-id}", "{/* #my-id */}", "{#my-id .class}"])
def test_explicit_heading_id_is_used_and_not_shown(given: str) -> None:
    page = render(f"## A heading {given}\n", PLAIN)
    assert page.headings[0].text == "A heading"
    assert page.headings[0].anchor == "my-id"
    assert page.text == "A heading"


def test_heading_in_a_quote_counts_for_anchors() -> None:
    page = render("> ### Note\n>\n> Text.\n\n## Note\n", MDBOOK)
    assert [heading.anchor for heading in page.headings] == ["note", "note-1"]
    assert ("paragraph", "Text.") in spans(page)


def test_hash_lines_in_code_are_no_headings() -> None:
    page = render("```bash\n# install\nmake\n```\n", PLAIN)
    assert page.headings == ()
    assert spans(page) == [("code", "# install\nmake")]


def test_list_items_show_their_marker_outside_the_block() -> None:
    page = render("- one\n- two\n  - three\n", PLAIN)
    assert page.text == "- one\n- two\n  - three"
    assert [block.depth for block in page.blocks] == [0, 0, 1]
    assert {block.marker for block in page.blocks} == {"-"}
    assert spans(page)[2] == ("list_item", "three")


def test_ordered_items_are_counted_from_the_first_number() -> None:
    page = render("3. a\n3. b\n", PLAIN)
    assert page.text == "3. a\n4. b"
    assert [block.marker for block in page.blocks] == ["3.", "4."]


def test_task_boxes_are_not_shown() -> None:
    assert render("- [ ] open\n- [x] done\n", PLAIN).text == "- open\n- done"


def test_more_content_of_an_item_keeps_the_depth() -> None:
    source = "- top\n  - item\n\n    more\n\n    ```py\n    if x:\n        y()\n    ```\n"
    page = render(source, PLAIN)
    assert spans(page)[2:] == [("paragraph", "more"), ("code", "if x:\n    y()")]
    assert [block.depth for block in page.blocks[2:]] == [1, 1]


def test_table_rows_are_lines_with_bars_between_the_cells() -> None:
    page = render("| Name | **Range** |\n|---|:-:|\n| `D435i` | 0.1-10m |\n| x |\n", PLAIN)
    assert page.text == "Name | Range\nD435i | 0.1-10m\nx | "
    assert [block.kind for block in page.blocks] == [
        BlockKind.TABLE_HEADER,
        BlockKind.TABLE_ROW,
        BlockKind.TABLE_ROW,
    ]


def test_html_table_is_read_like_a_markdown_table() -> None:
    source = "<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td>1</td><td>**2**</td></tr>\n</table>\n"
    assert shown(source) == [("table_header", "A | B"), ("table_row", "1 | 2")]


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("Python", "python"),
        ("rust,ignore,does_not_compile", "rust"),
        ("js {1,3-5} showLineNumbers", "js"),
        ("js{1}", "js"),
        ("{python}", "python"),
        ("c++", "c++"),
        ('title="a.txt"', ""),
        ("", ""),
    ],
)
def test_language_is_the_first_word_of_the_info_string(info: str, language: str) -> None:
    page = render(f"```{info}\nx = 1\n```\n", PLAIN)
    assert page.blocks[-1].language == language


def test_code_title_becomes_a_caption() -> None:
    assert shown('```py title="src/main.py"\nx\n```\n') == [
        ("caption", "src/main.py"),
        ("code", "x"),
    ]


@pytest.mark.parametrize("language", ["mermaid", "plantuml", "dot", "graphviz"])
def test_sources_of_drawings_are_left_out(language: str) -> None:
    assert render(f"Before.\n\n```{language}\nA --> B\n```\n", PLAIN).text == "Before."


def test_drawing_of_characters_is_code_of_its_own_language() -> None:
    page = render("```\n┌────┐\n│ AI │\n└────┘\n```\n", PLAIN)
    assert page.blocks[0].language == "diagram"
    assert "│ AI │" in page.text


def test_highlight_comments_are_dropped_from_code() -> None:
    source = "```js\n// highlight-next-line\nlet a;\n# highlight-start\nlet b;\n```\n"
    assert shown(source) == [("code", "let a;\nlet b;")]


def test_hidden_rust_lines_are_dropped_in_mdbook_only() -> None:
    source = "```rust\n# fn main() {\n#[test]\nlet a = 1;\n## shown\n#\n# }\n```\n"
    assert shown(source, MDBOOK) == [("code", "#[test]\nlet a = 1;\n# shown")]
    assert "# fn main() {" in render(source, PLAIN).text


def test_unclosed_fence_runs_to_the_end_of_the_page() -> None:
    assert shown("Text.\n\n```py\na\n\n## b\n") == [("paragraph", "Text."), ("code", "a\n\n## b")]


def test_display_formula_is_kept_without_its_dollars() -> None:
    source = "$$\nx = \\frac{a}{b}\n$$\n"
    assert shown(source) == [("formula", r"x = \frac{a}{b}")]


def test_quotes_are_ordinary_blocks() -> None:
    assert shown("> a\n> b\n>\n> - c\n") == [("paragraph", "a b"), ("list_item", "c")]


def test_github_alert_becomes_a_caption() -> None:
    assert shown("> [!WARNING]\n> Mind the gap.\n") == [
        ("caption", "Warning"),
        ("paragraph", "Mind the gap."),
    ]


def test_footnote_marks_are_dropped_and_notes_kept() -> None:
    assert render("A fact.[^1]\n\n[^1]: The source.\n", PLAIN).text == "A fact.\n\nThe source."


def test_indented_code_is_code() -> None:
    assert shown("Text.\n\n    x = 1\n") == [("paragraph", "Text."), ("code", "x = 1")]


def test_empty_code_is_dropped() -> None:
    assert render("```py\n\n```\n", PLAIN).text == ""


def test_ten_thousand_quote_marks_keep_their_text() -> None:
    assert render(">" * 10_000 + " deep\n\nafter\n", PLAIN).text == "deep\n\nafter"


def test_lists_nested_too_deep_do_not_cost_the_rest_of_the_page() -> None:
    deep = "".join(f"{'  ' * level}- item {level}\n" for level in range(200))
    text = render(f"{deep}\n## Next\n\nLast words.\n", PLAIN).text
    assert "item 199" in text
    assert text.endswith("Next\n\nLast words.")


def test_line_of_five_megabytes_is_read() -> None:
    assert len(render("word " * 1_000_000, PLAIN).text) == 4_999_999

"""Admonitions, HTML and MDX around and inside the prose of a page."""

from __future__ import annotations

import pytest

from bythebook.sources.dialect import (
    DOCUSAURUS_MD,
    DOCUSAURUS_MDX,
    MDBOOK,
    PLAIN,
    Dialect,
)
from bythebook.sources.rendering import render


def shown(source: str, dialect: Dialect = DOCUSAURUS_MDX) -> list[tuple[str, str]]:
    page = render(source, dialect)
    return [(block.kind.value, page.text[block.start : block.end]) for block in page.blocks]


@pytest.mark.parametrize(
    ("line", "caption"),
    [
        (":::tip Use a *helmet*", "Use a helmet"),
        (":::tip[Use a helmet]", "Use a helmet"),
        (":::tip[Use a helmet]{.big}", "Use a helmet"),
        (':::tip{title="Use a helmet"}', "Use a helmet"),
        (":::tip", "Tip"),
        (":::warning", "Warning"),
        ("::::danger", "Danger"),
    ],
)
def test_admonition_title_becomes_a_caption(line: str, caption: str) -> None:
    assert shown(f"{line}\n\nBody.\n\n:::\n\nAfter.") == [
        ("caption", caption),
        ("paragraph", "Body."),
        ("paragraph", "After."),
    ]


def test_admonition_needs_no_empty_lines_around_it() -> None:
    assert shown("Before.\n:::note\nBody.\n:::\nAfter.") == [
        ("paragraph", "Before."),
        ("caption", "Note"),
        ("paragraph", "Body."),
        ("paragraph", "After."),
    ]


def test_code_inside_an_indented_admonition_is_dedented() -> None:
    source = "1. Step\n\n    :::info\n\n    ```sh\n    ls\n    ```\n\n    :::\n"
    assert shown(source) == [("list_item", "Step"), ("caption", "Info"), ("code", "ls")]


def test_colons_inside_code_are_no_admonition() -> None:
    assert shown("```md\n:::tip\nx\n:::\n```\n") == [("code", ":::tip\nx\n:::")]


def test_unclosed_admonition_keeps_the_rest_of_the_page() -> None:
    assert shown(":::tip\nBody.\n\n## Next\n")[1:] == [("paragraph", "Body."), ("heading", "Next")]


def test_summary_becomes_a_caption_and_details_keep_their_content() -> None:
    source = "<details>\n<summary>**Click** me</summary>\n\n```sh\nls\n```\n\nText.\n\n</details>\n"
    for dialect in (PLAIN, DOCUSAURUS_MDX):
        assert shown(source, dialect) == [
            ("caption", "Click me"),
            ("code", "ls"),
            ("paragraph", "Text."),
        ]


def test_markdown_right_behind_a_tag_is_still_markdown() -> None:
    assert shown("<div>Some **bold** text</div>\n\n<p>\n- item\n</p>", PLAIN) == [
        ("paragraph", "Some bold text"),
        ("list_item", "item"),
    ]


def test_tab_label_or_else_value_becomes_a_caption() -> None:
    source = (
        '<Tabs groupId="os">\n  <TabItem value="u" label="Ubuntu">\n\n    Run **apt**.\n\n'
        '  </TabItem>\n  <TabItem value="mac">\n\n  Run brew.\n\n  </TabItem>\n</Tabs>\n'
    )
    assert shown(source) == [
        ("caption", "Ubuntu"),
        ("paragraph", "Run apt."),
        ("caption", "mac"),
        ("paragraph", "Run brew."),
    ]


def test_attributes_of_a_component_may_hold_program_code() -> None:
    source = "<Chart\n  data={[{x: 1}, {x: '}>'}]}\n  on={() => go('>')}\n/>\n\nText.\n"
    assert shown(source) == [("paragraph", "Text.")]


def test_imports_and_exports_are_dropped() -> None:
    source = (
        "import Tabs from '@theme/Tabs';\nimport {\n  A,\n  B,\n} from './parts';\n\n"
        "export const Box = ({children}) => (\n  <b>\n\n    {children}\n  </b>\n);\n\n"
        "export const meta = {\n  a: 1,\n\n  b: [2],\n};\n\nText.\n"
    )
    assert shown(source) == [("paragraph", "Text.")]
    assert shown(source, DOCUSAURUS_MD) == [("paragraph", "Text.")]


def test_import_inside_code_or_prose_is_kept() -> None:
    source = "```js\nimport a from 'b';\n```\n\nNow import the module from the shelf.\n"
    assert [text for _, text in shown(source)] == [
        "import a from 'b';",
        "Now import the module from the shelf.",
    ]


def test_comments_are_dropped_even_over_empty_lines() -> None:
    source = "<!-- one\n\ntwo -->\n\n{/* three\n\nfour */}\n\nText {/* five */} here.\n"
    assert shown(source) == [("paragraph", "Text here.")]


def test_expressions_are_dropped_in_mdx_but_not_in_markdown() -> None:
    source = "The value {props.value} counts.\n"
    assert shown(source, DOCUSAURUS_MDX) == [("paragraph", "The value counts.")]
    assert shown(source, DOCUSAURUS_MD) == [("paragraph", "The value {props.value} counts.")]


def test_expression_that_is_only_a_string_is_shown() -> None:
    assert shown("one{' '}two {'three'}") == [("paragraph", "one two three")]


def test_expressions_in_code_and_formulas_are_kept() -> None:
    source = "Use `{a}` and $x_{i}$.\n\n$$\ny_{j}\n$$\n\n```js\nf({b});\n```\n"
    assert [text for _, text in shown(source)] == [
        "Use {a} and $x_{i}$.",
        "y_{j}",
        "f({b});",
    ]


@pytest.mark.parametrize(
    "broken",
    ["<Tabs>", "<Tabs", "<Chart data={[1, 2", "{unclosed", "<div class='x", "<!-- open", "</Tabs>"],
)
def test_broken_markup_does_not_cost_the_rest_of_the_page(broken: str) -> None:
    assert ("paragraph", "Last words.") in shown(f"{broken}\n\n## Next\n\nLast words.\n")


def test_styles_and_drawings_are_not_read() -> None:
    source = "<style>\n\nb { color: red }\n\n</style>\n\nA <svg><title>x</title></svg>word.\n"
    assert shown(source) == [("paragraph", "A word.")]


def test_preformatted_html_is_code() -> None:
    source = "<pre><code>match <em>VALUE</em> {\n    A =&gt; B,\n}\n</code></pre>\n"
    assert shown(source, MDBOOK) == [("code", "match VALUE {\n    A => B,\n}")]


def test_listing_of_mdbook_shows_its_number_and_caption() -> None:
    source = '<Listing number="1-2" caption="A `Vec&lt;T&gt;`">\n\n```rust\nx\n```\n\n</Listing>\n'
    assert shown(source, MDBOOK) == [("caption", "Listing 1-2: A Vec<T>"), ("code", "x")]


def test_spans_with_the_class_of_a_caption_are_captions() -> None:
    source = '<img src="a.svg" />\n\n<span class="caption">Figure 1: The\n`heap`</span>\n'
    assert shown(source, MDBOOK) == [("caption", "Figure 1: The heap")]


def test_html_heading_is_a_heading() -> None:
    page = render('<h2 align="center" id="top">Big <em>title</em></h2>\n\nText.\n', PLAIN)
    assert [(heading.text, heading.anchor) for heading in page.headings] == [("Big title", "top")]


def test_element_closed_by_a_later_one_does_not_swallow_what_lies_between() -> None:
    source = "<h2>Open\n\nText.\n\n<h2>Shut</h2>\n\n<table>\n\nCells.\n\n</table>\n"
    assert [text for _, text in shown(source, PLAIN)] == ["Open", "Text.", "Shut", "Cells."]

from __future__ import annotations

import pytest

from bythebook.sources.anchors import Slugger, github_slug, mdbook_slug


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("6.2 Installing on Windows (Native!)", "62-installing-on-windows-native"),
        ("Tom & Jerry", "tom--jerry"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("Größe und Weg", "größe-und-weg"),
        ("🤖 Robots", "-robots"),
        ("x² is not a word", "x-is-not-a-word"),
        ("第二章 控制", "第二章-控制"),
    ],
)
def test_github_anchor_keeps_letters_and_turns_each_space_into_a_dash(
    heading: str, anchor: str
) -> None:
    assert github_slug(heading) == anchor


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Using Box<T> to Point", "using-boxt-to-point"),
        ("  To panic! or Not ", "to-panic-or-not"),
        ("a\tb_c-d", "a-b_c-d"),
        ("Q & A", "q--a"),
    ],
)
def test_mdbook_anchor_keeps_letters_and_turns_each_space_into_a_dash(
    heading: str, anchor: str
) -> None:
    assert mdbook_slug(heading) == anchor


def test_repeated_heading_gets_a_number() -> None:
    slugger = Slugger(github_slug)
    assert [slugger.anchor("Setup") for _ in range(3)] == ["setup", "setup-1", "setup-2"]


def test_numbered_anchor_is_never_given_twice() -> None:
    slugger = Slugger(github_slug)
    anchors = [slugger.anchor(text) for text in ("Setup", "Setup 1", "Setup", "Setup 1")]
    assert anchors == ["setup", "setup-1", "setup-2", "setup-1-1"]

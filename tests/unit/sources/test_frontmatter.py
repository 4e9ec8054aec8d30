from __future__ import annotations

from bythebook.sources.frontmatter import split_front_matter


def test_front_matter_is_taken_off_the_page() -> None:
    front, body = split_front_matter("---\ntitle: Wheels\nsidebar_position: 2\n---\nText.\n")
    assert front.text("title") == "Wheels"
    assert front.number("sidebar_position") == 2
    assert body == "Text.\n"


def test_page_without_front_matter_is_left_alone() -> None:
    front, body = split_front_matter("# Title\n\n---\n\nText: yes\n\n---\n")
    assert front.values == {}
    assert body.startswith("# Title")


def test_invalid_yaml_names_the_line_in_the_file() -> None:
    front, body = split_front_matter("---\ntitle: a\nbad: [1, 2\n---\nText.")
    assert front.problem is not None
    assert "not valid YAML" in front.problem
    assert "line" in front.problem
    assert body == "Text."


def test_impossible_date_does_not_raise() -> None:
    front, body = split_front_matter("---\ndate: 2024-13-45\n---\nText.")
    assert front.problem is not None
    assert body == "Text."


def test_prose_between_two_rules_is_no_front_matter() -> None:
    text = "---\nJust a sentence.\n---\nMore.\n"
    assert split_front_matter(text)[1] == text


def test_opening_rule_without_a_closing_one_is_no_front_matter() -> None:
    text = "---\ntitle: never closed\n\nMore.\n"
    assert split_front_matter(text)[1] == text


def test_empty_front_matter_is_taken_off() -> None:
    assert split_front_matter("---\n---\nText.")[1] == "Text."


def test_values_of_the_wrong_kind_count_as_missing() -> None:
    front, _ = split_front_matter("---\ntitle: [a]\nsidebar_position: first\ndraft: 'yes'\n---\n")
    assert front.text("title") is None
    assert front.number("sidebar_position") is None
    assert not front.is_set("draft")

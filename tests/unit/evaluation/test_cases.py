from __future__ import annotations

import json
from pathlib import Path

import pytest

from bythebook.errors import QuestionsError
from bythebook.evaluation import Form, read_cases

SINGLE = {"id": "a", "question": "What is a node?", "answerable": True, "gold_pages": ["n.md"]}
FOLLOW_UP = {
    "id": "b", "turns": ["What is a node?", "Who starts it?"], "standalone": "Who starts a node?",
    "answerable": False, "why_unanswerable": "nobody knows",
}  # fmt: skip
SELECTED = {
    "id": "c", "question": "Who?", "selected_text": "Nobody.", "answerable": False,
    "answered_elsewhere": {"page": "n.md", "sentence": "The launch file does."},
}  # fmt: skip


def write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_the_three_forms_stand_in_one_file(tmp_path: Path) -> None:
    cases = read_cases([write(tmp_path / "q.jsonl", SINGLE, "", FOLLOW_UP, SELECTED)])
    assert [case.form for case in cases] == [Form.SINGLE, Form.FOLLOW_UP, Form.SELECTED]
    assert [case.kind for case in cases] == ["single", "follow-up", "selected-text"]
    assert cases[1].question == "Who starts it?"
    assert cases[2].answered_elsewhere == "The launch file does."


def test_several_files_are_read_one_after_another(tmp_path: Path) -> None:
    paths = [write(tmp_path / "1.jsonl", SINGLE), write(tmp_path / "2.jsonl", SELECTED)]
    assert [case.id for case in read_cases(paths)] == ["a", "c"]


def test_fields_nobody_knows_are_left_alone(tmp_path: Path) -> None:
    (case,) = read_cases([write(tmp_path / "q.jsonl", SINGLE | {"author": {"name": "x"}})])
    assert case.id == "a"


def test_a_question_without_an_id_is_named_by_its_line(tmp_path: Path) -> None:
    nameless = {name: value for name, value in SINGLE.items() if name != "id"}
    (case,) = read_cases([write(tmp_path / "q.jsonl", "", nameless)])
    assert case.id == "q:2"


def test_gold_sentences_lose_their_markdown(tmp_path: Path) -> None:
    sentences = ["2. The **node** of [ROS 2](x.md) runs `spin`."]
    (case,) = read_cases([write(tmp_path / "q.jsonl", SINGLE | {"gold_sentences": sentences})])
    assert [gold.text for gold in case.gold] == ["The node of ROS 2 runs spin."]


def test_gold_spans_are_taken_before_sentences(tmp_path: Path) -> None:
    more = {"gold_sentences": ["A **node** runs."], "gold_spans": [{"page": "n.md", "text": "A!"}]}
    (case,) = read_cases([write(tmp_path / "q.jsonl", SINGLE | more)])
    assert [(gold.text, gold.page) for gold in case.gold] == [("A!", "n.md")]


def without(name: str) -> dict[str, object]:
    return {field: value for field, value in SINGLE.items() if field != name}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "Invalid JSON"),
        ("[1]", "object"),
        (without("answerable"), "answerable: Field required"),
        (SINGLE | {"answerable": "true"}, "answerable: "),
        (without("question"), "give either 'question' or 'turns'"),
        (SINGLE | {"turns": ["a", "b"]}, "give either 'question' or 'turns'"),
        (SINGLE | {"question": ""}, "question: "),
        (SINGLE | {"question": "x" * 2001}, "question: "),
        (FOLLOW_UP | {"turns": ["alone"]}, "a first question and a follow-up"),
        (FOLLOW_UP | {"selected_text": "x"}, "cannot be on marked text"),
        (SINGLE | {"gold_pages": []}, "needs 'gold_pages' or 'gold_urls'"),
        (SINGLE | {"gold_pages": "n.md"}, "gold_pages: "),
        (SELECTED | {"selected_text": ""}, "selected_text: "),
    ],
)
def test_a_bad_line_is_told_with_its_file_and_number(
    line: object, told: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "q.jsonl", FOLLOW_UP, line)
    with pytest.raises(QuestionsError) as caught:
        read_cases([path])
    assert caught.value.message.startswith(f"{path}, line 2: ")
    assert told in caught.value.message
    assert caught.value.hint


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"question": "\xff", "answerable": false}\n')
    with pytest.raises(QuestionsError, match="line 1"):
        read_cases([path])


def test_an_id_used_twice_names_both_places(tmp_path: Path) -> None:
    paths = [write(tmp_path / "1.jsonl", SINGLE), write(tmp_path / "2.jsonl", "", SINGLE)]
    with pytest.raises(QuestionsError) as caught:
        read_cases(paths)
    assert f"{paths[1]}, line 2" in caught.value.message
    assert f"{paths[0]}, line 1" in caught.value.message


def test_a_file_without_a_question_and_one_that_is_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(QuestionsError, match="holds no question"):
        read_cases([write(tmp_path / "empty.jsonl", "", "  ")])
    with pytest.raises(QuestionsError, match="cannot be read"):
        read_cases([tmp_path / "missing.jsonl"])

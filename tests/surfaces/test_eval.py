"""`bythebook eval`: figures for people, JSON for programs, floors for CI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bythebook.evaluation import METRIC_NAMES, Verdict, read_report
from tests.surfaces.conftest import Cli

RIGHT = {
    "id": "right", "question": "What is a costmap?", "kind": "definition", "answerable": True,
    "gold_pages": ["02-ros2/06-nav2.md"],
    "gold_sentences": [
        "A costmap is a grid in which each cell stores how undesirable it is for the robot to be"
        " there."
    ],
    "key_points": ["a grid"],
}  # fmt: skip
REFUSED = {"id": "refused", "question": "How do I bake bread?", "answerable": False}
WRONG = RIGHT | {"id": "wrong", "gold_pages": ["index.md"], "gold_sentences": []}
FOLLOW_UP = {
    "id": "next", "turns": ["What is Isaac Sim?", "How do I use it for synthetic data?"],
    "answerable": True, "gold_pages": ["04-isaac/04-learning-and-domain-randomisation.md"],
}  # fmt: skip
SELECTED = {
    "id": "marked", "question": "What is a launch file?", "answerable": False,
    "selected_text": "Nodes in ROS 2 communicate over topics.",
}  # fmt: skip


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return write(tmp_path, RIGHT, REFUSED, WRONG, FOLLOW_UP, SELECTED)


def write(folder: Path, *rows: dict[str, Any], name: str = "questions.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_the_figures_and_the_wrong_ones_are_shown(
    cli: Cli, sample_index: Path, questions: Path
) -> None:
    run = cli("eval", questions, "--index", sample_index)
    assert (run.code, run.err) == (0, "")
    assert "right_page" in run.out
    assert "Wrong (1)" in run.out
    assert "wrong place   wrong  What is a costmap? -> 02-ros2/06-nav2.md" in run.out
    assert max(len(line) for line in run.out.splitlines()) <= 100


def test_the_json_has_every_figure_and_every_question(
    cli: Cli, sample_index: Path, questions: Path
) -> None:
    run = cli("eval", questions, "--index", sample_index, "--json")
    assert (run.code, run.err) == (0, "")
    whole = run.json
    assert tuple(metric["name"] for metric in whole["metrics"]) == METRIC_NAMES
    verdicts = {row["id"]: row["verdict"] for row in whole["rows"]}
    assert verdicts == {
        "right": "right answer",
        "refused": "right refusal",
        "wrong": "wrong place",
        "next": "right answer",
        "marked": "right refusal",
    }
    right = whole["rows"][0]
    assert right["measures"]["recall"] == 1.0
    assert right["citations"][0]["is_verbatim"]
    assert whole["rows"][1]["told"]["reason"]
    assert (whole["floors"], whole["comparison"]) == ([], None)


def test_the_json_is_what_compare_reads(
    cli: Cli, sample_index: Path, questions: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.json"
    old.write_text(cli("eval", questions, "--index", sample_index, "--json").out, encoding="utf-8")
    report = read_report(old)
    rows = [
        row.model_copy(update={"verdict": Verdict.WRONG_PLACE}) if row.id == "right" else row
        for row in report.rows
        if row.id != "marked"
    ]
    changed = report.model_copy(update={"rows": tuple(rows)})
    old.write_text(changed.model_dump_json(), encoding="utf-8")
    run = cli("eval", questions, "--index", sample_index, "--compare", old)
    assert run.code == 0
    assert "4 questions in both, 1 new, 0 gone" in run.out
    assert "newly right: 1\n  wrong place -> right answer  right  What is a costmap?" in run.out
    told = cli("eval", questions, "--index", sample_index, "--compare", old, "--json").json
    assert [flip["id"] for flip in told["comparison"]["newly_right"]] == ["right"]


def test_an_evaluation_of_other_questions_is_told(
    cli: Cli, sample_index: Path, tmp_path: Path
) -> None:
    here = ("--index", sample_index)
    old = tmp_path / "old.json"
    old.write_text(cli("eval", write(tmp_path, REFUSED), *here, "--json").out, encoding="utf-8")
    run = cli("eval", write(tmp_path, SELECTED), *here, "--compare", old)
    assert run.code == 0
    assert "note: the evaluation before has none of these questions" in run.err


def test_a_missed_floor_ends_with_5(cli: Cli, sample_index: Path, questions: Path) -> None:
    here = ("eval", questions, "--index", sample_index)
    held = cli(*here, "--floor", "quote_validity=1", "--floor", "false_answers=0")
    assert (held.code, held.err) == (0, "")
    assert held.out.count("holds") == 2
    missed = cli(*here, "--floor", "right_page=0.9", "--floor", "quote_validity=1", "--json")
    assert missed.code == 5
    assert missed.err == "error: floors missed: right_page\n"
    assert [floor["holds"] for floor in missed.json["floors"]] == [False, True]


def test_floors_come_from_a_file_and_a_single_one_overrides_it(
    cli: Cli, sample_index: Path, questions: Path, tmp_path: Path
) -> None:
    floors = tmp_path / "floors.json"
    floors.write_text('{"right_page": 0.99, "quote_validity": 1.0}', encoding="utf-8")
    here = ("eval", questions, "--index", sample_index, "--floors", floors)
    assert cli(*here).code == 5
    assert cli(*here, "--floor", "right_page=0.5").code == 0


def test_the_report_is_written_as_html(
    cli: Cli, sample_index: Path, questions: Path, tmp_path: Path
) -> None:
    place = tmp_path / "out.html"
    run = cli("eval", questions, "--index", sample_index, "--report", place)
    assert (run.code, run.err) == (0, f"report: {place}\n")
    page = place.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page.count('class="question"') == 5
    assert 'href="https://example.org/book/ros2/nav2#costmaps:~:text=' in page


def test_several_files_are_one_evaluation(cli: Cli, sample_index: Path, tmp_path: Path) -> None:
    first = write(tmp_path, RIGHT)
    second = write(tmp_path, SELECTED, name="more.jsonl")
    run = cli("eval", first, second, "--index", sample_index, "--json")
    assert run.json["questions"] == 2


def test_questions_that_do_not_fit_the_index_are_told(
    cli: Cli, sample_index: Path, tmp_path: Path
) -> None:
    foreign = RIGHT | {"gold_pages": ["kitchen/bread.md"]}
    run = cli("eval", write(tmp_path, foreign), "--index", sample_index)
    assert run.err == "note: the index has no gold page of right\n"


def test_a_bad_line_is_a_sentence_with_file_and_line_and_code_2(
    cli: Cli, sample_index: Path, tmp_path: Path
) -> None:
    path = write(tmp_path, RIGHT, {"question": "Why?"})
    run = cli("eval", path, "--index", sample_index)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"error: {path}, line 2: answerable: Field required\nhint: ")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--floor", "right_page"), 4),
        (("--floor", "bogus=1"), 4),
        (("--compare", "missing.json"), 2),
        (("--floors", "missing.json"), 2),
        (("--report", "no/such/folder/out.html"), 2),
        (("--report", "."), 2),
        (("--writer", "nobody"), 2),
    ],
)
def test_bad_arguments_are_a_sentence(
    cli: Cli, sample_index: Path, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    run = cli("eval", write(tmp_path, REFUSED), "--index", sample_index, *arguments)
    assert (run.code, run.out) == (code, "")
    assert run.err.startswith("error: ")
    assert "hint: " in run.err


def test_without_questions_or_an_index_there_is_a_sentence(cli: Cli, tmp_path: Path) -> None:
    assert cli("eval").code == 4
    assert cli("eval", tmp_path / "none.jsonl").code == 2
    assert cli("eval", write(tmp_path, RIGHT), "--index", tmp_path / "none").code == 2

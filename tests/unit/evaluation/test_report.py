from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from bythebook.errors import QueryError, QuestionsError
from bythebook.evaluation import (
    METRIC_NAMES,
    Form,
    Report,
    Row,
    Verdict,
    check_floors,
    compare,
    make_report,
    parse_floors,
    read_floors,
    read_report,
)
from bythebook.types import Value
from tests.unit.evaluation.outcomes import (
    failed,
    false_answer,
    false_refusal,
    right,
    right_refusal,
    taking,
    wrong_place,
)

ROWS = (
    taking(right(id="1"), ms=10.0),
    taking(right(id="2", key_points=("errors are integrated over time", "it is blue")), ms=20.0),
    taking(wrong_place(id="3"), ms=30.0),
    taking(false_refusal(id="4"), ms=40.0),
    taking(right_refusal(id="5", kind="off-topic"), ms=50.0),
    taking(false_answer(id="6", kind="off-topic"), ms=60.0),
    taking(failed(id="7"), ms=1e6),
)


@cache
def report(*rows: Row) -> Report:
    return make_report(rows or ROWS, book="Drift", generation="g", embedder="e", writer="w")


@pytest.mark.parametrize(
    ("name", "hits", "of"),
    [
        ("page_hit_1", 3, 4),
        ("page_hit_5", 3, 4),
        ("gold_retrieved", 3, 4),
        ("right_page", 2, 4),
        ("false_refusals", 1, 4),
        ("false_answers", 1, 2),
        ("gold_cited", 2, 4),
        ("quote_validity", 4, 4),
        ("right_when_high", 2, 3),
        ("failures", 1, 7),
        ("follow_ups_right", 0, 0),
    ],
)
def test_a_share_is_counted_without_what_failed(name: str, hits: int, of: int) -> None:
    metric = report().metric(name)
    assert (metric.hits, metric.of) == (hits, of)
    assert metric.value == (hits / of if of else None)


@pytest.mark.parametrize(
    ("name", "value", "of"),
    [
        ("citation_precision", 2 / 3, 3),
        ("citation_precision_strict", 2 / 3, 3),
        ("citation_recall", 0.5, 4),
        ("key_points", 0.5, 1),
        ("p50_ms", 35.0, 6),
        # Sure at 0.9 and right twice, wrong once; sure at 0.7 and wrong.
        ("calibration_error", (abs(3 * 0.9 - 2) + 0.7) / 4, 4),
    ],
)
def test_a_mean_is_taken_over_what_it_applies_to(name: str, value: float, of: int) -> None:
    metric = report().metric(name)
    assert metric.of == of
    assert metric.value == pytest.approx(value)
    assert metric.low is not None
    assert metric.high is not None
    assert metric.low <= value <= metric.high


def test_every_figure_is_there_in_its_order_even_when_nothing_was_measured() -> None:
    for rows in (ROWS, (failed(),)):
        assert tuple(metric.name for metric in report(*rows).metrics) == METRIC_NAMES
    assert report(failed()).metric("p95_ms").value is None


def test_follow_ups_and_marked_text_have_figures_of_their_own() -> None:
    selected: dict[str, object] = {"form": Form.SELECTED, "selected_text": "x"}
    done = report(
        right(id="1", form=Form.FOLLOW_UP),
        false_refusal(id="2", form=Form.FOLLOW_UP),
        false_answer(id="3", **selected),
        right_refusal(id="4", **selected),
    )
    assert done.metric("follow_ups_right").value == 0.5
    assert done.metric("selected_right").value == 0.5
    assert done.metric("false_answers").of == 0  # marked text is counted apart
    assert done.metric("right_page").of == 2


def test_the_kinds_add_up_to_the_questions() -> None:
    done = report()
    assert sum(kind.questions for kind in done.kinds) == 7
    off_topic = next(kind for kind in done.kinds if kind.kind == "off-topic")
    assert (off_topic.answerable, off_topic.right, off_topic.false_answers) == (False, 1, 1)


def test_the_worst_come_first_and_the_surest_of_them_before_the_others() -> None:
    done = report(*ROWS, wrong_place(id="8"), false_answer(id="9"))
    verdicts = [row.verdict for row in done.wrong]
    assert verdicts == sorted(verdicts, key=list(Verdict).index)
    assert verdicts[0] is Verdict.FAILED
    assert Verdict.RIGHT_ANSWER not in verdicts


def test_a_report_comes_back_from_its_json_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(report().model_dump_json(), encoding="utf-8")
    assert read_report(path).metrics == report().metrics
    assert read_report(path).rows == ROWS


def test_a_report_of_a_later_version_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    whole = json.loads(report().model_dump_json()) | {"weather": "fine"}
    whole["rows"][0]["mood"] = "good"
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert read_report(path).rows == ROWS


@pytest.mark.parametrize("content", [None, "", "{}", "[]", "no", '{"format": 1}'])
def test_a_file_that_is_no_report_is_a_sentence(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(QuestionsError, match=r"old\.json") as caught:
        read_report(path)
    assert "--json" in (caught.value.hint or "")


def test_a_comparison_names_what_flipped_and_what_is_new_or_gone() -> None:
    before = report(right(id="1"), false_refusal(id="2"), wrong_place(id="3"), right(id="gone"))
    after = report(wrong_place(id="1"), right(id="2"), false_refusal(id="3"), right(id="new"))
    flips = compare(before, after)
    assert [(f.id, f.before, f.after) for f in flips.newly_wrong] == [
        ("1", Verdict.RIGHT_ANSWER, Verdict.WRONG_PLACE)
    ]
    assert [flip.id for flip in flips.newly_right] == ["2"]
    assert [flip.id for flip in flips.otherwise_wrong] == ["3"]
    assert (flips.same, flips.only_before, flips.only_after) == (3, ("gone",), ("new",))
    moved = next(figure for figure in flips.metrics if figure.name == "right_page")
    assert (moved.before, moved.after) == (0.5, 0.5)


def test_a_question_put_in_other_words_is_another_question() -> None:
    flips = compare(report(right()), report(false_refusal(turns=("Why, oh why?",))))
    assert (flips.same, flips.newly_wrong) == (0, ())


def test_a_floor_is_a_ceiling_where_less_is_better() -> None:
    floors = parse_floors(["right_page=0.5", "false_answers=0.5", "false_refusals=0.2"])
    assert [result.holds for result in check_floors(report(), floors)] == [True, True, False]


def test_a_floor_under_what_was_not_measured_does_not_hold() -> None:
    (result,) = check_floors(report(), {"follow_ups_right": 0.0})
    assert (result.value, result.holds) == (None, False)


@pytest.mark.parametrize("text", ["right_page", "right_page=", "right_page=high", "=1", "x=nan"])
def test_a_floor_that_is_none_is_a_sentence(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_floors([text])
    assert caught.value.hint


def test_an_unknown_figure_gets_a_suggestion() -> None:
    with pytest.raises(QueryError, match="right_pages") as caught:
        parse_floors(["right_pages=1"])
    assert caught.value.hint == "did you mean 'right_page'?"


@pytest.mark.parametrize("content", [None, "[]", "{", '{"right_page": "high"}'])
def test_a_file_of_floors_that_is_none_is_a_sentence(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "floors.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises((QuestionsError, QueryError)) as caught:
        read_floors(path)
    assert caught.value.hint


def test_what_is_kept_is_frozen() -> None:
    assert isinstance(report(), Value)
    with pytest.raises(ValueError, match="frozen"):
        ROWS[0].id = "other"

"""The rows the reader learns from: those written for this project, and how they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from training.rows import (
    Data,
    Pair,
    load_judged,
    load_named,
    load_own,
    load_said,
    load_traps,
    mark,
)

OWN = Path(__file__).parents[2] / "training" / "own"
PASSAGE = "The mast is 12 m high. It was built in 1931."


def _data() -> Data:
    data = Data()
    for pool in ("spans", "counterparts", "unanswerable"):
        data.train[pool] = []
    data.add("spans", Pair("answer", "squad", "How high is the mast?", PASSAGE, True))
    return data


def _traps(folder: Path, *groups: Mapping[str, object]) -> Path:
    file = folder / "traps.jsonl"
    file.write_text("".join(json.dumps(group) + "\n" for group in groups), encoding="utf-8")
    return file


def test_a_trap_finds_its_passage_and_its_answer(tmp_path: Path) -> None:
    data = _data()
    asked = [["When was it built?", "1931"], ["When was the house built?", None]]
    added = load_traps(_traps(tmp_path, {"passage": mark(PASSAGE), "asked": asked}), data)
    answered, trap = data.train["traps"]
    assert added == 2
    assert answered.label
    assert [PASSAGE[start:end] for start, end in answered.spans] == ["1931"]
    assert not trap.label
    assert not trap.spans


def test_a_passage_goes_by_one_name_however_it_is_set() -> None:
    assert mark(PASSAGE) == mark(PASSAGE.upper().replace(" ", "  "))
    assert mark(PASSAGE) != mark(PASSAGE.replace("12", "13"))


def test_a_trap_on_a_passage_that_is_not_trained_on_is_left_out(tmp_path: Path) -> None:
    data = _data()
    file = _traps(tmp_path, {"passage": mark("Another text."), "asked": [["Why?", None]]})
    assert load_traps(file, data) == 0


def test_an_answer_that_its_passage_does_not_hold_makes_no_row(tmp_path: Path) -> None:
    data = _data()
    file = _traps(tmp_path, {"passage": mark(PASSAGE), "asked": [["When?", "1932"]]})
    assert load_traps(file, data) == 0


def test_a_question_that_was_changed_is_put_together_from_the_one_it_was(tmp_path: Path) -> None:
    data = _data()
    asked = mark("How high is the mast?")
    edits = [[1, 2, "far away"], [4, 5, "house?"]]
    changed = [[asked, edits], [mark("Who built it?"), []]]
    group = {"passage": mark(PASSAGE), "asked": [], "changed": changed}
    assert load_traps(_traps(tmp_path, group), data, "changed") == 1
    (row,) = data.train["changed"]
    assert (row.first, row.label) == ("How far away is the house?", False)


def test_a_claim_finds_its_passage_and_one_on_another_passage_is_left_out(tmp_path: Path) -> None:
    data = _data()
    said = {"passage": mark(PASSAGE), "claims": [["It is 12 m.", True], ["It is new.", False]]}
    other = {"passage": mark("Another text."), "claims": [["It is old.", True]]}
    load_said(_traps(tmp_path, said, other), data)
    rows = [(pair.task, pair.passage, pair.label) for pair in data.train["support said"]]
    assert rows == [("support", PASSAGE, True), ("support", PASSAGE, False)]


def test_a_mined_row_that_was_judged_otherwise_than_its_label_is_not_among_the_judged(
    tmp_path: Path,
) -> None:
    data = Data()
    name = "mined squadshifts-amazon"
    for question in ("How high is it?", "Is it new?", "Who built it?"):
        data.add_dev(
            name, Pair("answer", "amazon", question, PASSAGE, question == "How high is it?")
        )
    verdicts = {"How high is it?": "yes", "Is it new?": "yes", "Who built it?": "no"}
    lines = [
        {"passage": mark(PASSAGE), "question": mark(question), "answers": answers}
        for question, answers in verdicts.items()
    ]
    load_judged(_traps(tmp_path, *lines), data)
    kept = [pair.first for pair in data.dev[f"judged {name}"]]
    assert kept == ["How high is it?", "Who built it?"]


def test_a_dev_question_may_be_answered_by_every_piece_that_was_named(tmp_path: Path) -> None:
    data = Data()
    question = Pair("answer", "own", "How old is it?", PASSAGE, True, (), (19, 40))
    data.add_dev("own questions", question)
    data.add_dev("own questions", Pair("answer", "own", "Who built it?", PASSAGE, False))
    named = {"passage": mark(PASSAGE), "question": mark(question.first), "pieces": [[0, 18]]}
    load_named(_traps(tmp_path, named), data)
    answered, other = data.dev["own questions"]
    assert answered.spans == ((19, 40), (0, 18))
    assert other.spans == ()


def test_what_was_named_stands_in_the_passages_of_our_dev_questions() -> None:
    data = Data()
    load_own(OWN, data)
    load_named(OWN / "named.jsonl", data)
    named = [pair for pair in data.dev["own questions"] if len(pair.spans) > 1]
    assert len(named) == len((OWN / "named.jsonl").read_text(encoding="utf-8").splitlines())
    for pair in named:
        assert pair.label
        assert all(0 <= start < end <= len(pair.passage) for start, end in pair.spans)


def test_a_changed_question_shows_what_the_one_it_was_is_answered_by(tmp_path: Path) -> None:
    data = _data()
    span = (12, 16)
    was = Pair("answer", "squad", "How tall is it?", PASSAGE, True, (span,))
    data.add("spans", was)
    changed = [[mark(was.first), [[3, 4, "the house?"]]]]
    group = {"passage": mark(PASSAGE), "asked": [], "changed": changed}
    load_traps(_traps(tmp_path, group), data, "changed")
    (row,) = data.train["changed"]
    assert (row.evidence, row.spans, row.changed_from) == (span, (), was.first)


def test_no_passage_of_ours_is_on_both_sides() -> None:
    data = Data()
    load_own(OWN, data)
    assert set(data.train) == set(data.dev) == {"own questions", "support own"}
    for pool, pairs in data.train.items():
        trained = {pair.passage for pair in pairs}
        assert not trained & {pair.passage for pair in data.dev[pool]}, pool


def test_our_answerable_questions_name_the_words_that_answer() -> None:
    data = Data()
    load_own(OWN, data)
    rows = data.train["own questions"] + data.dev["own questions"]
    assert all((pair.evidence is not None) == pair.label for pair in rows)

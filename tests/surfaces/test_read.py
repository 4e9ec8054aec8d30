"""`bythebook read`: the reader on anyone's pairs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.surfaces.conftest import Cli

SENTENCE = "The treaty was signed in 1648 after five years of talks."
GOOD = {"question": "When was the treaty signed?", "passage": f"The talks took long. {SENTENCE}"}
BAD = {"question": "Who painted the ceiling?", "passage": GOOD["passage"]}


def write_pairs(folder: Path, *lines: object) -> Path:
    file = folder / "pairs.jsonl"
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(text) + "\n", encoding="utf-8")
    return file


def test_each_pair_gives_a_line_in_order(cli: Cli, tmp_path: Path) -> None:
    run = cli("read", "--pairs", write_pairs(tmp_path, GOOD, BAD), "--json")
    assert (run.code, run.err) == (0, "")
    good, bad = (json.loads(line) for line in run.out.splitlines())
    assert list(good) == ["answerable", "start", "end", "evidence_sentence", "score"]
    assert good["evidence_sentence"] == SENTENCE
    assert "1648" in GOOD["passage"][good["start"] : good["end"]]
    assert 0.0 <= bad["answerable"] < good["answerable"] <= 1.0


def test_without_json_a_person_reads_the_probability_and_the_sentence(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(GOOD) + "\n\n"))
    run = cli("read", "--pairs", "-")
    assert (run.code, run.err) == (0, "")
    probability, _, sentence = run.out.rstrip("\n").partition("  ")
    assert 0.0 <= float(probability) <= 1.0
    assert sentence == SENTENCE


def test_a_bad_line_is_named_and_the_others_are_read(cli: Cli, tmp_path: Path) -> None:
    lines = write_pairs(tmp_path, GOOD, "no json", {"question": "x"}, {"question": 1}, GOOD)
    run = cli("read", "--pairs", lines, "--json")
    assert run.code == 4
    assert len(run.out.splitlines()) == 2
    assert [line.partition(" is ")[0] for line in run.err.splitlines()] == [
        "error: line 2", "error: line 3", "error: line 4",
    ]  # fmt: skip


@pytest.mark.parametrize("arguments", [(), ("--pairs", "missing.jsonl"), ("--pairs", ".")])
def test_bad_arguments_are_a_sentence_and_code_4(cli: Cli, arguments: tuple[str, ...]) -> None:
    run = cli("read", *arguments)
    assert (run.code, run.out) == (4, "")
    assert run.err.startswith("error: ")
    assert "hint: " in run.err


def test_the_pairs_are_read_whoever_answers_questions(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BYTHEBOOK_READER", "none")
    assert cli("read", "--pairs", write_pairs(tmp_path, GOOD)).code == 0


@pytest.mark.parametrize("name", ["none", "oracle"])
def test_a_reader_that_cannot_read_is_named(cli: Cli, tmp_path: Path, name: str) -> None:
    run = cli("read", "--pairs", write_pairs(tmp_path, GOOD), "--reader", name)
    assert (run.code, run.out) == (2, "")
    assert repr(name) in run.err
    assert "hint: " in run.err

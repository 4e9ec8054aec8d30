"""`bythebook check`: the gate on any text and on anyone's pairs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.surfaces.conftest import Cli

TRUE = "Miomir Vukobratović introduced the idea around 1970."
FALSE = "Miomir Vukobratović introduced the idea around 1980."
GOOD_PAIR = {"claim": "The robot weighs 40 kilograms.", "evidence": "The robot weighs 40 kg."}
BAD_PAIR = {"claim": "The robot weighs 45 kg.", "evidence": "The robot weighs 40 kg."}


def write_pairs(folder: Path, *lines: object) -> Path:
    file = folder / "pairs.jsonl"
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(text) + "\n", encoding="utf-8")
    return file


def test_a_sentence_of_the_book_is_supported_and_cited(cli: Cli, sample_index: Path) -> None:
    run = cli("check", TRUE, "--index", sample_index, "--json")
    assert (run.code, run.err) == (0, "")
    (sentence,) = run.json["sentences"]
    assert run.json["supported"] is sentence["supported"] is True
    assert sentence["reasons"] == []
    assert sentence["citation"].keys() >= {"section", "url", "excerpt", "chunk_id", "start", "end"}
    assert "Vukobratović" in sentence["citation"]["excerpt"]
    assert ":~:text=" in sentence["citation"]["url"]


def test_a_changed_sentence_is_not_and_the_reason_and_the_place_are_told(
    cli: Cli, sample_index: Path
) -> None:
    run = cli("check", f"{TRUE} {FALSE}", "--index", sample_index)
    assert run.code == 1
    assert "supported (1.00)  " + TRUE in run.out
    assert "not supported (0.00)  " + FALSE in run.out
    assert "number 1980 is not in the passage" in run.out
    assert "nearest: Miomir" in run.out


def test_what_the_book_never_speaks_of_is_not_supported(cli: Cli, sample_index: Path) -> None:
    run = cli(
        "check", "Paris Zanzibar Quux.\n\n```\nrm -rf /\n```", "--index", sample_index, "--json"
    )
    assert run.code == 1
    assert [s["supported"] for s in run.json["sentences"]] == [False, False]
    assert all(s["reasons"] and s["citation"] is None for s in run.json["sentences"])


def test_pairs_are_judged_in_order_one_line_each(cli: Cli, tmp_path: Path) -> None:
    run = cli("check", "--pairs", write_pairs(tmp_path, GOOD_PAIR, BAD_PAIR), "--json")
    assert (run.code, run.err) == (1, "")
    good, bad = (json.loads(line) for line in run.out.splitlines())
    assert good == {"supported": True, "support": 1.0, "reasons": []}
    assert bad == {
        "supported": False,
        "support": 0.0,
        "reasons": ["number 45 is not in the passage"],
    }


def test_pairs_that_all_hold_end_with_0_and_come_from_standard_input(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(GOOD_PAIR) + "\n\n"))
    run = cli("check", "--pairs", "-")
    assert (run.code, run.out, run.err) == (0, "supported (1.00)\n", "")


def test_a_bad_line_is_named_and_the_others_are_judged(cli: Cli, tmp_path: Path) -> None:
    lines = write_pairs(tmp_path, GOOD_PAIR, "no json", {"claim": "x"}, {"claim": 1}, GOOD_PAIR)
    run = cli("check", "--pairs", lines, "--json")
    assert run.code == 4
    assert len(run.out.splitlines()) == 2
    assert [line.partition(" is ")[0] for line in run.err.splitlines()] == [
        "error: line 2", "error: line 3", "error: line 4",
    ]  # fmt: skip


def test_code_of_a_pair_is_compared_as_code(cli: Cli, tmp_path: Path) -> None:
    evidence = "Run this:\n```\nros2 run demo talker\n```"
    pairs = [
        {"claim": f"```\n{code}\n```", "evidence": evidence}
        for code in ("ros2 run demo talker", "ros2 run talker demo")
    ]
    run = cli("check", "--pairs", write_pairs(tmp_path, *pairs), "--json")
    assert [json.loads(line)["supported"] for line in run.out.splitlines()] == [True, False]


@pytest.mark.parametrize(
    "arguments",
    [(), ("text", "--pairs", "x"), ("",), ("  ",), ("...",), ("--pairs", "missing.jsonl")],
)
def test_bad_arguments_are_a_sentence_and_code_4(
    cli: Cli, sample_index: Path, arguments: tuple[str, ...]
) -> None:
    run = cli("check", *arguments, "--index", sample_index)
    assert (run.code, run.out) == (4, "")
    assert run.err.startswith("error: ")
    assert "hint: " in run.err


def test_without_an_index_the_code_is_2(cli: Cli, tmp_path: Path) -> None:
    assert cli("check", TRUE, "--index", tmp_path / "none").code == 2

"""What goes wrong ends in a sentence on stderr and the right exit code, never in a traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bythebook.errors import EmbeddingError
from bythebook.shelves.folder import FolderShelf
from tests.builders import SAMPLE, clean_environment, run_command, write_files
from tests.surfaces.conftest import Cli

QUESTION = "What is Physical AI?"


@pytest.fixture
def broken_index(sample_index: Path, tmp_path: Path) -> Path:
    """A copy of the sample index, to be broken."""
    folder = tmp_path / "broken"
    shutil.copytree(sample_index, folder)
    return folder


@pytest.mark.parametrize("command", ["ask", "search"])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((QUESTION[:0],), "the question is empty"),
        (("  \n ",), "the question is empty"),
        (("x" * 2001,), "the question has 2,001 characters"),
        ((QUESTION, "--top-k", "0"), "top_k is 0"),
        ((QUESTION, "--top-k", "101"), "top_k is 101"),
        ((QUESTION, "--top-k", "many"), "top-k"),
        ((QUESTION, "--module", "astrology"), "the book has no module 'astrology'"),
        ((QUESTION, "--colour"), "--colour"),
        ((), "Missing argument"),
        ((QUESTION, "again"), "again"),
    ],
)
def test_bad_arguments_end_with_code_4(
    cli: Cli, sample_index: Path, command: str, arguments: tuple[str, ...], says: str
) -> None:
    run = cli(command, *arguments, "--index", sample_index)
    assert (run.code, run.out) == (4, "")
    assert run.err.startswith("error: ")
    assert says in run.err
    assert "hint: " in run.err


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--threshold", "1.5", "between 0 and 1"),
        ("--threshold", "nan", "between 0 and 1"),
        ("--threshold", "high", "threshold"),
        ("--selected-text", "short", "the selected text has 5 characters"),
        ("--selected-text", "", "the selected text has 0 characters"),
        ("--top-k", "21", "between 1 and 20"),
    ],
)
def test_options_of_ask_out_of_range_end_with_code_4(
    cli: Cli, sample_index: Path, option: str, value: str, says: str
) -> None:
    run = cli("ask", QUESTION, option, value, "--index", sample_index)
    assert (run.code, run.out) == (4, "")
    assert says in run.err


def test_an_unknown_module_lists_the_valid_ones(cli: Cli, sample_index: Path) -> None:
    for command in ("ask", "search"):
        run = cli(command, QUESTION, "--module", "ros", "--index", sample_index)
        assert "'intro', 'ros2', 'simulation', 'isaac', 'vla'" in run.err


def test_a_bad_question_is_told_as_json_when_json_is_wanted(cli: Cli, sample_index: Path) -> None:
    for arguments in (("",), ("x" * 501,), (QUESTION, "--module", "ros")):
        run = cli("ask", *arguments, "--index", sample_index, "--json")
        assert run.code == 4
        assert run.json["status"] == "error"
        assert run.json["error"]["code"] == "VALIDATION_FAILED"


def test_an_unknown_command_ends_with_code_4(cli: Cli) -> None:
    run = cli("dance")
    assert (run.code, run.out) == (4, "")
    assert "dance" in run.err


@pytest.mark.parametrize("command", [("ask",), ("keys", "create"), ("eval",)])
def test_a_mistake_points_to_the_help_of_its_own_command(
    cli: Cli, command: tuple[str, ...]
) -> None:
    assert f"hint: see 'bythebook {' '.join(command)} --help'" in cli(*command).err


@pytest.mark.parametrize("command", [("ask", QUESTION), ("search", QUESTION), ("info",)])
def test_no_index_ends_with_code_2_and_says_how_to_build_one(
    cli: Cli, command: tuple[str, ...]
) -> None:
    run = cli(*command, "--index", "nowhere")
    assert (run.code, run.out) == (2, "")
    assert "there is no index in 'nowhere'" in run.err
    assert "hint: build one: bythebook index SOURCE --index nowhere" in run.err


@pytest.mark.parametrize("command", [("ask", QUESTION), ("search", QUESTION), ("info",)])
@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99}', '{"format": 1}'])
def test_a_damaged_or_foreign_manifest_ends_with_code_2(
    cli: Cli, broken_index: Path, command: tuple[str, ...], content: str
) -> None:
    (broken_index / "index.json").write_text(content)
    run = cli(*command, "--index", broken_index)
    assert (run.code, run.out) == (2, "")
    assert "hint: " in run.err
    assert "bythebook index SOURCE" in run.err


@pytest.mark.parametrize(
    ("field", "value"),
    [("embedder", "cohere:v3"), ("embedder_revision", "0"), ("dimensions", 1024)],
)
def test_an_index_of_another_embedder_ends_with_code_2(
    cli: Cli, broken_index: Path, field: str, value: object
) -> None:
    stored = json.loads((broken_index / "index.json").read_text())
    (broken_index / "index.json").write_text(json.dumps(stored | {field: value}))
    run = cli("ask", QUESTION, "--index", broken_index)
    assert (run.code, run.out) == (2, "")
    assert "was made with embedder" in run.err


@pytest.mark.parametrize("missing", ["shard", "lexicon.json"])
def test_an_index_with_a_part_missing_is_an_error_in_words(
    cli: Cli, broken_index: Path, missing: str
) -> None:
    (part,) = (broken_index / "generations").glob(f"*/{missing}")
    part.rename(part.with_name("gone"))
    run = cli("ask", QUESTION, "--index", broken_index)
    assert run.code in (2, 3)
    assert run.out == ""
    assert "hint: build it again" in run.err


def test_an_index_that_is_being_built_ends_with_code_2_and_the_process(
    cli: Cli, tmp_path: Path
) -> None:
    with FolderShelf(tmp_path / "index").building():
        run = cli("index", SAMPLE / "index.md", "--index", "index")
    assert (run.code, run.out) == (2, "")
    assert f"is being built by process {os.getpid()}" in run.err


@pytest.mark.parametrize("place", ["file", "file/index"])
def test_a_place_that_cannot_be_written_ends_with_code_2(
    cli: Cli, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_text("not a folder")
    run = cli("index", SAMPLE / "index.md", "--index", place)
    assert (run.code, run.out) == (2, "")
    assert "cannot be written" in run.err
    assert "hint: choose a folder" in run.err
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_book_that_is_not_there_ends_with_code_2(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    for source in ("nowhere", "empty", "notes.txt"):
        run = cli("index", source, "--index", "i")
        assert (run.code, run.out) == (2, "")
        assert source in run.err


def test_a_setting_that_cannot_work_ends_with_code_2(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("THREADS", "many"), ("EMBEDDER", "word2vec"), ("WRITER", "poet")):
        with monkeypatch.context() as patch:
            patch.setenv(f"BYTHEBOOK_{name}", value)
            run = cli("ask", QUESTION, "--index", sample_index)
        assert (run.code, run.out) == (2, "")
        assert value in run.err


def test_an_unknown_profile_lists_the_valid_ones(cli: Cli, sample_index: Path) -> None:
    run = cli("ask", QUESTION, "--profile", "poem", "--index", sample_index)
    assert (run.code, run.out) == (4, "")
    for name in ("grounded", "scored", "session", "search", "modules"):
        assert name in run.err


@pytest.mark.parametrize("command", ["ask", "search"])
def test_what_fails_while_running_ends_with_code_3(
    cli: Cli, sample_index: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise EmbeddingError("the model has no memory left", hint="close something")

    monkeypatch.setattr("bythebook.embedders.minilm.MiniLM.embed_query", fail)
    run = cli(command, QUESTION, "--index", sample_index)
    assert (run.code, run.out) == (3, "")
    assert run.err == "error: the model has no memory left\nhint: close something\n"


def test_a_question_of_ten_megabytes_is_refused(sample_index: Path) -> None:
    done = run_command("ask", "-", "--index", sample_index, stdin=b"word " * 2_000_000)
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"characters; 500 are allowed" in done.stderr
    assert len(done.stderr) < 1000


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_question_that_is_no_text_is_refused(sample_index: Path, encoding: str) -> None:
    for arguments, stdin in ((("-",), b"what is \xff ROS?"), ((b"what is \xff ROS?",), b"")):
        done = subprocess.run(
            [
                Path(sys.executable).with_name("bythebook"),
                "ask",
                *arguments,
                "--index",
                sample_index,
            ],
            input=stdin,
            capture_output=True,
            check=False,
            env=clean_environment() | {"PYTHONIOENCODING": encoding},
        )
        assert b"Traceback" not in done.stderr
        assert (done.returncode, done.stdout) == (4, b"")
        assert done.stderr.startswith(b"error: ")


@pytest.mark.parametrize(
    "command", [("info",), ("ask", QUESTION), ("search", QUESTION, "--json", "--top-k", "100")]
)
def test_a_reader_that_has_gone_away_is_no_error(
    sample_index: Path, command: tuple[str, ...]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [Path(sys.executable).with_name("bythebook"), *command, "--index", sample_index],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
            env=clean_environment(),
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_installed_command_ends_with_the_same_codes(sample_index: Path, tmp_path: Path) -> None:
    expected = {
        ("ask", QUESTION, "--index", sample_index): 0,
        ("ask", "Who won the football world cup in 1974?", "--index", sample_index): 1,
        ("ask", QUESTION, "--index", tmp_path / "none"): 2,
        ("ask", "", "--index", sample_index): 4,
    }
    for arguments, code in expected.items():
        done = run_command(*arguments)
        assert done.returncode == code
        assert bool(done.stdout) == (code < 2)
        assert b"Traceback" not in done.stderr


def test_an_address_that_is_none_is_told_before_anything_is_indexed(
    tmp_path: Path, cli: Cli
) -> None:
    book = write_files(tmp_path / "book", {"one.md": "# One\n\nA node is a process.\n"})
    run = cli("index", book, "--index", tmp_path / "index", "--base-url", "not-a-url")
    assert run.code == 2
    assert "'not-a-url' is not the address of a site" in run.err
    assert not (tmp_path / "index").exists()

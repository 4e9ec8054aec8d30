"""Folders with something wrong in them: the rest is indexed, what was left out is told."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import clean_environment, write_files
from tests.surfaces.conftest import Cli

GOOD = "# Knee\n\nThe knee is a joint that bends the leg.\n"
QUESTION = "What is the knee?"

BAD: dict[str, tuple[str | bytes, str | None]] = {
    "binary": (b"\x00\x01\x02" * 50, "NUL bytes"),
    "not UTF-8": (b"# Caf\xe9\n\nText.\n", "not valid UTF-8 (byte 0xe9"),
    "empty": ("", "no text"),
    "only space": (" \n\n\t\n", "no text"),
    "only front matter": ("---\ntitle: A\n---\n", "no text"),
    "front matter that is no YAML": ("---\ntitle: [a\n  b: {\n---\n\nSome words here.\n", ""),
    "unclosed fence": ("# Open\n\nWords before.\n\n```python\nx = 1\n", None),
    "unclosed JSX": ("# Open\n\n<Tabs>\n<TabItem>\n\nWords inside.\n", None),
    "unclosed front matter": ("---\ntitle: A\n\nWords behind.\n", None),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_page_does_not_cost_the_rest_of_the_book(cli: Cli, tmp_path: Path, case: str) -> None:
    content, reason = BAD[case]
    write_files(tmp_path / "book", {"good.md": GOOD, "bad.mdx": content})
    run = cli("index", "book", "--index", "i")
    assert run.code == 0
    if reason is not None:
        assert "1 files were not read as they stand" in run.err
        assert "bad.mdx: " in run.err
        assert reason in run.err
    else:
        assert "were not read" not in run.err
        assert '"Book": 2 pages' in run.out
    assert cli("ask", QUESTION, "--index", "i").code == 0


def test_all_that_was_left_out_is_counted_and_kept_in_the_index(cli: Cli, tmp_path: Path) -> None:
    bad: dict[str, str | bytes] = {f"bad{n:02}.md": b"\x00" for n in range(14)}
    write_files(tmp_path / "book", {"good.md": GOOD} | bad)
    run = cli("index", "book", "--index", "i")
    assert run.code == 0
    assert "14 files were not read" in run.err
    assert "and 4 more" in run.err
    assert len(cli("info", "--index", "i", "--json").json["skipped"]) == 14
    assert "bad13.md: " in cli("info", "--index", "i").out


def test_links_that_go_in_a_circle_or_nowhere_are_left_out(cli: Cli, tmp_path: Path) -> None:
    book = write_files(tmp_path / "book", {"good.md": GOOD, "deep/page.md": "# Deep\n\nWords.\n"})
    (book / "deep" / "again").symlink_to(book)
    (book / "self.md").symlink_to(book / "self.md")
    (book / "gone.md").symlink_to(book / "nowhere.md")
    run = cli("index", "book", "--index", "i")
    assert run.code == 0
    assert "3 files were not read" in run.err
    assert {
        page["path"] for page in json.loads((tmp_path / "i" / "index.json").read_text())["pages"]
    } == {
        "good.md",
        "deep/page.md",
    }


def test_a_book_with_nothing_to_read_says_why(cli: Cli, tmp_path: Path) -> None:
    write_files(tmp_path / "book", {"bad.md": b"\x00"})
    run = cli("index", "book", "--index", "i")
    assert (run.code, run.out) == (2, "")
    assert "bad.md: not a text file" in run.err


def test_a_page_of_one_endless_word_is_indexed_whole(cli: Cli, tmp_path: Path) -> None:
    write_files(tmp_path / "book", {"good.md": GOOD, "long.md": "# Long\n\n" + "x" * 20_000})
    run = cli("index", "book", "--index", "i")
    assert run.code == 0
    assert "2 pages" in run.out


def test_without_an_address_the_links_lead_to_the_files(cli: Cli, tmp_path: Path) -> None:
    write_files(tmp_path / "book", {"good.md": GOOD})
    run = cli("index", "book", "--index", "i")
    assert "note: without --base-url" in run.err
    answer = cli("ask", QUESTION, "--index", "i", "--json").json["answer"]
    assert answer["citations"][0]["url"].startswith("good.md#knee:~:text=")


def test_a_file_too_large_for_the_disk_leaves_the_old_index(cli: Cli, tmp_path: Path) -> None:
    book = write_files(tmp_path / "book", {"good.md": GOOD})
    assert cli("index", "book", "--index", "i").code == 0
    write_files(book, {"more.md": "# More\n\nThe elbow is a joint that bends the arm.\n"})
    done = subprocess.run(
        [Path(sys.executable).with_name("bythebook"), "index", "book", "--index", "i"],
        capture_output=True,
        check=False,
        env=clean_environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr
    assert cli("ask", QUESTION, "--index", "i").code == 0
    assert cli("index", "book", "--index", "i").code == 0
    assert len(list((tmp_path / "i" / "generations").iterdir())) == 1

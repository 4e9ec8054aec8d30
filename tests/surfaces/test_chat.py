from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import clean_environment
from tests.surfaces.conftest import Cli


def _typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_follow_up_is_understood_and_shown_as_it_was_understood(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _typed(monkeypatch, "What is Isaac Sim?", "How do I use it for synthetic data?", "/quit")
    run = cli("chat", "--index", sample_index)
    assert run.code == 0
    assert "Isaac Sim is a robot simulator" in run.out
    assert "Synthetic images" in run.out
    assert "(understood as: How do I use Isaac Sim for synthetic data?)" in run.err


def test_the_end_of_the_input_ends_the_conversation(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _typed(monkeypatch, "", "What is a costmap?")
    run = cli("chat", "--index", sample_index)
    assert run.code == 0
    assert "A costmap is a grid" in run.out


def test_sources_are_shown_again_and_a_reset_forgets_them(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _typed(monkeypatch, "/sources", "What is a costmap?", "/sources", "/reset", "/sources")
    run = cli("chat", "--index", sample_index)
    assert run.out.count("Sources\n") == 2
    assert run.err.count("There are no sources yet.") == 2
    assert "The conversation starts anew." in run.err


def test_an_unknown_command_and_a_bad_question_do_not_end_it(
    cli: Cli, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _typed(monkeypatch, "/bogus", "x" * 5000, "What is a costmap?")
    run = cli("chat", "--index", sample_index)
    assert run.code == 0
    assert "There is no command '/bogus'" in run.err
    assert "5,000 characters" in run.err
    assert "A costmap is a grid" in run.out


def test_an_interrupt_ends_it_cleanly(sample_index: Path) -> None:
    program = "from bythebook.cli.main import run; run()"
    chat = subprocess.Popen(
        [sys.executable, "-u", "-c", program, "chat", "--index", str(sample_index)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment(),
        # Whoever starts the tests in the background leaves them deaf to this signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with chat:
        assert chat.stdin
        assert chat.stdout
        assert chat.stderr
        chat.stdin.write("What is a costmap?\n")
        chat.stdin.flush()
        for line in chat.stdout:
            if line.startswith("Confidence"):
                break
        chat.send_signal(signal.SIGINT)
        rest = chat.stderr.read()
    assert chat.returncode == 0
    assert "Traceback" not in rest

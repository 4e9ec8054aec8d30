"""`bythebook mcp` as a process: what it prints where, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.builders import clean_environment, run_command
from tests.mcp.conftest import COMMAND, Connect, launch

Start = Callable[[], "subprocess.Popen[str]"]
PATIENCE_SECONDS = 30
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    },
}


@pytest.fixture
def start(sample_index: Path) -> Iterator[Start]:
    """Return a function that starts the command with its pipes open."""
    with ExitStack() as stack:

        def run() -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [COMMAND, "mcp", "--index", str(sample_index)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=clean_environment(),
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield run


def say(process: subprocess.Popen[str], message: dict[str, object]) -> None:
    assert process.stdin
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def shake_hands(process: subprocess.Popen[str]) -> None:
    say(process, _INITIALIZE)
    assert process.stdout
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "bythebook"
    say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly_while_it_waits_for_the_agent(
    start: Start, number: signal.Signals
) -> None:
    process = start()
    shake_hands(process)
    process.send_signal(number)
    assert process.wait(timeout=PATIENCE_SECONDS) == 0
    assert process.stderr
    assert "Traceback" not in process.stderr.read()


def test_only_the_protocol_is_on_standard_output_and_the_end_of_input_ends_it(
    start: Start,
) -> None:
    process = start()
    shake_hands(process)
    assert process.stdin
    process.stdin.write("this is not JSON\n")
    question = {"name": "ask_book", "arguments": {"question": "What is a costmap?"}}
    say(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": question})
    assert process.stdout
    answers = {}
    while 2 not in answers:
        message = json.loads(process.stdout.readline())
        answers[message.get("id")] = message
    assert "A costmap is a grid" in answers[2]["result"]["content"][0]["text"]
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (0, "")
    assert "is ready for an agent" in err
    assert "Traceback" not in err


def test_without_an_index_it_says_so_and_leaves_standard_output_alone(tmp_path: Path) -> None:
    ended = run_command("mcp", "--index", tmp_path / "nothing")
    assert ended.returncode == 2
    assert ended.stdout == b""
    assert b"there is no index" in ended.stderr


def test_an_agent_of_before_2026_is_understood_too(sample_index: Path, connect: Connect) -> None:
    agent = connect(launch(sample_index), mode="legacy")
    assert agent.get("ask_book", question="What is a costmap?")["kind"] == "answer"

"""`bythebook serve` as its own process."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.builders import clean_environment, run_command
from tests.standins.chat import ChatServer
from tests.web.serving import read_events
from tests.web.test_stream import PATIENCE, QUESTION, Thinking, thinks

_ADDRESS = re.compile(r"http://[\d.]+:\d+")


class Running:
    """A service in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr
        said = ""
        for line in process.stderr:
            said += line
            if found := _ADDRESS.search(line):
                self.url = found.group()
                return
        pytest.fail(f"the service did not start: {said}")

    def ends(self) -> int:
        return self.process.wait(PATIENCE)


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[Running]:
    process = subprocess.Popen(
        [Path(sys.executable).with_name("bythebook"), "serve", "--port", "0", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=clean_environment() | environment,
    )
    with process:
        try:
            yield Running(process)
        finally:
            process.kill()


Start = Callable[..., Running]


@pytest.fixture
def start(sample_index: Path) -> Iterator[Start]:
    """Return a function that starts a service of the sample book."""
    with ExitStack() as stack:
        yield lambda **environment: stack.enter_context(
            running("--index", str(sample_index), **environment)
        )


def ask(url: str) -> httpx.Response:
    return httpx.post(f"{url}/api/query", json={"query": QUESTION}, timeout=PATIENCE)


def test_two_services_answer_from_one_index(start: Start) -> None:
    first, second = start(), start()
    answers = [ask(service.url).json()["answer"]["text"] for service in (first, second)]
    assert answers[0] == answers[1]
    first.process.send_signal(signal.SIGTERM)
    assert first.ends() == 0
    assert ask(second.url).status_code == 200


def test_a_service_that_is_told_to_end_finishes_what_it_has_begun(
    start: Start, model: ChatServer
) -> None:
    service = start(
        BYTHEBOOK_WRITER="agent",
        OPENAI_BASE_URL=model.base_url,
        OPENAI_API_KEY="key-of-the-author",
        OPENAI_MODEL="stand-in",
    )
    plain, streamed = Thinking(), Thinking()
    model.will(thinks(model, plain), thinks(model, streamed))
    responses: list[httpx.Response] = []
    asking = threading.Thread(target=lambda: responses.append(ask(service.url)))
    asking.start()
    assert plain.begun.wait(PATIENCE)
    body = {"query": QUESTION}
    with httpx.stream(
        "POST", f"{service.url}/api/query/stream", json=body, timeout=PATIENCE
    ) as stream:
        events = read_events(stream.iter_lines())
        assert streamed.begun.wait(PATIENCE)
        service.process.send_signal(signal.SIGTERM)
        _wait_until_closed(service.url)
        plain.may_answer.set()
        streamed.may_answer.set()
        last = list(events)[-1]
    asking.join(PATIENCE)
    assert responses[0].json()["status"] == "success"
    assert (last.name, last.data["status"]) == ("done", "success")
    assert service.ends() == 0


def _wait_until_closed(url: str) -> None:
    """Return once nobody new is let in."""
    host, _, port = url.removeprefix("http://").partition(":")
    for _ in range(1000):
        try:
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as raw:
                raw.settimeout(0.02)
                raw.recv(1)
        except TimeoutError:
            continue
        except OSError:
            return
    pytest.fail("the service still lets people in")


def test_a_port_that_is_taken_is_told_in_a_sentence(sample_index: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run_command("serve", "--index", sample_index, "--port", str(port))
    said = ended.stderr.decode()
    assert ended.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}: address already in use" in said
    assert "choose another --port" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--host", "no.such.host.invalid"], 2, "no.such.host.invalid"),
        (["--port", "99999"], 4, "65535"),
        (["--index", "nowhere"], 2, "there is no index in 'nowhere'"),
        (["--writer", "poet"], 2, "there is no writer 'poet'"),
    ],
)
def test_what_cannot_be_served_is_told_in_a_sentence(
    sample_index: Path, arguments: list[str], code: int, says: str
) -> None:
    ended = run_command("serve", "--index", sample_index, "--port", "0", *arguments)
    assert ended.returncode == code
    assert says in ended.stderr.decode()
    assert "Traceback" not in ended.stderr.decode()


def test_the_log_has_a_line_for_each_request_and_no_text_of_it(start: Start) -> None:
    service = start()
    request_id = json.loads(ask(service.url).content)["metadata"]["request_id"]
    service.process.send_signal(signal.SIGTERM)
    service.ends()
    assert service.process.stderr
    log = service.process.stderr.read()
    assert re.search(rf"POST /api/query 200 [\d.]+ ms request={request_id}", log)
    assert "costmap" not in log

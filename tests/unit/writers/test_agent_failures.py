from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from bythebook.errors import BythebookError, SettingsError, WriterError
from bythebook.retrying import Retry
from bythebook.types import Query
from bythebook.writers.agent import AgentWriter
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.failures import ContentFilterError, ContextOverflowError
from tests.builders import P, make_passage, run_python
from tests.standins.chat import ChatServer, Step, breaks_off, fails, fails_midway, says, sends

KEY = "sk-very-secret"
NODE = make_passage((P, "A node is one process that talks over topics."))
QUERY = Query(text="What is a node?")
GOOD = says("A node is one process [1].")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


class Pauses:
    """A retry that remembers how long it would have waited."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.retry = Retry(asleep=self._pause, deadline_seconds=30)

    async def _pause(self, seconds: float) -> None:
        self.seconds.append(seconds)


def write(
    server: ChatServer, pauses: Pauses | None = None, timeout_seconds: float = 30.0
) -> object:
    options = AgentOptions(
        "m", base_url=server.base_url, api_key=KEY, timeout_seconds=timeout_seconds
    )
    writer = AgentWriter(options, retry=(pauses or Pauses()).retry)
    return asyncio.run(writer.write(QUERY, [NODE]))


def failure(server: ChatServer, *steps: Step) -> BythebookError:
    server.will(*steps)
    with pytest.raises(BythebookError) as caught:
        write(server)
    return caught.value


PASSING = [
    pytest.param(fails(500), "failed (500)", id="500"),
    pytest.param(fails(503, "overloaded"), "failed (503)", id="503"),
    pytest.param(fails(429), "takes no more requests", id="429"),
    pytest.param(says("A node", finish=None), "broke off", id="ends without an ending"),
    pytest.param(breaks_off("A node is one process. " * 9), "broke off", id="connection lost"),
    pytest.param(fails_midway("A node", "overloaded", 502), "failed (502)", id="error midway"),
    pytest.param(sends(b"data: {not json\n\n"), "cannot be read", id="no JSON"),
    pytest.param(sends(b'data: {"choices": 5}\n\n'), "cannot be read", id="no chunk"),
    pytest.param(sends(b"<html></html>", "text/html"), "broke off", id="a web page"),
    pytest.param(sends(b""), "broke off", id="nothing"),
]


@pytest.mark.parametrize(("step", "said"), PASSING)
def test_what_may_pass_is_tried_three_times(server: ChatServer, step: Step, said: str) -> None:
    problem = failure(server, step, step, step)
    assert type(problem) is WriterError
    assert said in problem.message
    assert problem.hint
    assert problem.retryable


@pytest.mark.parametrize(("step", "said"), PASSING)
def test_what_has_passed_leaves_no_trace(server: ChatServer, step: Step, said: str) -> None:
    server.will(step, GOOD)
    assert write(server), said


FINAL = [
    pytest.param(fails(401, f"Incorrect API key {KEY}"), SettingsError, "key (401)", id="401"),
    pytest.param(fails(403), SettingsError, "key (403)", id="403"),
    pytest.param(fails(404, "no such model"), SettingsError, "no model 'm'", id="404"),
    pytest.param(fails(400), WriterError, "refused the request (400)", id="400"),
    pytest.param(fails(402), WriterError, "used up", id="402"),
    pytest.param(fails(429, "You exceeded your current quota"), WriterError, "used up", id="quota"),
    pytest.param(
        fails(400, "maximum context length is 10 tokens"),
        ContextOverflowError,
        "longer than model 'm' can read",
        id="context",
    ),
    pytest.param(
        fails(400, "blocked by content management policy", "content_filter"),
        ContentFilterError,
        "withheld the answer",
        id="filter",
    ),
    pytest.param(
        says("A no", finish="content_filter"), ContentFilterError, "withheld", id="filter midway"
    ),
    pytest.param(
        says("", finish="content_filter"), ContentFilterError, "withheld", id="filter at once"
    ),
]


@pytest.mark.parametrize(("step", "kind", "said"), FINAL)
def test_what_would_fail_again_is_not_tried_again(
    server: ChatServer, step: Step, kind: type[BythebookError], said: str
) -> None:
    problem = failure(server, step)
    assert type(problem) is kind
    assert said in problem.message
    assert problem.hint
    assert not problem.retryable


@pytest.mark.parametrize("step", [pytest.param(p.values[0], id=p.id) for p in (*PASSING, *FINAL)])
def test_no_message_holds_a_key_a_host_or_a_trace(
    server: ChatServer, caplog: pytest.LogCaptureFixture, step: Step
) -> None:
    server.will(step)
    options = AgentOptions("m", base_url=server.base_url, api_key=KEY)
    writer = AgentWriter(options, retry=Retry(attempts=1))
    with caplog.at_level(logging.DEBUG, "bythebook"), pytest.raises(BythebookError) as caught:
        asyncio.run(writer.write(QUERY, [NODE]))
    told = f"{caught.value.message} {caught.value.hint}"
    assert not [part for part in (KEY, "127.0.0.1", "http", "Traceback") if part in told]
    assert KEY not in caplog.text


def test_the_wait_that_a_server_asks_for_is_kept_and_told(server: ChatServer) -> None:
    pauses = Pauses()
    server.will(*[fails(429, retry_after="3")] * 3)
    with pytest.raises(WriterError) as caught:
        write(server, pauses)
    assert pauses.seconds == [3.0, 3.0]
    assert caught.value.retry_after_seconds == 3.0


def test_a_wait_past_the_deadline_is_not_begun(server: ChatServer) -> None:
    pauses = Pauses()
    server.will(fails(429, retry_after="3600"))
    with pytest.raises(WriterError) as caught:
        write(server, pauses)
    assert pauses.seconds == []
    assert caught.value.retry_after_seconds == 3600.0


def test_a_model_that_takes_too_long_is_given_up_and_tried_again(server: ChatServer) -> None:
    server.misbehave(server.never, server.never, server.never)
    pauses = Pauses()
    with pytest.raises(WriterError, match="did not answer in time"):
        write(server, pauses, timeout_seconds=0.2)
    assert len(pauses.seconds) == 2


def test_all_attempts_together_keep_the_deadline(server: ChatServer) -> None:
    server.misbehave(server.never)
    pauses = Pauses()
    options = AgentOptions("m", base_url=server.base_url, deadline_seconds=0.2)
    retry = replace(pauses.retry, deadline_seconds=options.deadline_seconds)
    with pytest.raises(WriterError, match="did not answer in time"):
        asyncio.run(AgentWriter(options, retry=retry).write(QUERY, [NODE]))
    assert pauses.seconds == []


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with ChatServer() as gone:
        url = gone.base_url
    writer = AgentWriter(AgentOptions("m", base_url=url), retry=Pauses().retry)
    with pytest.raises(WriterError, match="could not be made"):
        asyncio.run(writer.write(QUERY, [NODE]))


@pytest.mark.parametrize("package", ["agents", "openai"])
def test_a_missing_package_is_told_with_the_line_that_installs_it(package: str) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from bythebook.errors import MissingExtraError\n"
        "try:\n    import bythebook.writers.agent\n"
        "except MissingExtraError as problem:\n    print(problem.hint)"
    )
    done = run_python(program)
    assert done.stdout.strip() == "pip install 'bythebook[agent]'", done.stderr


def test_nothing_else_of_the_package_loads_the_sdk() -> None:
    program = (
        "import sys, bythebook.assistant, bythebook.writers.agent_options, bythebook.writers.base\n"
        "print([name for name in ('agents', 'openai') if name in sys.modules])"
    )
    assert run_python(program).stdout.strip() == "[]"
    assert sys.modules["agents"]  # as this test file shows, the writer does

"""What an agent is told when an engine fails, and which engines a tool leaves alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bythebook.assembly import open_desk
from bythebook.assistant import Assistant
from bythebook.errors import RunError, StoreError
from bythebook.mcp.tools import TOOLS, UNFORESEEN, BookTool, CallFailedError
from bythebook.settings import load_settings
from bythebook.types import Failure, Outcome, Query, State
from tests.mcp.conftest import Agent, Connect
from tests.standins.chat import ChatServer, fails, says
from tests.web.serving import serving

QUESTION = "What is a costmap?"


@pytest.fixture
def model() -> Iterator[ChatServer]:
    """A server that stands in for a chat model; a request nobody expected fails the test."""
    with ChatServer() as server:
        yield server


@pytest.fixture
def agent_of_model(sample_index: Path, model: ChatServer, connect: Connect) -> Iterator[Agent]:
    """An agent with a service whose answers a model writes."""
    settings = load_settings(
        index=sample_index,
        writer="agent",
        openai_base_url=model.base_url,
        openai_api_key="key-of-the-author",
        openai_model="stand-in",
    )
    with serving(open_desk(settings)) as service:
        yield connect(f"{service.url}/mcp")


def test_finding_passages_never_asks_a_model(agent_of_model: Agent) -> None:
    assert agent_of_model.get("retrieve_context", query=QUESTION)["sufficient"]
    assert agent_of_model.get("read_section", page="Sensors")["text"]


def test_what_a_model_wrote_is_checked_for_an_agent_too(
    agent_of_model: Agent, model: ChatServer
) -> None:
    model.will(says("The moon is made of cheese [1]."))
    answer = agent_of_model.get("ask_book", question=QUESTION)
    assert answer["kind"] == "refusal"
    assert "cheese" not in str(answer)


def test_a_model_that_fails_is_a_sentence_without_the_key(
    agent_of_model: Agent, model: ChatServer
) -> None:
    model.will(fails(401, "Incorrect API key provided: key-of-the-author"))
    sentence = agent_of_model.complaint("ask_book", question=QUESTION)
    assert "key-of-the-author" not in sentence
    assert sentence.endswith(".")


class Away:
    """A book whose engine cannot be reached."""

    def __init__(self, problem: RunError) -> None:
        self._problem = problem

    @asynccontextmanager
    async def borrow(self) -> AsyncIterator[Assistant]:
        raise self._problem
        yield  # a generator, for the context manager

    async def ask(self, query: Query) -> Outcome:
        failure = Failure(
            stage="retrieval",
            error=type(self._problem).__name__,
            message=self._problem.message,
            hint=self._problem.hint,
            retryable=self._problem.retryable,
        )
        return Outcome(query=query, result=failure, mode=query.mode, state=State.ERROR)

    def tell(self, outcome: Outcome) -> None:
        raise AssertionError(f"nothing was settled: {outcome}")


ARGUMENTS: dict[str, dict[str, Any]] = {
    "retrieve_context": {"query": QUESTION},
    "ask_book": {"question": QUESTION},
    "list_sections": {},
    "read_section": {"page": "Sensors"},
}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_engine_that_is_away_is_a_sentence_that_says_what_to_do(
    tool: BookTool[Any, Any],
) -> None:
    book = Away(StoreError("the Qdrant server does not answer", hint="start it"))
    with pytest.raises(CallFailedError) as caught:
        asyncio.run(tool.call(book, ARGUMENTS[tool.name]))
    assert str(caught.value) == (
        "The Qdrant server does not answer. Start it. Trying again may help."
    )


def test_what_nobody_foresaw_is_not_told() -> None:
    ask_book = next(tool for tool in TOOLS if tool.name == "ask_book")
    book = Away(RunError("an unexpected error: KeyError('/home/author/secret')"))
    with pytest.raises(CallFailedError) as caught:
        asyncio.run(ask_book.call(book, {"question": QUESTION}))
    assert str(caught.value) == UNFORESEEN

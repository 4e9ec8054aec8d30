from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from bythebook.conversation import Completed, Turn
from bythebook.errors import WriterError
from bythebook.types import Outcome, Query, Refusal, RefusalType, State
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.rewriter import ModelRewriter, reach
from tests.standins.chat import ChatServer, fails, says

FOLLOW_UP = "How do I use it for synthetic data?"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def turn(question: str) -> Turn:
    query = Query(text=question)
    refusal = Refusal(type=RefusalType.LOW_RELEVANCE, explanation="None.")
    outcome = Outcome(query=query, result=refusal, mode=query.mode, state=State.LOW_CONFIDENCE)
    return Turn(question, question, outcome)


def rewrite(server: ChatServer, *turns: Turn, context_tokens: int = 2000) -> Completed:
    options = AgentOptions("m", base_url=server.base_url, context_tokens=context_tokens)
    return asyncio.run(ModelRewriter(options).rewrite(FOLLOW_UP, turns))


def test_the_model_sees_the_conversation_and_its_question_is_taken(server: ChatServer) -> None:
    server.will(says("How do I use Isaac Sim for synthetic data?\n"))
    completed = rewrite(server, turn("What is Isaac Sim?"))
    assert completed == Completed("How do I use Isaac Sim for synthetic data?")
    sent = server.received[0].json["messages"][-1]["content"]
    assert "What is Isaac Sim?" in sent
    assert FOLLOW_UP in sent


@pytest.mark.parametrize(
    "written",
    [
        "How do I use Gazebo for synthetic data?",  # nobody spoke of Gazebo
        "Isaac Sim renders labelled images.",  # an answer
        "What is Isaac Sim?",  # another question, asked before
        "",
        "x" * 400,
    ],
)
def test_a_rewriting_that_brings_in_or_loses_something_is_not_used(
    server: ChatServer, written: str
) -> None:
    server.will(says(written))
    with pytest.raises(WriterError):
        rewrite(server, turn("What is Isaac Sim?"))


def test_over_the_context_limit_the_oldest_turns_go_with_a_note(server: ChatServer) -> None:
    server.will(says("How do I use Isaac Sim for synthetic data?"))
    long_ago = [turn("What is a costmap? " + "word " * 100) for _ in range(5)]
    completed = rewrite(server, *long_ago, turn("What is Isaac Sim?"), context_tokens=650)
    assert "oldest questions were left out" in completed.notes[0]
    sent = server.received[0].json["messages"][-1]["content"]
    assert "What is Isaac Sim?" in sent
    assert sent.count("What is a costmap?") < 5


def test_a_model_that_answers_is_reached(server: ChatServer) -> None:
    server.will(says("ok"))
    reach(AgentOptions("m", base_url=server.base_url))


def test_a_model_that_fails_is_told_in_our_words(server: ChatServer) -> None:
    server.will(fails(500))
    with pytest.raises(WriterError):
        reach(AgentOptions("m", base_url=server.base_url))

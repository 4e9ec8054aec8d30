"""A day's model tokens: when they are spent, the book is quoted, and the reader is told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from bythebook.assembly import make_budget
from bythebook.settings import load_settings
from bythebook.web.access.budget import NOTE, Budget, MemoryBudget, NoBudget, SharedBudget
from bythebook.web.access.redis_budget import RedisBudget
from bythebook.web.redis_client import SharedRedis
from tests.engines.redis import RedisServer
from tests.standins.chat import ChatServer, says
from tests.web.clock import Clock
from tests.web.conftest import Serve
from tests.web.serving import Service

QUESTION = "What is a costmap?"
ANSWER = "A costmap is a grid in which each cell holds the cost of driving through it [1]."
TOKENS = 120  # of one answer of the stand-in

NEARLY_MIDNIGHT = 20_833 * 86_400.0 - 60


@pytest.fixture
def clock() -> Clock:
    return Clock(NEARLY_MIDNIGHT)


@pytest.fixture
def spending(serve_model: Serve, clock: Clock) -> Serve:
    """Return a function that starts a service with a model and a budget, by our clock."""

    def start(tokens: int, **settings: object) -> Service:
        service = serve_model(daily_token_budget=tokens, **settings)
        assert isinstance(service.desk.budget, MemoryBudget)
        service.desk.budget = MemoryBudget(tokens, clock.moment)
        return service

    return start


def writer_of(response: dict[str, Any]) -> str:
    return str(response["metadata"]["model"])


def test_when_the_budget_is_spent_the_book_is_quoted_until_midnight(
    spending: Serve, model: ChatServer, clock: Clock
) -> None:
    service = spending(TOKENS + 1)
    model.will(says(ANSWER), says(ANSWER))  # and a third question nobody expects fails the test
    for _ in range(2):
        written = service.ask(QUESTION).json()
        assert writer_of(written) == "stand-in"
        assert "notes" not in written["metadata"]
    quoted = service.ask(QUESTION).json()
    assert quoted["status"] == "success"
    assert writer_of(quoted) == "extractive"
    assert quoted["metadata"]["notes"] == [NOTE]
    assert quoted["metadata"]["tokens_used"] == 0
    clock.now += 61
    model.will(says(ANSWER))
    assert writer_of(service.ask(QUESTION).json()) == "stand-in"


def test_every_surface_quotes_when_the_budget_is_spent(spending: Serve, model: ChatServer) -> None:
    service = spending(1)
    model.will(says(ANSWER))
    service.ask(QUESTION)
    last = service.events(QUESTION)[-1].data
    assert (writer_of(last), last["metadata"]["notes"]) == ("extractive", [NOTE])
    body = {"model": "bythebook", "messages": [{"role": "user", "content": QUESTION}]}
    reply = service.client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200
    assert reply.json()["usage"]["completion_tokens"] >= 0
    call = {"name": "ask_book", "arguments": {"question": QUESTION}}
    result = service.client.post(
        "/mcp",
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        headers={"accept": "application/json, text/event-stream"},
    )
    assert NOTE in result.text


def test_in_a_session_neither_answer_nor_follow_up_asks_the_model_any_more(
    spending: Serve, model: ChatServer
) -> None:
    service = spending(1)
    model.will(says("Isaac Sim is a simulator for robots [1]."))
    session = service.client.post("/api/sessions").json()["session_id"]
    service.ask("What is Isaac Sim?", session_id=session)
    answer = service.ask("How do I use it for synthetic data?", session_id=session).json()
    assert writer_of(answer) == "extractive"
    assert NOTE in answer["metadata"]["notes"]


def test_what_was_said_before_costs_nothing(spending: Serve, model: ChatServer) -> None:
    service = spending(TOKENS + 1)
    model.will(says(ANSWER), says(ANSWER))
    session = service.client.post("/api/sessions").json()["session_id"]
    for _ in range(3):
        service.ask(QUESTION, session_id=session)
    assert writer_of(service.ask(QUESTION).json()) == "stand-in"
    # By now it is spent, and what the model wrote is still remembered: no note.
    again = service.ask(QUESTION, session_id=session).json()
    assert writer_of(again) == "stand-in"
    assert "notes" not in again["metadata"]


def test_without_a_budget_nothing_is_counted() -> None:
    assert isinstance(make_budget(load_settings(writer="agent")), NoBudget)
    # The extractive writer uses no model.
    assert isinstance(make_budget(load_settings(daily_token_budget=5)), NoBudget)


@pytest.fixture(params=["memory", "redis"])
def run(request: pytest.FixtureRequest, clock: Clock) -> Callable[..., None]:
    """Return a function that runs a test with a budget of 100 of either kind."""

    def make() -> Budget:
        if request.param == "memory":
            return MemoryBudget(100, clock.moment)
        server: RedisServer = request.getfixturevalue("redis")
        return RedisBudget(SharedRedis(server.url), 100, clock.moment)

    def start(test: Callable[[Budget], Awaitable[None]]) -> None:
        async def whole() -> None:
            budget = make()
            try:
                await test(budget)
            finally:
                await budget.close()

        asyncio.run(whole())

    return start


def test_a_budget_is_spent_when_its_last_token_is_and_whole_again_at_midnight(
    run: Callable[..., None], clock: Clock
) -> None:
    async def test(budget: Budget) -> None:
        assert not await budget.is_spent()
        await budget.spend(99)
        assert not await budget.is_spent()
        await budget.spend(1)
        assert await budget.is_spent()
        clock.now += 59
        assert await budget.is_spent()
        clock.now += 1
        assert not await budget.is_spent()
        await budget.spend(1000)
        assert await budget.is_spent()
        clock.now += timedelta(days=1).total_seconds()
        assert not await budget.is_spent()

    run(test)


def test_workers_spend_one_budget_and_a_restart_forgets_nothing(redis: RedisServer) -> None:
    async def test() -> None:
        one, other = (RedisBudget(SharedRedis(redis.url), 100) for _ in range(2))
        await one.spend(60)
        await other.spend(60)
        assert await one.is_spent()
        redis.stop()
        redis.start()
        assert await other.is_spent()
        await one.close()
        await other.close()

    asyncio.run(test())
    with redis.client() as client:
        (name,) = client.scan_iter("*tokens*")
        assert client.ttl(name) > 0


def test_without_redis_each_worker_goes_by_what_it_knows(
    redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        budget = SharedBudget(RedisBudget(SharedRedis(redis.url), 100), MemoryBudget(100))
        await budget.spend(60)
        redis.stop()
        assert not await budget.is_spent()
        await budget.spend(60)
        assert await budget.is_spent()
        await budget.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(test())
    assert caplog.text.count("each worker counts model tokens by itself") == 1


def test_the_log_says_once_that_the_budget_is_spent(caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        budget = MemoryBudget(100)
        for _ in range(5):
            await budget.spend(60)

    with caplog.at_level(logging.WARNING):
        asyncio.run(test())
    assert caplog.text.count(NOTE) == 1

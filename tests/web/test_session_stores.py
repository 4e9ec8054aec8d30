"""Sessions are kept alike in memory and in Redis; in Redis, all workers know them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from bythebook.assembly import make_sessions, open_desk
from bythebook.assistant import Assistant
from bythebook.conversation import Conversation
from bythebook.errors import RedisAwayError, SettingsError
from bythebook.settings import load_settings
from bythebook.types import Query
from bythebook.web.redis_client import SharedRedis
from bythebook.web.sessions.base import Session, SessionStore
from bythebook.web.sessions.memory import MemorySessions
from bythebook.web.sessions.redis import RedisSessions
from tests.engines.redis import RedisServer
from tests.web.clock import Clock
from tests.web.serving import Service, serving

IDLE = 60
FIRST = "What is Isaac Sim?"
FOLLOW_UP = "How do I use it for synthetic data?"

Run = Callable[[Callable[[SessionStore], Awaitable[None]]], None]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "redis"])
def run(request: pytest.FixtureRequest, clock: Clock) -> Run:
    """Return a function that runs a test on a store of either kind, with room for two sessions."""

    def make() -> SessionStore:
        if request.param == "memory":
            return MemorySessions(IDLE, 2, clock)
        server: RedisServer = request.getfixturevalue("redis")
        return RedisSessions(SharedRedis(server.url), IDLE, 2, clock)

    def start(test: Callable[[SessionStore], Awaitable[None]]) -> None:
        async def whole() -> None:
            store = make()
            try:
                await test(store)
            finally:
                await store.close()

        asyncio.run(whole())

    return start


def test_a_session_comes_back_as_it_was_left(run: Run, book: Assistant) -> None:
    async def test(sessions: SessionStore) -> None:
        conversation = Conversation(book)
        for question in (FIRST, FOLLOW_UP, "Who won the world cup?"):
            await conversation.ask(Query(text=question))
        session = Session(id=conversation.session_id)
        await sessions.add(session)
        assert await sessions.get(session.id) == session
        later = session.after(conversation.memory)
        await sessions.update(later)
        assert await sessions.get(session.id) == later

    run(test)


def test_an_unknown_session_is_none(run: Run) -> None:
    async def test(sessions: SessionStore) -> None:
        unknown = Session()
        assert await sessions.get(unknown.id) is None
        assert not await sessions.remove(unknown.id)
        await sessions.update(unknown)
        assert await sessions.get(unknown.id) is None
        async with sessions.holding(unknown.id):
            pass

    run(test)


def test_a_session_nobody_used_for_too_long_is_gone(run: Run, clock: Clock) -> None:
    async def test(sessions: SessionStore) -> None:
        used, unused = Session(), Session()
        await sessions.add(used)
        await sessions.add(unused)
        clock.now += 40
        await sessions.update(used)
        clock.now += 30
        assert await sessions.get(used.id) == used
        assert await sessions.get(unused.id) is None
        assert not await sessions.remove(unused.id)

    run(test)


def test_looking_at_a_session_does_not_keep_it(run: Run, clock: Clock) -> None:
    async def test(sessions: SessionStore) -> None:
        session = Session()
        await sessions.add(session)
        for _ in range(5):
            clock.now += 15
            await sessions.get(session.id)
        assert await sessions.get(session.id) is None

    run(test)


def test_a_session_is_not_lost_while_its_question_is_being_answered(run: Run, clock: Clock) -> None:
    async def test(sessions: SessionStore) -> None:
        session = Session()
        await sessions.add(session)
        async with sessions.holding(session.id):
            clock.now += 100
            assert await sessions.get(session.id) == session
            await sessions.add(Session())
            await sessions.add(Session())
        assert await sessions.get(session.id) == session  # it has just been used
        clock.now += 61
        assert await sessions.get(session.id) is None

    run(test)


def test_the_longest_unused_session_makes_room(run: Run, clock: Clock) -> None:
    async def test(sessions: SessionStore) -> None:
        first, second, third = Session(), Session(), Session()
        for step in (
            sessions.add(first),
            sessions.add(second),
            sessions.update(first),
            sessions.add(third),
        ):
            await step
            clock.now += 1
        there = [await sessions.get(session.id) is not None for session in (first, second, third)]
        assert there == [True, False, True]

    run(test)


def test_were_every_session_busy_the_cap_would_hold_all_the_same(run: Run, clock: Clock) -> None:
    async def test(sessions: SessionStore) -> None:
        first, second, third = Session(), Session(), Session()
        for session in (first, second):
            await sessions.add(session)
            clock.now += 1
        async with sessions.holding(first.id), sessions.holding(second.id):
            await sessions.add(third)
            assert await sessions.get(first.id) is None
            assert await sessions.get(second.id) == second
        assert await sessions.get(first.id) is None

    run(test)


def test_a_session_removed_meanwhile_stays_removed(run: Run) -> None:
    async def test(sessions: SessionStore) -> None:
        session = Session()
        await sessions.add(session)
        async with sessions.holding(session.id):
            assert await sessions.remove(session.id)
            await sessions.update(session.cleared())
        assert await sessions.get(session.id) is None

    run(test)


def test_questions_of_one_session_go_through_in_the_order_they_came(run: Run) -> None:
    async def test(sessions: SessionStore) -> None:
        session = Session()
        await sessions.add(session)
        order: list[int] = []

        async def question(number: int) -> None:
            async with sessions.holding(session.id):
                order.append(number)
                await sessions.get(session.id)  # another may try to slip in
                order.append(number)

        await asyncio.gather(*(question(number) for number in range(5)))
        assert order == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]

    run(test)


def test_a_question_that_comes_just_as_a_session_is_free_does_not_push_in(run: Run) -> None:
    async def test(sessions: SessionStore) -> None:
        session = Session()
        await sessions.add(session)
        order: list[str] = []

        async def question(name: str) -> None:
            async with sessions.holding(session.id):
                order.append(name)

        async with sessions.holding(session.id):
            first = asyncio.ensure_future(question("first"))
            for _ in range(5):  # it has had a look by now, and waits for its next one
                await sessions.get(session.id)
                await asyncio.sleep(0)
        await asyncio.gather(question("second"), first)
        assert order == ["first", "second"]

    run(test)


def test_a_question_that_failed_lets_the_next_one_through(run: Run) -> None:
    async def test(sessions: SessionStore) -> None:
        session = Session()
        await sessions.add(session)
        with pytest.raises(KeyError):
            async with sessions.holding(session.id):
                raise KeyError
        async with sessions.holding(session.id):
            pass

    run(test)


def test_workers_let_one_question_of_a_session_through_at_a_time(redis: RedisServer) -> None:
    async def test() -> None:
        workers = [RedisSessions(SharedRedis(redis.url), IDLE, 10) for _ in range(3)]
        session = Session()
        await workers[0].add(session)
        inside = most = done = 0

        async def question(worker: RedisSessions) -> None:
            nonlocal inside, most, done
            async with worker.holding(session.id):
                inside += 1
                most = max(most, inside)
                await worker.get(session.id)
                inside -= 1
                done += 1

        await asyncio.gather(*(question(workers[n % 3]) for n in range(9)))
        assert (most, done) == (1, 9)
        for worker in workers:
            await worker.close()

    asyncio.run(test())


def test_a_worker_that_died_holds_its_session_only_for_its_lease(redis: RedisServer) -> None:
    async def test() -> None:
        sessions = RedisSessions(SharedRedis(redis.url), IDLE, 10)
        session = Session()
        await sessions.add(session)
        async with sessions.holding(session.id):
            with redis.client() as client:
                (lock,) = client.scan_iter("*lock*")
                assert 0 < client.pttl(lock) <= 15_000
        await sessions.close()

    asyncio.run(test())


def test_nothing_is_left_in_redis_for_ever_but_the_list_of_sessions(redis: RedisServer) -> None:
    async def test() -> None:
        sessions = RedisSessions(SharedRedis(redis.url, "my-book"), IDLE, 10)
        for _ in range(3):
            await sessions.add(Session())
        await sessions.close()

    asyncio.run(test())
    with redis.client() as client:
        names = list(client.scan_iter("*"))
        assert all(name.startswith("{my-book}:") for name in names)
        lasting = [name for name in names if client.ttl(name) < 0]
        assert lasting == ["{my-book}:used"]


@pytest.mark.parametrize("url", ["postgresql://a-secret@host", "a-secret", "redis://:a-secret@h:x"])
def test_an_address_that_is_none_of_redis_is_told_without_being_shown(url: str) -> None:
    with pytest.raises(SettingsError, match="REDIS_URL") as raised:
        make_sessions(load_settings(redis_url=url))
    assert "a-secret" not in f"{raised.value.message} {raised.value.hint}"


def test_the_variable_chooses_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(make_sessions(load_settings()), MemorySessions)
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:6379")
    assert isinstance(make_sessions(load_settings()), RedisSessions)


@pytest.fixture
def workers(redis: RedisServer, sample_index: Path) -> Iterator[list[Service]]:
    """Two workers of one book that share a Redis."""
    with ExitStack() as stack:
        settings = load_settings(index=sample_index, redis_url=redis.url)
        yield [stack.enter_context(serving(open_desk(settings))) for _ in range(2)]


def history(service: Service, session: str) -> list[Any]:
    response = service.client.get(f"/api/sessions/{session}")
    assert response.status_code == 200
    said: list[Any] = response.json()["conversation_history"]
    return said


def test_a_conversation_goes_on_with_another_worker(workers: list[Service]) -> None:
    one, other = workers
    session = one.client.post("/api/sessions").json()["session_id"]
    one.ask(FIRST, session_id=session)
    answer = other.ask(FOLLOW_UP, session_id=session).json()
    assert "Synthetic images" in {c["section"] for c in answer["answer"]["citations"]}
    assert history(one, session) == history(other, session)
    assert len(history(one, session)) == 5
    assert other.client.post(f"/api/sessions/{session}/reset").status_code == 200
    assert len(history(one, session)) == 1
    assert other.client.delete(f"/api/sessions/{session}").status_code == 204
    assert one.ask(FIRST, session_id=session).status_code == 404


def test_without_redis_conversations_wait_and_questions_are_answered(
    workers: list[Service], redis: RedisServer
) -> None:
    service = workers[0]
    session = service.client.post("/api/sessions").json()["session_id"]
    assert service.ask(FIRST, session_id=session).status_code == 200
    redis.stop()
    answers = (
        service.ask(FOLLOW_UP, session_id=session),
        service.client.post("/api/sessions"),
        service.client.get(f"/api/sessions/{session}"),
        service.client.post("/api/query/stream", json={"query": FIRST, "session_id": session}),
    )
    for response in answers:
        assert response.status_code == 503
        assert "session_id" in response.json()["error"]["message"]
    assert service.ask(FIRST).json()["status"] == "success"
    redis.start()
    answer = service.ask(FOLLOW_UP, session_id=session)
    assert answer.status_code == 200
    assert len(history(service, session)) == 5  # what was said before is still known


def test_when_redis_leaves_during_an_answer_the_answer_is_given(
    workers: list[Service], redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = workers[0]
    session = service.client.post("/api/sessions").json()["session_id"]
    answering = service.desk.assistant._retrieve

    def stop_redis(*given: Any) -> Any:
        redis.stop()
        return answering(*given)

    monkeypatch.setattr(service.desk.assistant, "_retrieve", stop_redis)
    response: httpx.Response = service.ask(FIRST, session_id=session)
    assert response.json()["status"] == "success"
    redis.start()
    monkeypatch.undo()
    assert len(history(service, session)) == 1


def test_a_store_that_is_away_raises_our_error(redis: RedisServer) -> None:
    async def test() -> None:
        sessions = RedisSessions(SharedRedis(redis.url), IDLE, 10)
        redis.stop()
        for step in (sessions.get(uuid4()), sessions.add(Session()), sessions.remove(uuid4())):
            with pytest.raises(RedisAwayError) as raised:
                await step
            assert raised.value.retryable
        await sessions.close()

    asyncio.run(test())

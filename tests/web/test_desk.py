from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from bythebook.assembly import open_assistant
from bythebook.assistant import Assistant
from bythebook.errors import SessionMissingError
from bythebook.settings import load_settings
from bythebook.types import Answer, Outcome, Query
from bythebook.web.desk import Asked, Caller, Desk
from bythebook.web.sessions.base import Session

QUERY = Query(text="What is a costmap?")


class Closing:
    """An assistant that remembers whether it was closed."""

    def __init__(self, assistant: Assistant) -> None:
        self.closed = False
        self.close = assistant.close
        assistant.close = self._close  # type: ignore[method-assign]  # to watch the real one
        self.assistant = assistant

    def _close(self) -> None:
        self.closed = True
        self.close()


@pytest.fixture
def watched(sample_index: Path) -> Closing:
    return Closing(open_assistant(load_settings(index=sample_index)))


@pytest.fixture
def desk(sample_index: Path) -> Iterator[Desk]:
    settings = load_settings(index=sample_index)
    desk = Desk(settings, open_assistant(settings))
    yield desk
    asyncio.run(desk.close())


def test_an_assistant_that_was_replaced_is_closed_when_its_last_question_has_ended(
    desk: Desk, watched: Closing, sample_index: Path
) -> None:
    desk.replace(watched.assistant)

    async def run() -> Outcome:
        async with desk.borrow() as first, desk.borrow() as second:
            assert first is second is watched.assistant
            new = open_assistant(load_settings(index=sample_index))
            desk.replace(new)
            assert desk.assistant is new
            assert not watched.closed
            outcome = await first.ask(QUERY)  # it still answers
        assert watched.closed
        return outcome

    assert isinstance(asyncio.run(run()).result, Answer)


def test_an_assistant_nobody_uses_is_closed_at_once(
    desk: Desk, watched: Closing, sample_index: Path
) -> None:
    desk.replace(watched.assistant)
    assert not watched.closed
    desk.replace(open_assistant(load_settings(index=sample_index)))
    assert watched.closed


def test_observers_are_told_of_each_settled_question_and_who_asked(desk: Desk) -> None:
    told: list[Asked] = []
    desk.observers.append(told.append)

    async def run() -> Outcome:
        outcome = await desk.ask(QUERY, Caller("/api/query", "203.0.113.7", "widget"))
        await asyncio.sleep(0)  # they are told behind the answer
        return outcome

    outcome = asyncio.run(run())
    assert told == [Asked(outcome, "/api/query", "203.0.113.7", "widget")]


def test_an_observer_that_fails_breaks_neither_the_answer_nor_the_others(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(asked: Asked) -> None:
        raise RuntimeError(f"the disk is full, and {asked.route} was not written")

    told: list[Asked] = []
    desk.observers += [broken, told.append]

    async def run() -> Outcome:
        outcome = await desk.ask(QUERY)
        await asyncio.sleep(0)
        return outcome

    assert isinstance(asyncio.run(run()).result, Answer)
    assert len(told) == 1
    assert "the disk is full" in caplog.text


def test_a_conversation_is_kept_at_its_end(desk: Desk) -> None:
    async def run() -> Session | None:
        session = Session()
        await desk.sessions.add(session)
        async with desk.conversation(session.id) as conversation:
            await conversation.ask(QUERY)
        return await desk.sessions.get(session.id)

    session = asyncio.run(run())
    assert session
    assert [turn.asked for turn in session.memory.turns] == [QUERY.text]


def test_a_question_of_no_session_is_told_so(desk: Desk) -> None:
    query = QUERY.model_copy(update={"session_id": uuid4()})
    with pytest.raises(SessionMissingError, match="there is no session"):
        asyncio.run(desk.ask(query))

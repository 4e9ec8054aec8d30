"""Document 001's session: its states, its window, its error states and how it recovers."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest
from pydantic import ValidationError

from bythebook.contracts.session import (
    AgentSession,
    ConversationTurn,
    Message,
    SessionState,
)
from bythebook.contracts.session_errors import (
    DESCRIPTIONS,
    MAX_ATTEMPTS,
    RECOVERIES,
    ErrorState,
    SessionError,
    ask_with_backoff,
)
from bythebook.errors import IllegalTransitionError
from bythebook.types import Outcome


def new_session(max_history: int = 20) -> AgentSession:
    return AgentSession.start("gpt-4", "Answer from the book.", max_history=max_history)


def say(session: AgentSession, count: int = 1) -> None:
    for number in range(count):
        session.add(Message(role="user", content=f"message {number}"))


# Fields


def test_session_ids_are_unique_uuids() -> None:
    first, second = new_session(), new_session()
    assert UUID(first.session_id) != UUID(second.session_id)


def test_session_id_that_is_no_uuid_is_refused() -> None:
    with pytest.raises(ValidationError):
        AgentSession.start("gpt-4", "x", session_id="session-1")


@pytest.mark.parametrize("size", [1, 20, 100])
def test_max_history_from_1_to_100_is_allowed(size: int) -> None:
    assert new_session(size).max_history == size


@pytest.mark.parametrize("size", [0, -1, 101])
def test_max_history_outside_1_to_100_is_refused(size: int) -> None:
    with pytest.raises(ValidationError):
        new_session(size)


def test_max_history_defaults_to_20() -> None:
    assert AgentSession.start("gpt-4", "x").max_history == 20


@pytest.mark.parametrize("history", [[], [Message(role="user", content="Hi")]])
def test_history_that_does_not_begin_with_a_system_message_is_refused(
    history: list[Message],
) -> None:
    with pytest.raises(ValidationError):
        AgentSession(model="gpt-4", conversation_history=history)


def test_history_begins_with_the_system_message() -> None:
    session = new_session(3)
    say(session, 10)
    assert session.conversation_history[0].role == "system"


def test_history_slides_at_max_history_and_keeps_the_newest() -> None:
    session = new_session(4)
    say(session, 10)
    contents = [message.content for message in session.conversation_history]
    assert contents == ["Answer from the book.", "message 7", "message 8", "message 9"]


def test_history_given_too_long_slides_too() -> None:
    messages = [Message(role="user", content=str(number)) for number in range(9)]
    first = Message(role="system", content="s")
    session = AgentSession(model="m", conversation_history=[first, *messages], max_history=3)
    assert [message.content for message in session.conversation_history] == ["s", "7", "8"]


# States


def test_session_goes_from_created_to_active_to_completed() -> None:
    session = new_session()
    passed = [session.state]
    say(session)
    passed.append(session.state)
    session.complete()
    passed.append(session.state)
    assert passed == [SessionState.CREATED, SessionState.ACTIVE, SessionState.COMPLETED]


def test_session_reset_keeps_the_system_message_and_stays_active(
    outcomes: dict[str, Outcome],
) -> None:
    session = new_session()
    for _ in range(5):
        session.record(outcomes["answer"])
    session.reset()
    assert [message.role for message in session.conversation_history] == ["system"]
    assert session.state is SessionState.ACTIVE
    assert session.turns == ()
    session.record(outcomes["answer"])
    assert len(session.conversation_history) == 3


def test_session_cannot_be_completed_or_reset_before_it_is_active() -> None:
    for act in (new_session().complete, new_session().reset):
        with pytest.raises(IllegalTransitionError, match="CREATED"):
            act()


def test_session_that_is_completed_takes_nothing_more() -> None:
    session = new_session()
    say(session)
    session.complete()
    for act in (session.complete, session.reset, lambda: say(session)):
        with pytest.raises(IllegalTransitionError, match="COMPLETED"):
            act()


def test_session_read_back_with_messages_is_active() -> None:
    session = new_session()
    say(session)
    again = AgentSession.model_validate_json(session.model_dump_json())
    assert again.state is SessionState.ACTIVE
    assert again.model_dump() == session.model_dump()


# Turns


def test_session_records_turns_and_their_results(outcomes: dict[str, Outcome]) -> None:
    session = new_session()
    turn = session.record(outcomes["answer"])
    assert isinstance(turn, ConversationTurn)
    assert session.turns == (turn,)
    assert session.retrieval_results == turn.retrieval_results
    assert [message.role for message in session.conversation_history] == [
        "system",
        "user",
        "assistant",
    ]


def test_session_records_a_refusal_as_a_turn(outcomes: dict[str, Outcome]) -> None:
    turn = new_session().record(outcomes["empty_retrieval"])
    assert isinstance(turn, ConversationTurn)
    assert turn.retrieval_results == []
    assert not turn.agent_response.grounded


def test_session_does_not_record_a_failure(outcomes: dict[str, Outcome]) -> None:
    session = new_session()
    error = session.record(outcomes["store"])
    assert isinstance(error, SessionError)
    assert error.state is ErrorState.QDRANT_ERROR
    assert session.state is SessionState.CREATED


# Error states


def test_every_error_state_has_the_documents_description_and_recovery() -> None:
    assert [state.value for state in ErrorState] == [
        "EMPTY_RETRIEVAL",
        "API_ERROR",
        "QDRANT_ERROR",
        "TOKEN_LIMIT",
        "INVALID_INPUT",
    ]
    assert set(DESCRIPTIONS) == set(RECOVERIES) == set(ErrorState)
    assert RECOVERIES[ErrorState.API_ERROR] == "Retry with exponential backoff (max 3 attempts)"


def test_session_error_of_an_unknown_state_is_refused() -> None:
    with pytest.raises(ValidationError):
        SessionError.model_validate({"state": "BORED", "message": "m", "recovery": "r"})


def test_token_limit_drops_the_oldest_messages_and_warns() -> None:
    session = new_session()
    say(session, 5)
    warning = session.fit(max_tokens=10, count=lambda text: len(text.split()))
    assert warning is not None
    assert warning.state is ErrorState.TOKEN_LIMIT
    assert warning.message.endswith("dropped: 2.")
    contents = [message.content for message in session.conversation_history]
    assert contents == ["Answer from the book.", "message 2", "message 3", "message 4"]


def test_conversation_within_the_token_limit_is_left_alone() -> None:
    session = new_session()
    say(session, 5)
    assert session.fit(max_tokens=8000) is None
    assert len(session.conversation_history) == 6


def _backed_off(outcomes: list[Outcome]) -> tuple[Outcome, list[float], int]:
    pauses: list[float] = []
    left = list(outcomes)

    async def ask() -> Outcome:
        return left.pop(0)

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    last = asyncio.run(ask_with_backoff(ask, sleep))
    return last, pauses, len(left)


def test_api_error_is_retried_three_times_with_growing_pauses(
    outcomes: dict[str, Outcome],
) -> None:
    last, pauses, left = _backed_off([outcomes["writing"]] * (MAX_ATTEMPTS + 1))
    assert last.result.kind == "failure"
    assert pauses == [1.0, 2.0]
    assert left == 1


def test_api_error_that_passes_ends_in_the_answer(outcomes: dict[str, Outcome]) -> None:
    last, pauses, _ = _backed_off([outcomes["embedding"], outcomes["answer"]])
    assert last.result.kind == "answer"
    assert pauses == [1.0]


def test_api_that_asks_for_patience_gets_it(outcomes: dict[str, Outcome]) -> None:
    _, pauses, _ = _backed_off([outcomes["rate_limit"], outcomes["answer"]])
    assert pauses == [2.5]


@pytest.mark.parametrize("name", ["answer", "low_relevance", "validation", "store", "checking"])
def test_what_is_no_api_error_is_not_retried(outcomes: dict[str, Outcome], name: str) -> None:
    assert _backed_off([outcomes[name]]) == (outcomes[name], [], 0)

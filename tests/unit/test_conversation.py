from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from bythebook.assistant import Assistant
from bythebook.conversation import Completed, Conversation, Turn
from bythebook.errors import QueryError, WriterError
from bythebook.types import Answer, Outcome, Query, Refusal


class Rewriting:
    """A rewriter that says what it was told to, and remembers what it was asked."""

    def __init__(self, says: str | WriterError) -> None:
        self.says = says
        self.asked: list[str] = []

    async def rewrite(self, question: str, turns: Sequence[Turn]) -> Completed:
        assert turns
        self.asked.append(question)
        if isinstance(self.says, WriterError):
            raise self.says
        return Completed(self.says)


def ask(conversation: Conversation, question: str, **options: object) -> Outcome:
    return asyncio.run(conversation.ask(Query.model_validate({"text": question, **options})))


def sections(outcome: Outcome) -> set[str]:
    assert isinstance(outcome.result, Answer)
    return {citation.section for citation in outcome.result.citations}


def test_a_follow_up_finds_the_right_section(book: Assistant) -> None:
    conversation = Conversation(book)
    ask(conversation, "What is Isaac Sim?")
    outcome = ask(conversation, "How do I use it for synthetic data?")
    assert outcome.query.text == "How do I use Isaac Sim for synthetic data?"
    assert outcome.query.asked == "How do I use it for synthetic data?"
    assert "Synthetic images" in sections(outcome)


def test_a_new_topic_is_not_dragged_into_the_old_one(book: Assistant) -> None:
    conversation = Conversation(book)
    ask(conversation, "What is Isaac Sim?")
    outcome = ask(conversation, "What is a costmap?")
    assert (outcome.query.text, outcome.query.asked) == ("What is a costmap?", None)
    assert sections(outcome) == {"Costmaps"}


def test_what_the_book_does_not_answer_is_refused_in_the_middle_of_a_conversation(
    book: Assistant,
) -> None:
    conversation = Conversation(book)
    ask(conversation, "What is a costmap?")
    assert isinstance(ask(conversation, "Which football club won with it?").result, Refusal)


def test_the_same_question_is_answered_once(book: Assistant) -> None:
    conversation = Conversation(book)
    first = ask(conversation, "What is a costmap?")
    again = ask(conversation, "What is a costmap?")
    assert again.result is first.result
    assert again.query.request_id != first.query.request_id
    other = ask(conversation, "What is a costmap?", top_k=2)
    assert other.result is not first.result


def test_a_reset_forgets_the_topic_and_keeps_the_session(book: Assistant) -> None:
    conversation = Conversation(book)
    session = ask(conversation, "What is Isaac Sim?").query.session_id
    conversation.reset()
    assert conversation.turns == ()
    outcome = ask(conversation, "How do I use it for synthetic data?")
    assert outcome.query.asked is None
    assert outcome.query.session_id == session == conversation.session_id


def test_only_the_newest_turns_are_remembered(book: Assistant) -> None:
    conversation = Conversation(book, max_history=4)
    for number in range(12):
        ask(conversation, f"What is a costmap of kind {number}?")
    assert [turn.asked for turn in conversation.turns] == [
        "What is a costmap of kind 10?",
        "What is a costmap of kind 11?",
    ]


@pytest.mark.parametrize("history", [0, 101, -1])
def test_a_window_outside_its_bounds_is_refused(book: Assistant, history: int) -> None:
    with pytest.raises(QueryError, match="between 1 and 100"):
        Conversation(book, max_history=history)


def test_a_failed_question_is_not_remembered(book: Assistant) -> None:
    conversation = Conversation(book)
    ask(conversation, "What is a node?", module="kitchen")
    assert conversation.turns == ()


def test_a_model_may_complete_a_question_that_leans_on_another(book: Assistant) -> None:
    rewriting = Rewriting("How is Isaac Sim used for synthetic data?")
    conversation = Conversation(book, rewriter=rewriting)
    ask(conversation, "What is Isaac Sim?")
    outcome = ask(conversation, "How do I use it for synthetic data?")
    assert outcome.query.text == "How is Isaac Sim used for synthetic data?"
    ask(conversation, "What is a costmap?")
    assert rewriting.asked == ["How do I use it for synthetic data?"]


def test_when_the_model_fails_the_rule_completes_the_question_and_says_so(book: Assistant) -> None:
    conversation = Conversation(book, rewriter=Rewriting(WriterError("the model is away")))
    ask(conversation, "What is Isaac Sim?")
    outcome = ask(conversation, "How do I use it for synthetic data?")
    assert outcome.query.text == "How do I use Isaac Sim for synthetic data?"
    assert outcome.notes == ("the question was completed by rule: the model is away",)

"""Questions that follow one another: follow-ups, a sliding window, nothing asked twice.

Each question is retrieved and checked afresh. What is carried over is the topic, never a passage,
so an old passage cannot answer a question that the book does not answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID, uuid4

from bythebook.assistant import Assistant
from bythebook.errors import BythebookError, GroundingError, QueryError
from bythebook.followups import stand_alone, topic_of
from bythebook.types import Answer, Failure, Outcome, Query, Retrieval, State

MAX_HISTORY = 100


@dataclass(frozen=True)
class Turn:
    """One question of a conversation, as it was put and as it was answered."""

    asked: str
    standalone: str
    outcome: Outcome
    generation: str = ""  # of the index that answered: another one may answer differently

    @property
    def answer(self) -> str:
        """What was said, or nothing."""
        return self.outcome.result.text if isinstance(self.outcome.result, Answer) else ""


@dataclass(frozen=True)
class Memory:
    """What has to be kept between two questions: plain values that can be kept anywhere."""

    turns: tuple[Turn, ...] = ()
    topic: str = ""


NOTHING_SAID = Memory()


@dataclass(frozen=True)
class Completed:
    """A question complete in itself, and what the reader should know about how it got so."""

    text: str
    notes: tuple[str, ...] = ()


class Rewriter(Protocol):
    """Makes a follow-up stand alone, with a model."""

    async def rewrite(self, question: str, turns: Sequence[Turn]) -> Completed:
        """Return the question complete in itself; raise WriterError when that fails."""
        ...


class Conversation:
    """A reader's session with one book."""

    def __init__(
        self,
        assistant: Assistant,
        max_history: int = 20,
        rewriter: Rewriter | None = None,
        session_id: UUID | None = None,
        memory: Memory = NOTHING_SAID,
    ) -> None:
        if not 1 <= max_history <= MAX_HISTORY:
            raise QueryError(
                f"max_history is {max_history}; it must be between 1 and {MAX_HISTORY}",
                field="max_history",
            )
        self.session_id: UUID = session_id or uuid4()
        self._assistant = assistant
        self._rewriter = rewriter
        # A turn is two messages, the question and the answer.
        self._turns: deque[Turn] = deque(memory.turns, maxlen=max(1, max_history // 2))
        self._topic = memory.topic

    @property
    def memory(self) -> Memory:
        """What another conversation needs to go on from here."""
        return Memory(self.turns, self._topic)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns still remembered, oldest first."""
        return tuple(self._turns)

    @property
    def title(self) -> str:
        """The title of the book."""
        return self._assistant.manifest.title

    def close(self) -> None:
        """Let go of the book."""
        self._assistant.close()

    def reset(self) -> None:
        """Forget everything said; the session goes on."""
        self._turns.clear()
        self._topic = ""

    async def ask(self, query: Query) -> Outcome:
        """Return the outcome of a question, understood in the light of what was asked before."""
        outcome: Outcome | None = None
        async for step in self.stream(query):
            outcome = step if isinstance(step, Outcome) else outcome
        if outcome is None:
            raise GroundingError("a question ended without an outcome")
        return outcome

    async def stream(self, query: Query) -> AsyncIterator[State | Retrieval | Outcome]:
        """Yield what happens to a question as the assistant tells it, and its outcome last."""
        completed = await self._stand_alone(query.text)
        asked = query.text if completed.text != query.text else None
        update = {"text": completed.text, "asked": asked, "session_id": self.session_id}
        complete = query.model_copy(update=update)
        said = self._said_before(complete)
        if said is not None:
            yield self._remember(query, completed, said.model_copy(update={"query": complete}))
            return
        async for step in self._assistant.stream(complete):
            if isinstance(step, Outcome):
                outcome = step.model_copy(update={"query": complete})
                yield self._remember(query, completed, outcome)
            else:
                yield step

    def _remember(self, query: Query, completed: Completed, outcome: Outcome) -> Outcome:
        notes = tuple(dict.fromkeys(outcome.notes + completed.notes))
        outcome = outcome.model_copy(update={"notes": notes})
        if not isinstance(outcome.result, Failure):
            generation = self._assistant.manifest.generation
            self._turns.append(Turn(query.text, completed.text, outcome, generation))
            self._topic = topic_of(completed.text) or self._topic
        return outcome

    async def _stand_alone(self, question: str) -> Completed:
        if not self._turns:
            return Completed(question)
        by_rule = stand_alone(question, self._topic, self._turns[-1].standalone)
        if self._rewriter is None or by_rule == question:
            return Completed(by_rule)  # what stands by itself is left alone: no topic dragged along
        try:
            return await self._rewriter.rewrite(question, self.turns)
        except BythebookError as problem:
            note = f"the question was completed by rule: {problem.message}"
            return Completed(by_rule, (note,))

    def _said_before(self, query: Query) -> Outcome | None:
        """Return the outcome of the very same question, which would come out the same."""
        same = {"asked", "request_id", "session_id"}
        wanted = query.model_dump(exclude=same)
        generation = self._assistant.manifest.generation
        for turn in self._turns:
            is_same = turn.outcome.query.model_dump(exclude=same) == wanted
            if is_same and turn.generation == generation:
                return turn.outcome
        return None

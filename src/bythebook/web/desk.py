"""What every surface of the service shares: the book in use, the sessions, and who is told.

    outcome = await desk.ask(query, caller)            # one question, or one of a session
    async for step in desk.stream(query, caller): ...  # the same, with what happens on the way
    async with desk.borrow() as assistant: ...         # anything else an assistant can do

A new index is put in use by `replace`. Questions that are being answered finish with the old one,
which is closed when the last of them has.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

from bythebook.assistant import Assistant
from bythebook.conversation import Conversation, Rewriter
from bythebook.errors import GroundingError, RedisAwayError, SessionMissingError
from bythebook.settings import Settings
from bythebook.types import Outcome, Query, Retrieval, State
from bythebook.web.access.budget import NOTE as SPENT
from bythebook.web.access.budget import Budget, NoBudget
from bythebook.web.access.gate import Access
from bythebook.web.feedback import FeedbackSink, NoFeedback
from bythebook.web.operations.handled import note_outcome
from bythebook.web.operations.journal import Journal
from bythebook.web.sessions.base import SessionStore
from bythebook.web.sessions.memory import MemorySessions
from bythebook.writers.extractive import MODEL as QUOTING

if TYPE_CHECKING:
    from bythebook.querylog.log import QueryLog

_LOG = logging.getLogger(__name__)

Step = State | Retrieval | Outcome

# How long the end of the service may be held up by a database that is away.
_LAST_WORDS_SECONDS = 5.0

# Threads that wait for another machine cost next to nothing.
_THREADS_THAT_WAIT = 32


@dataclass(frozen=True)
class Caller:
    """Who asks and by which way, as far as a surface knows."""

    route: str = ""
    client: str | None = None  # the address, as far as it can be trusted
    key_name: str | None = None  # the name of the API key, never the key


@dataclass(frozen=True)
class Asked:
    """A settled question, for the query log, the metrics and the budget."""

    outcome: Outcome
    route: str = ""
    client: str | None = None
    key_name: str | None = None


Observer = Callable[[Asked], None]

NOBODY = Caller()


@dataclass
class _Lent:
    """An assistant and how many questions are using it."""

    assistant: Assistant
    users: int = 0
    retired: bool = False

    def close_if_done(self) -> None:
        if self.retired and not self.users:
            self.assistant.close()


class Desk:
    """Where questions come in, whatever their surface. All of it belongs to one event loop."""

    def __init__(
        self,
        settings: Settings,
        assistant: Assistant,
        *,
        rewriter: Rewriter | None = None,
        sessions: SessionStore | None = None,
        feedback: FeedbackSink | None = None,
        access: Access | None = None,
        budget: Budget | None = None,
        query_log: QueryLog | None = None,
    ) -> None:
        self.settings = settings
        self.observers: list[Observer] = []
        if sessions is None:
            sessions = MemorySessions(settings.session_idle_seconds, settings.max_sessions)
        self.sessions: SessionStore = sessions
        self.feedback: FeedbackSink = feedback or NoFeedback()
        self.query_log = query_log
        if query_log is not None:
            journal = Journal(query_log)
            self.observers.append(journal.note)
            self.feedback = feedback or journal
        self.access = access or Access()
        self.budget: Budget = budget or NoBudget()
        self._rewriter = rewriter
        self._lent = _Lent(assistant)

    @property
    def assistant(self) -> Assistant:
        """The assistant in use; to work with it for longer than an instant, borrow it."""
        return self._lent.assistant

    @asynccontextmanager
    async def borrow(self) -> AsyncIterator[Assistant]:
        """Use the assistant; it stays open until the last borrower is done."""
        lent = self._lent
        lent.users += 1
        try:
            yield lent.assistant
        finally:
            lent.users -= 1
            lent.close_if_done()

    def replace(self, assistant: Assistant) -> None:
        """Put another assistant in use; running questions finish with the one they have."""
        old, self._lent = self._lent, _Lent(assistant)
        old.retired = True
        old.close_if_done()

    @asynccontextmanager
    async def conversation(
        self, session_id: UUID, *, quoting: bool = False
    ) -> AsyncIterator[Conversation]:
        """Go on with a session, alone; what was said is kept at the end.

        With `quoting`, no model takes part. Raises SessionMissingError.
        """
        async with self.sessions.holding(session_id), self.borrow() as assistant:
            session = await self.sessions.get(session_id)
            if session is None:
                raise missing_session(session_id)
            conversation = Conversation(
                assistant.quoting() if quoting else assistant,
                session.max_history,
                None if quoting else self._rewriter,
                session_id,
                session.memory,
            )
            yield conversation
            try:
                await self.sessions.update(session.after(conversation.memory))
            except RedisAwayError as problem:
                # The answer is there, and its reader should have it.
                _LOG.warning("session %s forgets its last question: %s", session_id, problem)

    async def ask(self, query: Query, caller: Caller = NOBODY) -> Outcome:
        """Return the outcome of a question; one with a session id goes on with that session."""
        outcome: Outcome | None = None
        async for step in self.stream(query, caller):
            outcome = step if isinstance(step, Outcome) else outcome
        if outcome is None:
            raise GroundingError("a question ended without an outcome")
        return outcome

    async def stream(self, query: Query, caller: Caller = NOBODY) -> AsyncGenerator[Step]:
        """Yield what happens to a question, and its outcome last."""
        quoting, began = await self.budget.is_spent(), datetime.now(UTC)
        async with self._answering(query.session_id, quoting) as answering:
            async for step in answering.stream(query):
                if isinstance(step, Outcome):
                    if quoting and step.model == QUOTING:
                        step = step.model_copy(update={"notes": (*step.notes, SPENT)})
                    if step.finished_at >= began:  # else it was said before, and costs nothing
                        await self.budget.spend(step.tokens_used)
                    self.tell(step, caller)
                yield step

    @asynccontextmanager
    async def _answering(
        self, session_id: UUID | None, quoting: bool
    ) -> AsyncIterator[Assistant | Conversation]:
        if session_id is None:
            async with self.borrow() as assistant:
                yield assistant.quoting() if quoting else assistant
        else:
            async with self.conversation(session_id, quoting=quoting) as conversation:
                yield conversation

    def tell(self, outcome: Outcome, caller: Caller = NOBODY) -> None:
        """Tell the observers of a settled question, for surfaces that borrowed the assistant."""
        asked = Asked(outcome, caller.route, caller.client, caller.key_name)
        note_outcome(outcome.result.kind)
        loop = asyncio.get_running_loop()
        for observer in self.observers:
            # Behind the answer, so that it is neither delayed nor broken.
            loop.call_soon(_observe, observer, asked)

    async def open(self) -> None:
        """Prepare the event loop: as many questions are worked on at once as makes sense."""
        workers = self.settings.concurrency or _workers_for(self.settings)
        executor = ThreadPoolExecutor(workers, thread_name_prefix="answering")
        asyncio.get_running_loop().set_default_executor(executor)

    async def close(self) -> None:
        """Let go of the sessions and the book, and write down what is still to be written."""
        if self.query_log is not None:
            await asyncio.to_thread(self.query_log.close, _LAST_WORDS_SECONDS)
        for part in (self.sessions, self.access, self.budget):
            await part.close()
        self._lent.retired = True
        self._lent.close_if_done()


def missing_session(session_id: UUID) -> SessionMissingError:
    """Return what is said of a session that is not there."""
    return SessionMissingError(
        f"there is no session {str(session_id)!r}, or it was unused for too long",
        field="session_id",
        hint="start one with POST /api/sessions",
    )


def _workers_for(settings: Settings) -> int:
    """Return how many threads answer: one a core, unless they wait for other machines."""
    is_local = settings.qdrant_url is None and settings.embedder.startswith("minilm")
    return (os.cpu_count() or 1) if is_local else _THREADS_THAT_WAIT


def _observe(observer: Observer, asked: Asked) -> None:
    try:
        observer(asked)
    except Exception:
        _LOG.exception("an observer failed on question %s", asked.outcome.query.request_id)

"""Answers written by a model, through the OpenAI Agents SDK and any compatible server.

*direct* is one call with numbered passages. *tool* lets the model search the book itself, as often
as it needs to within bounds; a model that cannot is asked directly instead. Either way the draft is
a proposal: nothing of it is shown before grounding has found each sentence in the book.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TypeVar

from bythebook.embedders.tokens import count_tokens
from bythebook.errors import RunError, SettingsError, WriterError
from bythebook.retrying import Retry
from bythebook.types import Draft, DraftSentence, Mode, Passage, Query
from bythebook.writers.agent_options import AgentOptions
from bythebook.writers.budget import fit, left_out, model_tokens
from bythebook.writers.drafting import DraftReader
from bythebook.writers.failures import ContextOverflowError, Model, NoToolsError, UnknownOptionError
from bythebook.writers.model import ChatModel, Request, SearchedTooLongError
from bythebook.writers.prompts import Quoting
from bythebook.writers.searching import Retrieve, Search

_LOG = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass
class _Job:
    """One question on its way, across all attempts."""

    query: Query
    passages: tuple[Passage, ...]
    searches: bool
    ends_at: float
    found: tuple[Passage, ...] = ()
    tokens: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, *notes: str) -> None:
        self.notes += [note for note in notes if note not in self.notes]


class AgentWriter:
    """Has a model write the draft."""

    def __init__(
        self,
        options: AgentOptions,
        retrieve: Retrieve | None = None,
        retry: Retry | None = None,
        count: Callable[[str], int] = count_tokens,
    ) -> None:
        if options.mode == "tool" and retrieve is None:
            raise SettingsError("the agent writer's tool mode needs a book to search")
        self._options = options
        self._retrieve = retrieve
        self._retry = retry or Retry(deadline_seconds=options.deadline_seconds)
        self._count = count
        self._model = Model(options.model, options.api_key)
        self._chat = ChatModel(options, self._model)
        self._has_tools = True

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:
        """Return the model's draft; raise WriterError, or SettingsError for a bad key or model."""
        job = self._job(query, passages)
        return self._draft(job, await self._try(job, _all))

    async def stream(
        self, query: Query, passages: Sequence[Passage]
    ) -> AsyncGenerator[DraftSentence | Draft]:
        """Yield each sentence once it is complete, and the whole draft last.

        What fails before the first sentence is tried again, what fails later is not: a sentence
        that was given out cannot be taken back.
        """
        job = self._job(query, passages)
        sentences, rest = await self._try(job, _first)
        async with aclosing(rest):
            for sentence in sentences:
                yield sentence
            async for sentence in rest:
                sentences.append(sentence)
                yield sentence
        yield self._draft(job, sentences)

    def _job(self, query: Query, passages: Sequence[Passage]) -> _Job:
        # Marked text is all that may answer a question about it, so there is nothing to search.
        is_open = query.mode is Mode.STANDARD_RAG
        searches = self._options.mode == "tool" and self._has_tools and is_open
        ends_at = asyncio.get_running_loop().time() + self._options.deadline_seconds
        return _Job(query, tuple(passages), searches, ends_at)

    def _draft(self, job: _Job, sentences: Sequence[DraftSentence]) -> Draft:
        return Draft(
            sentences=tuple(sentences),
            model=self._options.model,
            tokens_used=job.tokens,
            passages=job.found,
            notes=tuple(job.notes),
        )

    async def _try(
        self, job: _Job, take: Callable[[AsyncGenerator[DraftSentence]], Awaitable[T]]
    ) -> T:
        async def attempt() -> T:
            while True:
                try:
                    return await take(self._attempt(job))
                except WriterError as problem:
                    if not self._adapt(job, problem):
                        raise

        return await self._retry.acall(attempt, _is_worth_retrying, _seconds_told)

    def _adapt(self, job: _Job, problem: WriterError) -> bool:
        """Change the job so that it does not meet the same problem again; tell whether it can."""
        match problem:
            case SearchedTooLongError() if job.searches:
                job.note(f"the model searched {self._options.max_searches} times without answering")
                job.searches, job.passages = False, job.found or job.passages
            case NoToolsError() if job.searches:
                job.searches = False
                self._give_up_tools()
            case ContextOverflowError() if job.searches:
                job.searches, job.found = False, ()
            case ContextOverflowError() if len(job.passages) > 1:
                job.note(left_out(len(job.passages) - len(job.passages) // 2, len(job.passages)))
                job.passages = job.passages[: len(job.passages) // 2]
            case UnknownOptionError() if problem.option not in self._chat.not_taken:
                self._chat.not_taken.add(problem.option)
            case _:
                return False
        return True

    def _give_up_tools(self) -> None:
        if self._has_tools:
            _LOG.warning(
                "model %r does not call tools: it is given the passages instead", self._model.name
            )
        self._has_tools = False

    async def _attempt(self, job: _Job) -> AsyncGenerator[DraftSentence]:
        """Yield the sentences of one run of the model."""
        request, passages = self._searching(job) if job.searches else self._direct(job)
        search = request.search
        reader = DraftReader(passages)
        try:
            async with aclosing(self._chat.pieces(request)) as pieces:
                async for piece in pieces:
                    # What a model says before it has seen a passage comes from none.
                    if search is None or search.calls:
                        for sentence in reader.feed(piece):
                            yield sentence
        finally:
            job.tokens += request.tokens
            job.found = tuple(search.found) if search else job.found
        job.tokens += 0 if request.tokens else self._counted(request, reader)
        if search and not search.calls:
            raise NoToolsError(f"model {self._model.name!r} did not search")
        if request.was_cut_off:
            job.note(f"the answer was cut off at {self._options.max_output_tokens} tokens")
        for sentence in reader.finish(request.was_cut_off):
            yield sentence

    def _direct(self, job: _Job) -> tuple[Request, Sequence[Passage]]:
        quoting = Quoting.fresh()
        instructions = quoting.instructions()
        room = self._room(instructions, quoting.question(job.query.text))
        fitted = fit(job.passages, room, self._count)
        if job.passages and not fitted.passages:
            raise self._model.overflow()
        job.note(*fitted.notes)
        text = quoting.request(job.query.text, fitted.passages)
        return Request(instructions, text, self._ends_at(job)), fitted.passages

    def _searching(self, job: _Job) -> tuple[Request, Sequence[Passage]]:
        if self._retrieve is None:
            raise SettingsError("the agent writer has no book to search")
        quoting = Quoting.fresh()
        instructions = quoting.tool_instructions()
        text = quoting.question(job.query.text)
        room = self._room(instructions, text)
        most = self._options.max_searches
        search = Search(job.query, self._retrieve, quoting, room, self._count, most)
        return Request(instructions, text, self._ends_at(job), search), search.found

    def _ends_at(self, job: _Job) -> float:
        now = asyncio.get_running_loop().time()
        return min(now + self._options.timeout_seconds, job.ends_at)

    def _room(self, *texts: str) -> int:
        """Return how many tokens are left for passages."""
        taken = sum(model_tokens(text, self._count) for text in texts)
        room = self._options.context_tokens - self._options.max_output_tokens - taken
        if room < 0:
            raise self._model.overflow()
        return room

    def _counted(self, request: Request, reader: DraftReader) -> int:
        told = request.search.said if request.search else []
        texts = (request.instructions, request.text, *told, reader.text)
        return sum(self._count(text) for text in texts)


async def _all(sentences: AsyncIterator[DraftSentence]) -> list[DraftSentence]:
    return [sentence async for sentence in sentences]


async def _first(
    sentences: AsyncGenerator[DraftSentence],
) -> tuple[list[DraftSentence], AsyncGenerator[DraftSentence]]:
    first = await anext(sentences, None)
    return ([] if first is None else [first]), sentences


def _is_worth_retrying(problem: Exception) -> bool:
    return isinstance(problem, WriterError) and problem.retryable


def _seconds_told(problem: Exception) -> float | None:
    return problem.retry_after_seconds if isinstance(problem, RunError) else None

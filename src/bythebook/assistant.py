"""The one door: a question comes in, a checked outcome goes out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from bythebook.errors import (
    BythebookError,
    GroundingError,
    QueryError,
    RunError,
    SetupError,
    StoreError,
)
from bythebook.focus import Focus
from bythebook.grounding.answer import set_answer
from bythebook.grounding.confidence import assess
from bythebook.grounding.refusal import judge, refuse
from bythebook.grounding.support import CheckedSentence, check
from bythebook.manifest import Manifest
from bythebook.planning import selected_retrieval
from bythebook.questions import analyse, asks_for_gist
from bythebook.relevance import Relevance
from bythebook.retrieval import Found, Retriever
from bythebook.states import ENGINE_EXITS, Journey
from bythebook.stores.base import Store
from bythebook.types import (
    Answer,
    Draft,
    Failure,
    FailureStage,
    Mode,
    Outcome,
    Passage,
    Query,
    Refusal,
    RefusalType,
    Result,
    Retrieval,
    State,
    Timings,
)
from bythebook.writers.base import Writer

_LOG = logging.getLogger(__name__)

# How many passages are looked at before the best `top_k` are kept. The sentence that answers often
# stands in a passage that ranks tenth as a whole.
_POOL = 20


@dataclass
class _Progress:
    """What is known so far about one question."""

    query: Query
    begin: float
    stage: FailureStage = "validation"
    retrieval: Retrieval | None = None
    draft: Draft | None = None
    retrieval_ms: float = 0.0
    generation_ms: float = 0.0
    grounding_ms: float = 0.0


class Assistant:
    """Answers questions from one book."""

    def __init__(
        self,
        manifest: Manifest,
        retriever: Retriever,
        writer: Writer,
        relevance: Relevance,
        store: Store,
    ) -> None:
        self.manifest = manifest
        self._retriever = retriever
        self._writer = writer
        self._relevance = relevance
        self._store = store

    async def ask(self, query: Query) -> Outcome:
        """Return the outcome of a question; a failure on the way is an outcome too."""
        async for step in self.stream(query):
            if isinstance(step, Outcome):
                return step
        raise GroundingError("a question ended without an outcome")

    async def search(self, query: Query) -> Found:
        """Return the passages for a question; raise what retrieval raises."""
        return await asyncio.to_thread(self._retriever.retrieve, _validated(query))

    async def stream(self, query: Query) -> AsyncIterator[State | Outcome]:
        """Yield each state a question goes through, and its outcome last."""
        progress = _Progress(query, perf_counter())
        journey = Journey(ENGINE_EXITS, State.RECEIVED)
        yield journey.state
        try:
            yield journey.move(State.VALIDATING)
            query = progress.query = _validated(query)
            yield journey.move(State.RETRIEVING)
            progress.stage = "retrieval"
            found = await self._find(progress)
            if found.hits:
                yield journey.move(State.GENERATING)
            result: Result = (
                await self._answer(progress, found)
                if found.retrieval.passages
                else self._refusal(query, found)
            )
        except BythebookError as problem:
            result = _failure(progress.stage, problem)
        except Exception as problem:
            # A bug, ours or a library's: the reader gets a sentence, the log the whole story.
            _LOG.exception("question %s failed", query.request_id)
            result = _failure(progress.stage, RunError(f"an unexpected error: {problem!r}"))
        yield journey.move(_final_state(result))
        yield _outcome(progress, result)

    def close(self) -> None:
        """Let go of the index."""
        self._store.close()

    async def _find(self, progress: _Progress) -> Found:
        begin = perf_counter()
        if progress.query.mode is Mode.SELECTED_TEXT_ONLY:
            retrieval = selected_retrieval(progress.query)
            found = Found(retrieval.passages, retrieval)
        else:
            found = await asyncio.to_thread(self._retrieve, progress.query)
        progress.retrieval = found.retrieval
        progress.retrieval_ms = (perf_counter() - begin) * 1000
        return found

    def _retrieve(self, query: Query) -> Found:
        """Look deeper than `top_k`, then keep the passages with the sentences that answer best."""
        found = self._retriever.retrieve(query, depth=max(_POOL, query.top_k))
        question = analyse(query.text)
        passages = found.retrieval.passages
        if query.threshold is None:
            passages = self._relevance.with_subject(question, found.hits, passages)
        chosen = self._relevance.choose(question, passages, query.top_k)
        retrieval = found.retrieval.model_copy(update={"passages": tuple(chosen)})
        return Found(found.hits, retrieval)

    async def _answer(self, progress: _Progress, found: Found) -> Result:
        progress.stage = "generation"
        begin = perf_counter()
        passages = found.retrieval.passages
        draft = progress.draft = await self._writer.write(progress.query, passages)
        written = perf_counter()
        progress.generation_ms = (written - begin) * 1000
        progress.stage = "grounding"
        found = _with_passages(found, draft.passages)
        progress.retrieval = found.retrieval
        result = await asyncio.to_thread(self._ground, progress.query, found, draft)
        progress.grounding_ms = (perf_counter() - written) * 1000
        return result

    def _ground(self, query: Query, found: Found, draft: Draft) -> Answer | Refusal:
        """Check a draft; whatever goes wrong here, nothing unchecked gets out."""
        try:
            checked = check(draft, found.retrieval.passages)
            focus = self._relevance.focus(analyse(query.text), found.retrieval.passages)
            scored = self._relevance.score(focus.question, found.retrieval.passages)
            verdict = judge(focus, scored)
            is_gist = query.mode is Mode.SELECTED_TEXT_ONLY and asks_for_gist(query.text)
            if not checked or not (verdict.answers or is_gist):
                return self._refusal(query, found, verdict.missing_terms)
            return self._set(focus, found, checked)
        except BythebookError:
            raise
        except Exception as problem:
            raise GroundingError(f"the answer could not be checked: {problem}") from problem

    def _set(self, focus: Focus, found: Found, checked: Sequence[CheckedSentence]) -> Answer:
        passages = {passage.chunk.id: passage for passage in found.retrieval.passages}
        confidence = assess(focus, checked, passages)
        return set_answer(checked, passages, confidence)

    def _refusal(self, query: Query, found: Found, missing: tuple[str, ...] = ()) -> Refusal:
        return refuse(query.mode, found.retrieval, found.hits, missing)


def _with_passages(found: Found, more: Sequence[Passage]) -> Found:
    """Return what was found together with what the writer found by itself."""
    known = {passage.chunk.id for passage in found.retrieval.passages}
    new = tuple(passage for passage in more if passage.chunk.id not in known)
    if not new:
        return found
    passages = found.retrieval.passages + new
    return Found(found.hits, found.retrieval.model_copy(update={"passages": passages}))


def _validated(query: Query) -> Query:
    text = query.text.strip()
    if not text:
        raise QueryError("the question is empty", field="text", hint="ask something")
    if query.selected_text is not None and not query.selected_text.strip():
        raise QueryError(
            "the selected text is empty", field="selected_text", hint="mark some text, or none"
        )
    return query if text == query.text else query.model_copy(update={"text": text})


def _failure(stage: FailureStage, problem: BythebookError) -> Failure:
    is_query = isinstance(problem, QueryError)
    return Failure(
        stage="validation" if is_query else _stage_of(stage, problem),
        error=type(problem).__name__,
        message=problem.message,
        hint=problem.hint,
        retryable=problem.retryable,
        is_setup=isinstance(problem, SetupError),
        retry_after_seconds=problem.retry_after_seconds if isinstance(problem, RunError) else None,
    )


def _stage_of(stage: FailureStage, problem: BythebookError) -> FailureStage:
    return "retrieval" if isinstance(problem, StoreError) else stage


def _outcome(progress: _Progress, result: Result) -> Outcome:
    return Outcome(
        query=progress.query,
        result=result,
        mode=progress.query.mode,
        state=_final_state(result),
        retrieval=progress.retrieval,
        model=progress.draft.model if progress.draft else "",
        tokens_used=progress.draft.tokens_used if progress.draft else 0,
        notes=progress.draft.notes if progress.draft else (),
        timings=Timings(
            retrieval_ms=progress.retrieval_ms,
            generation_ms=progress.generation_ms,
            grounding_ms=progress.grounding_ms,
            total_ms=(perf_counter() - progress.begin) * 1000,
        ),
    )


def _final_state(result: Result) -> State:
    match result:
        case Answer():
            return State.COMPLETE
        case Failure():
            return State.ERROR
        case Refusal(type=RefusalType.EMPTY_RETRIEVAL):
            return State.NO_RESULTS
        case Refusal():
            return State.LOW_CONFIDENCE

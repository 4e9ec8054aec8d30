"""The one door: a question comes in, a checked outcome goes out."""

from __future__ import annotations

import asyncio
import copy
import logging
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from bythebook.about import Aspect, aspect_of, front
from bythebook.calibration.questions import Probe, make_probes
from bythebook.calibration.values import USUAL_SCALE, Calibration
from bythebook.contents import BookContents
from bythebook.errors import (
    BythebookError,
    GroundingError,
    QueryError,
    RunError,
    SetupError,
    StoreError,
)
from bythebook.grounding.answer import set_answer
from bythebook.grounding.answerability import Decision, decide
from bythebook.grounding.confidence import assess
from bythebook.grounding.refusal import Ground, refuse, section_of
from bythebook.grounding.signals import Findings, measure
from bythebook.grounding.support import check
from bythebook.hostile import question_in
from bythebook.manifest import Manifest
from bythebook.planning import selected_retrieval
from bythebook.questions import analyse, asks_for_gist
from bythebook.readers.base import Reader
from bythebook.relevance import Relevance
from bythebook.retrieval import Found, Retriever
from bythebook.states import ENGINE_EXITS, Journey
from bythebook.stores.base import Store
from bythebook.types import (
    Answer,
    Chunk,
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
    SectionLink,
    Signal,
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

    asked: Query
    query: Query  # what is looked up: the same without orders to a model
    begin: float
    stage: FailureStage = "validation"
    retrieval: Retrieval | None = None
    draft: Draft | None = None
    signals: tuple[Signal, ...] = ()
    retrieval_ms: float = 0.0
    generation_ms: float = 0.0
    grounding_ms: float = 0.0
    is_asking: bool = True  # whether there is more to the question than orders to a model

    def validate(self) -> None:
        """Raise QueryError for what cannot be asked; find what is to be looked up."""
        self.asked = _validated(self.asked)
        wanted = question_in(self.asked.text)
        self.is_asking = bool(wanted)
        self.query = self.asked.model_copy(update={"text": wanted or self.asked.text})


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
        self._contents: BookContents | None = None
        self._fronts: dict[Aspect, list[Chunk]] = {}

    async def ask(self, query: Query) -> Outcome:
        """Return the outcome of a question; a failure on the way is an outcome too."""
        outcome: Outcome | None = None
        async for step in self.stream(query):
            outcome = step if isinstance(step, Outcome) else outcome
        if outcome is None:
            raise GroundingError("a question ended without an outcome")
        return outcome

    async def search(self, query: Query) -> Found:
        """Return the passages for a question; raise what retrieval raises."""
        return await asyncio.to_thread(self._retriever.retrieve, _validated(query))

    async def stream(self, query: Query) -> AsyncIterator[State | Retrieval | Outcome]:
        """Yield each state a question goes through, what was found for it, its outcome last."""
        progress = _Progress(query, query, perf_counter())
        journey = Journey(ENGINE_EXITS, State.RECEIVED)
        yield journey.state
        try:
            yield journey.move(State.VALIDATING)
            progress.validate()
            yield journey.move(State.RETRIEVING)
            progress.stage = "retrieval"
            found = await self._find(progress)
            yield found.retrieval
            if found.hits:
                yield journey.move(State.GENERATING)
            result: Result = (
                await self._answer(progress, found)
                if found.retrieval.passages
                else await asyncio.to_thread(self._ground, progress, found, None)
            )
        except BythebookError as problem:
            result = _failure(progress.stage, problem)
        except Exception as problem:
            # A bug, ours or a library's: the reader gets a sentence, the log the whole story.
            _LOG.exception("question %s failed", query.request_id)
            result = _failure(progress.stage, RunError(f"an unexpected error: {problem!r}"))
        yield journey.move(_final_state(result))
        yield _outcome(progress, result)

    async def contents(self) -> BookContents:
        """Return the book's sections and their text, read when first asked for and then kept."""
        if self._contents is None:
            self._contents = await asyncio.to_thread(
                lambda: BookContents.of(self.manifest, self._store.chunks())
            )
        return self._contents

    def quoting(self) -> Assistant:
        """Return this assistant with the writer that quotes: the same judgement, and no model."""
        from bythebook.writers.extractive import ExtractiveWriter

        quoting = copy.copy(self)
        quoting._writer = ExtractiveWriter(self._relevance)
        return quoting

    @property
    def reader(self) -> Reader | None:
        """The trained reader, if there is one."""
        return self._relevance.reader

    @property
    def reader_name(self) -> str:
        """What a calibration calls the reader that it was made with."""
        return str(self.reader.spec) if self.reader else "none"

    @property
    def _calibration(self) -> Calibration | None:
        """The calibration of the index, unless it was made with another reader, or with none."""
        found = self.manifest.calibration
        return found if found and found.reader == self.reader_name else None

    def chunks(self) -> Iterator[Chunk]:
        """Read every passage of the book as it is stored, in any order."""
        return self._store.chunks()

    def check_store(self) -> None:
        """Ask the store for its passages; raise StoreError when it cannot do its part."""
        there = self._store.count()
        if there < self.manifest.chunks:
            raise StoreError(f"the index holds {there} of {self.manifest.chunks} passages")

    def check_embedder(self, text: str) -> None:
        """Have a text embedded; raise what the embedder raises."""
        self._retriever.embedder.embed_query(text)

    @property
    def usual_threshold(self) -> float:
        """The least similarity of a passage that its embedder is known to need."""
        return self._retriever.embedder.spec.default_threshold

    def probes(self) -> list[Probe]:
        """Return questions made from the book itself, to calibrate with."""
        chunks = list(self._store.chunks())
        return make_probes(chunks, self._relevance.lexicon, self._relevance.is_everyday)

    async def examine(self, query: Query, hidden: frozenset[str] = frozenset()) -> Findings:
        """Return all that is known about a question, with some passages hidden, undecided."""
        found = await asyncio.to_thread(self._retrieve, query, hidden)
        passages = found.retrieval.passages
        draft = await self._writer.write(query, passages) if passages else None
        return await asyncio.to_thread(self._findings, query, found, draft)

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

    def _retrieve(self, query: Query, hidden: frozenset[str] = frozenset()) -> Found:
        """Look deeper than `top_k`, then keep the passages with the sentences that answer best."""
        depth = max(_POOL, query.top_k)
        found = self._retriever.retrieve(query, depth=depth + len(hidden))
        if introduced := self._introduction(query, hidden):
            retrieval = found.retrieval.model_copy(update={"passages": introduced})
            return Found(found.hits, retrieval, is_introduction=True)
        hits = tuple(hit for hit in found.hits if hit.chunk.id not in hidden)[:depth]
        question = analyse(query.text)
        passages = tuple(hit for hit in hits if hit.score >= found.retrieval.threshold)
        if query.threshold is None:
            passages = self._relevance.with_subject(question, hits, passages)
        chosen = self._relevance.choose(question, passages, query.top_k)
        retrieval = found.retrieval.model_copy(update={"passages": tuple(chosen)})
        return Found(hits, retrieval)

    def _introduction(self, query: Query, hidden: frozenset[str]) -> tuple[Passage, ...]:
        """Return where the book introduces itself, if that is what is asked and it does so."""
        aspect = aspect_of(query.text)
        if aspect is None or query.module or query.chapter:
            return ()
        known = self._fronts.get(aspect)
        if known is None:
            pages = [page.path for page in self.manifest.pages]
            known = self._fronts[aspect] = front(self._store.chunks(), pages, aspect)
        return self._retriever.place(query, [c for c in known if c.id not in hidden])

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
        result = await asyncio.to_thread(self._ground, progress, found, draft)
        progress.grounding_ms = (perf_counter() - written) * 1000
        return result

    def _ground(self, progress: _Progress, found: Found, draft: Draft | None) -> Answer | Refusal:
        """Check a draft; whatever goes wrong here, nothing unchecked gets out."""
        query = progress.query
        try:
            findings = self._findings(query, found, draft)
            decision = self._decide(findings)
            progress.signals = decision.signals
            # Where the passages themselves are asked for, none can be beside the point.
            is_gist = found.is_introduction or (
                query.mode is Mode.SELECTED_TEXT_ONLY and asks_for_gist(query.text)
            )
            ground = Ground(query, found.retrieval, findings, progress.is_asking)
            premise = ground.contradiction()
            is_answer = findings.checked and (decision.answers or is_gist) and premise is None
            if is_answer and progress.is_asking:
                # What is asked for itself was not weighed: a probability would say nothing of it.
                return self._set(findings, found, None if is_gist else decision)
            return refuse(ground, premise, self._elsewhere(query))
        except BythebookError:
            raise
        except Exception as problem:
            raise GroundingError(f"the answer could not be checked: {problem}") from problem

    def _findings(self, query: Query, found: Found, draft: Draft | None) -> Findings:
        passages = found.retrieval.passages
        question = analyse(query.text)
        return Findings(
            focus=self._relevance.focus(question, passages),
            scored=self._relevance.score(question, passages),
            hits=found.hits,
            checked=check(draft, passages, self.reader) if draft else [],
            reader=self._relevance.answer_probability(question, passages),
        )

    def _decide(self, findings: Findings) -> Decision:
        stored = self.manifest.calibration
        scale = stored.scale if stored else USUAL_SCALE
        return decide(measure(findings, scale), self._calibration)

    def _set(self, findings: Findings, found: Found, decision: Decision | None) -> Answer:
        passages = {passage.chunk.id: passage for passage in found.retrieval.passages}
        confidence = assess(findings.focus, findings.checked, passages)
        calibration = self._calibration
        if calibration and decision:
            sure = {
                "probability": decision.probability,
                "calibrated_level": calibration.level(decision.probability),
            }
            confidence = confidence.model_copy(update=sure)
        return set_answer(findings.checked, passages, confidence)

    def _elsewhere(self, query: Query) -> SectionLink | None:
        """Return the section of the book that answers what the marked text does not, if any."""
        if query.mode is not Mode.SELECTED_TEXT_ONLY:
            return None
        whole = query.model_copy(update={"selected_text": None})
        findings = self._findings(whole, self._retrieve(whole), None)
        if not findings.scored or not self._decide(findings).answers:
            return None
        return section_of(findings.scored[0].unit.passage.chunk)


def _with_passages(found: Found, more: Sequence[Passage]) -> Found:
    """Return what was found together with what the writer found by itself."""
    known = {passage.chunk.id for passage in found.retrieval.passages}
    new = tuple(passage for passage in more if passage.chunk.id not in known)
    if not new:
        return found
    passages = found.retrieval.passages + new
    retrieval = found.retrieval.model_copy(update={"passages": passages})
    return Found(found.hits, retrieval, found.is_introduction)


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
        query=progress.asked,
        result=result,
        mode=progress.asked.mode,
        state=_final_state(result),
        retrieval=progress.retrieval,
        model=progress.draft.model if progress.draft else "",
        tokens_used=progress.draft.tokens_used if progress.draft else 0,
        signals=progress.signals,
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

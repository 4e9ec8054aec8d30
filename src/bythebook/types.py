"""The values that flow through bythebook, from a page of the book to the outcome of a question.

Everything here is frozen, and nothing here imports another module of ours. Offsets always count
characters of the text they belong to: a block's offsets point into its page (or chunk), a
citation's offsets into its chunk, so an excerpt can never say what the book does not.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID, uuid4

from pydantic import BaseModel, ConfigDict, Field, computed_field, model_validator


class Value(BaseModel):
    """A frozen value with no surprise fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- the book -------------------------------------------------------------------------------


class BlockKind(StrEnum):
    """What a stretch of page text is, which decides how it may be cut and quoted."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    CODE = "code"
    FORMULA = "formula"
    CAPTION = "caption"  # an admonition's title, a tab's label, a summary: never an answer alone


class Block(Value):
    """One piece of a page; `text[start:end]` is the piece without its Markdown."""

    kind: BlockKind
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    marker: str = ""  # a list item's own marker, "-" or "3."
    depth: int = 0  # how deep a list item, or the code inside one, is nested
    language: str = ""  # of a code block

    def shifted(self, offset: int) -> Block:
        """Return the same block as seen from another text."""
        return self.model_copy(update={"start": self.start + offset, "end": self.end + offset})


class Heading(Value):
    """A heading and the anchor that the book's generator gives it."""

    level: int = Field(ge=1, le=6)
    text: str
    anchor: str
    start: int = Field(ge=0)


class Page(Value):
    """A page of the book as readable text, with its structure kept beside it."""

    path: str
    title: str
    text: str
    blocks: tuple[Block, ...] = ()
    headings: tuple[Heading, ...] = ()
    url: str | None = None
    chapter: str | None = None
    module: str | None = None
    number: int | None = None  # the page number of a paged format such as PDF

    @model_validator(mode="after")
    def _blocks_lie_inside_the_text(self) -> Page:
        for block in self.blocks:
            if not block.start <= block.end <= len(self.text):
                raise ValueError(f"block {block.start}..{block.end} is outside page {self.path!r}")
        return self


class SkippedFile(Value):
    """A file of the book's folder that could not be read, and why."""

    path: str
    reason: str


class Book(Value):
    """All pages of a book in reading order."""

    title: str
    generator: str
    pages: tuple[Page, ...]
    skipped: tuple[SkippedFile, ...] = ()


SELECTED_CHUNK_ID = "selected_text"  # the id document 004 gives to text a reader marked


class Chunk(Value):
    """A passage small enough to embed whole; its id stays the same while its text does.

    `text` is `lead + page.text[start:end]`. The lead is empty except for a later part of a long
    table, where it repeats the header row.
    """

    id: str
    text: str = Field(min_length=1)
    lead: str = ""
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    index: int = Field(ge=0)
    page_path: str
    page_title: str
    page_url: str | None = None
    page_number: int | None = None
    chapter: str | None = None
    module: str | None = None
    heading_path: tuple[str, ...] = ()
    anchor: str = ""
    token_count: int = Field(ge=1)
    content_hash: str
    blocks: tuple[Block, ...] = ()

    @property
    def is_selection(self) -> bool:
        """Whether this is text a reader marked, which may still hold Markdown."""
        return self.id == SELECTED_CHUNK_ID

    @property
    def section(self) -> str:
        """The heading a reader would look under."""
        return self.heading_path[-1] if self.heading_path else self.page_title

    @property
    def context(self) -> str:
        """Where the passage stands, for the embedder and for a person."""
        path = [self.page_title, *self.heading_path]
        return " > ".join(dict.fromkeys(path))

    @property
    def embedded_text(self) -> str:
        """What the embedder reads: where the passage stands, then what it says."""
        return f"{self.context}\n{self.text}"


# --- the question ---------------------------------------------------------------------------

MAX_QUESTION_CHARACTERS = 2000
MAX_TOP_K = 100


class Mode(StrEnum):
    """Which text may answer: the whole book, or only what the reader marked."""

    STANDARD_RAG = "standard_rag"
    SELECTED_TEXT_ONLY = "selected_text_only"


class Query(Value):
    """A reader's question and how it should be answered."""

    text: str = Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS)
    top_k: int = Field(default=5, ge=1, le=MAX_TOP_K)
    threshold: float | None = Field(default=None, ge=0.0, le=1.0)
    module: str | None = None
    chapter: str | None = None
    selected_text: str | None = None
    page_url: str | None = None
    session_id: UUID | None = None
    request_id: UUID = Field(default_factory=uuid4)
    asked: str | None = (
        None  # a follow-up as the reader put it, when `text` was made to stand alone
    )

    @property
    def mode(self) -> Mode:
        """The workflow this question takes."""
        return Mode.STANDARD_RAG if self.selected_text is None else Mode.SELECTED_TEXT_ONLY


class Passage(Value):
    """A chunk found for a question; `score` is its true cosine, `rank` its place in the fusion."""

    chunk: Chunk
    score: float = Field(ge=0.0, le=1.0)
    rank: int = Field(ge=1)


class Retrieval(Value):
    """What the book holds on a question, before anyone judged whether it answers."""

    passages: tuple[Passage, ...]
    total_candidates: int = Field(ge=0)
    threshold: float = Field(ge=0.0, le=1.0)
    embed_ms: float = Field(default=0.0, ge=0.0)
    search_ms: float = Field(default=0.0, ge=0.0)

    @property
    def total_ms(self) -> float:
        """Time for embedding and search together."""
        return self.embed_ms + self.search_ms


# --- the draft ------------------------------------------------------------------------------


class Evidence(Value):
    """A span of a chunk: the place in the book that a sentence leans on."""

    chunk_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)


class DraftSentence(Value):
    """One sentence a writer proposes; nobody sees it before grounding has checked it.

    `layout` tells how the sentence is set: running text, a list item with its marker, a fenced
    code block. It is no part of what is checked. `cites` are the chunks the writer says it leans
    on: where the check looks first, and no more than that.
    """

    text: str
    evidence: tuple[Evidence, ...] = ()
    cites: tuple[str, ...] = ()
    layout: Literal["prose", "item", "code", "formula"] = "prose"
    marker: str = ""
    language: str = ""


class Draft(Value):
    """What a writer proposes as the answer.

    `passages` are those it found by itself, beyond what it was given; `notes` tell a person what
    was unusual about the writing.
    """

    sentences: tuple[DraftSentence, ...]
    model: str
    tokens_used: int = Field(default=0, ge=0)
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


# --- the outcome ----------------------------------------------------------------------------


class Citation(Value):
    """An exact span of the book: `excerpt` is `chunk.text[start:end]`, always."""

    index: int = Field(ge=1)
    chunk_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    excerpt: str = Field(min_length=1)
    relevance_score: float = Field(ge=0.0, le=1.0)
    section: str
    heading_path: tuple[str, ...] = ()
    page_path: str | None = None
    page_title: str | None = None
    page_url: str | None = None
    page_number: int | None = None
    chapter: str | None = None
    module: str | None = None
    url: str | None = None  # deep link: page, anchor and text fragment


class AnswerSentence(Value):
    """A sentence that passed the check, with the citations that carry it."""

    text: str
    citations: tuple[int, ...] = Field(min_length=1)
    support: float = Field(ge=0.0, le=1.0)


ConfidenceLevel = Literal["high", "medium", "low"]


class Confidence(Value):
    """How much the answer can be leaned on, in four parts (document 000).

    On a calibrated index it also tells how probable it is that the answer is right, and the level
    follows from that: "high" means that at least 95 % of such answers were right.
    """

    retrieval_quality: float = Field(ge=0.0, le=1.0)
    coverage_score: float = Field(ge=0.0, le=1.0)
    entailment_score: float = Field(ge=0.0, le=1.0)
    lexical_overlap: float = Field(ge=0.0, le=1.0)
    probability: float | None = None  # that the answer is right, as calibration reads it
    calibrated_level: ConfidenceLevel | None = Field(default=None, exclude=True)

    @computed_field  # type: ignore[prop-decorator]  # mypy cannot see through pydantic's property
    @property
    def overall(self) -> float:
        """The weighted average that document 000 prescribes."""
        parts = (
            0.35 * self.retrieval_quality,
            0.25 * self.coverage_score,
            0.25 * self.entailment_score,
            0.15 * self.lexical_overlap,
        )
        # Rounded, so that four factors of 0.8 make 0.8 and not a hair less: the level hangs on it.
        return min(1.0, max(0.0, round(math.fsum(parts), 12)))

    @computed_field  # type: ignore[prop-decorator]  # as above
    @property
    def level(self) -> ConfidenceLevel:
        """In a word: what calibration says, else the average as document 000 reads it."""
        if self.calibrated_level is not None:
            return self.calibrated_level
        if self.overall >= 0.8:
            return "high"
        return "medium" if self.overall >= 0.6 else "low"


NO_CONFIDENCE = Confidence(
    retrieval_quality=0.0, coverage_score=0.0, entailment_score=0.0, lexical_overlap=0.0
)


class Answer(Value):
    """Sentences of the book, or supported by it, each with its citations."""

    kind: Literal["answer"] = "answer"
    text: str = Field(min_length=1)
    sentences: tuple[AnswerSentence, ...] = Field(min_length=1)
    citations: tuple[Citation, ...] = Field(min_length=1)
    confidence: Confidence


class RefusalType(StrEnum):
    """Why there is no answer (document 004)."""

    EMPTY_RETRIEVAL = "empty_retrieval"
    LOW_RELEVANCE = "low_relevance"
    INSUFFICIENT_GROUNDING = "insufficient_grounding"
    SELECTED_TEXT_MISSING = "selected_text_missing"


class RefusalReason(StrEnum):
    """What stands in the way of an answer, told so that a reader can act on it."""

    NOT_IN_BOOK = "not_in_book"  # the book never speaks of what is asked for
    MENTIONED_NOT_EXPLAINED = "mentioned_not_explained"  # it does, but does not say what was asked
    ONLY_OUTSIDE_SELECTION = "only_outside_selection"  # the marked text does not, the book does
    FALSE_PREMISE = "false_premise"  # the question takes for granted what the book contradicts
    OFF_TOPIC = "off_topic"  # nothing to do with this book
    UNCLEAR = "unclear"  # there is no telling what is asked


class SectionLink(Value):
    """A place in the book a reader may want to look at instead."""

    title: str
    page_title: str
    url: str | None = None


class Refusal(Value):
    """The book does not answer; `explanation` tells this question's reason in a sentence."""

    kind: Literal["refusal"] = "refusal"
    type: RefusalType
    reason: RefusalReason = RefusalReason.NOT_IN_BOOK
    explanation: str
    missing_terms: tuple[str, ...] = ()
    nearest: tuple[SectionLink, ...] = ()
    contradicted_by: Citation | None = None  # of a false premise: what the book says instead
    confidence: Confidence = NO_CONFIDENCE


FailureStage = Literal["validation", "retrieval", "generation", "grounding"]


class Failure(Value):
    """Something broke on the way; nothing unchecked is ever shown instead."""

    kind: Literal["failure"] = "failure"
    stage: FailureStage
    error: str  # the name of the error class
    message: str
    hint: str | None = None
    retryable: bool = False
    retry_after_seconds: float | None = None
    is_setup: bool = False  # somebody set it up wrong: a key, a model, a missing package


Result = Answer | Refusal | Failure


class Timings(Value):
    """Where the time went, in milliseconds."""

    retrieval_ms: float = Field(default=0.0, ge=0.0)
    generation_ms: float = Field(default=0.0, ge=0.0)
    grounding_ms: float = Field(default=0.0, ge=0.0)
    total_ms: float = Field(default=0.0, ge=0.0)


class State(StrEnum):
    """Where a question is on its way."""

    RECEIVED = "received"
    VALIDATING = "validating"
    RETRIEVING = "retrieving"
    GENERATING = "generating"
    COMPLETE = "complete"
    NO_RESULTS = "no_results"
    LOW_CONFIDENCE = "low_confidence"
    ERROR = "error"


class Signal(Value):
    """One thing that spoke for or against an answer, and how much it counted."""

    name: str
    value: float
    weight: float  # what it added to the decision, below zero when it spoke against
    meaning: str


class Outcome(Value):
    """Everything known about one question once it is settled."""

    query: Query
    result: Result = Field(discriminator="kind")
    mode: Mode
    state: State
    retrieval: Retrieval | None = None
    model: str = ""
    tokens_used: int = Field(default=0, ge=0)
    timings: Timings = Timings()
    signals: tuple[Signal, ...] = ()  # why it was answered or refused
    notes: tuple[str, ...] = ()  # what a reader should know about how this came about
    finished_at: datetime = Field(default_factory=lambda: datetime.now(UTC))

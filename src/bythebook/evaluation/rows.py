"""What is kept about one question of an evaluation: enough to see why it went as it did."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import ConfigDict, Field

from bythebook.evaluation.cases import Form
from bythebook.types import Signal, Value


class Verdict(StrEnum):
    """What came of a question, worst first."""

    FAILED = "failed"  # something broke; counted apart, since it says nothing about the answers
    FALSE_ANSWER = "false answer"  # answered, though the book (or the marked text) does not
    WRONG_PLACE = "wrong place"  # answered from a page, or marked words, that do not answer
    FALSE_REFUSAL = "false refusal"  # refused, though it is answered there
    RIGHT_ANSWER = "right answer"
    RIGHT_REFUSAL = "right refusal"

    @property
    def is_right(self) -> bool:
        """Whether this is what should have happened."""
        return self in (Verdict.RIGHT_ANSWER, Verdict.RIGHT_REFUSAL)


class _Kept(Value):
    """A value that may be read back from a file written by a later version."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class CitedPlace(_Kept):
    """A citation of an answer, held against the gold and the store."""

    index: int
    page: str | None
    section: str
    excerpt: str
    url: str | None
    on_gold_page: bool
    on_gold_sentence: bool
    is_verbatim: bool


class FoundPlace(_Kept):
    """A passage the answer could be written from."""

    page: str
    section: str
    score: float
    rank: int
    text: str
    url: str | None
    on_gold_page: bool
    holds_gold: bool


class Told(_Kept):
    """What the reader was told: an answer, a refusal with its reason, or a failure."""

    kind: Literal["answer", "refusal", "failure"]
    text: str  # of the answer, or why there is none
    confidence: float | None = None
    level: str | None = None
    refusal_type: str | None = None
    reason: str | None = None
    missing_terms: tuple[str, ...] = ()
    contradicted_by: str | None = None
    is_setup: bool = False  # of a failure: somebody set it up wrong


class Measures(_Kept):
    """What one question adds to the figures; None where a measure does not apply.

    An unanswerable question has no gold page, a question that failed has nothing at all.
    """

    page_rank: int | None = None  # of the first passage on a gold page
    gold_rank: int | None = None  # of the first passage that holds a gold sentence
    gold_cited: bool | None = None
    precision: float | None = Field(default=None, ge=0.0, le=1.0)
    precision_strict: float | None = Field(default=None, ge=0.0, le=1.0)
    recall: float | None = Field(default=None, ge=0.0, le=1.0)
    key_points_said: float | None = Field(default=None, ge=0.0, le=1.0)
    understood: bool | None = None


class Row(_Kept):
    """One question, what came of it, and what that is measured to be worth."""

    id: str
    form: Form
    kind: str
    question: str
    answerable: bool
    verdict: Verdict
    before: tuple[str, ...] = ()  # the turns before a follow-up
    understood_as: str | None = None  # a follow-up as it was completed
    standalone: str | None = None
    selected_text: str | None = None

    told: Told
    citations: tuple[CitedPlace, ...] = ()
    passages: tuple[FoundPlace, ...] = ()
    signals: tuple[Signal, ...] = ()
    notes: tuple[str, ...] = ()
    ms: float = 0.0

    gold_pages: tuple[str, ...] = ()
    gold_sentences: tuple[str, ...] = ()
    key_points: tuple[str, ...] = ()
    answered_elsewhere: str | None = None
    why_unanswerable: str = ""

    measures: Measures = Measures()

    @property
    def answered(self) -> bool:
        """Whether there was an answer."""
        return self.told.kind == "answer"

    @property
    def failed(self) -> bool:
        """Whether something broke."""
        return self.verdict is Verdict.FAILED

    @property
    def asks_the_book(self) -> bool:
        """Whether the whole book could answer, and not only marked text."""
        return self.form is not Form.SELECTED

"""What calibration found out about one embedder and one reader on one book."""

from __future__ import annotations

from datetime import UTC, datetime

from pydantic import Field

from bythebook.types import ConfidenceLevel, Value

SCHEME = 1  # how the figures are to be read; another scheme asks for a new calibration


class Scale(Value):
    """Where the cosines of an embedder lie on a book, so that one decision fits every embedder.

    `background` is what a question has in common with any sentence of the book, `answering` what it
    has in common with the sentence that answers it.
    """

    background: float
    answering: float

    def place(self, cosine: float) -> float:
        """Return a cosine as a share of the way from background to answering."""
        width = max(self.answering - self.background, 0.05)
        return min(1.5, max(-0.5, (cosine - self.background) / width))


# MiniLM on the sample book; any calibrated index has its own.
USUAL_SCALE = Scale(background=0.12, answering=0.68)


class Bin(Value):
    """Answers of like probability: how probable they were said to be, and how many were right."""

    said: float
    right: float
    count: int


class CoveragePoint(Value):
    """At a floor: the share of questions answered right, and the share of answers that are not."""

    floor: float
    coverage: float
    risk: float


class Calibration(Value):
    """How probabilities are read off the decision, for one embedder and book."""

    scheme: int = SCHEME
    embedder: str
    embedder_revision: str
    reader: str = "none"  # with another one the scale holds, and the probabilities do not
    made_at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    questions: int
    held_out: int
    scale: Scale
    threshold: float = Field(ge=0.0, le=1.0)  # of a passage's cosine: below it nothing is read
    slope: float
    intercept: float
    floor: float  # the least probability of being right at which an answer is shown
    high: float | None  # at and above, at least 95 % were right; None when no floor gives that
    medium: float
    high_right: float | None  # how many of the held-out answers called high were right
    high_count: int
    error: float  # the expected calibration error on held-out questions
    reliability: tuple[Bin, ...] = ()
    curve: tuple[CoveragePoint, ...] = ()

    def level(self, probability: float) -> ConfidenceLevel:
        """Return a probability in a word."""
        if self.high is not None and probability >= self.high:
            return "high"
        return "medium" if probability >= self.medium else "low"

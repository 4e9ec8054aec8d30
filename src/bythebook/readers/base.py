"""The role of a reader: does this passage answer this question, where, and is this claim borne out?

A search finds passages that talk about the same things. A reader tells whether they say what was
asked, which words overlap cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class ReaderSpec:
    """The facts about a reader that whatever was fitted to its numbers depends on."""

    name: str  # as in settings, such as "minilm"
    revision: str  # changes whenever its numbers do
    embedder: str = ""  # the revision of the embedder whose cosines it weighs beside, if any

    def __str__(self) -> str:
        return f"{self.name} {self.revision}"


@dataclass(frozen=True)
class Mark:
    """How much of the answer begins or ends in a word piece; offsets count characters."""

    start: int
    end: int
    weight: float


@dataclass(frozen=True)
class Reading:
    """What a reader says of one passage. Offsets count characters of the passage.

    `start` to `end` is the shortest stretch that answers, if any does; it lies in the evidence, the
    sentence from `sentence_start` to `sentence_end`. They are told also when the passage hardly
    answers: the probability says how much to make of them. An empty passage has empty ones.
    """

    probability: float  # that the passage answers the question
    start: int
    end: int
    score: float  # how sure the reader is of the stretch, should there be an answer at all
    sentence_start: int
    sentence_end: int
    marks: tuple[Mark, ...] = ()

    def weight(self, start: int, end: int) -> float:
        """Return how much of the answer lies between two offsets, 0 to 1, should there be one."""
        return sum(mark.weight for mark in self.marks if start <= mark.start < end)


class Reader(Protocol):
    """Reads passages with a question or a claim in mind."""

    @property
    def spec(self) -> ReaderSpec:
        """The facts about this reader."""
        ...

    def read(
        self, question: str, passages: Sequence[str], closeness: Sequence[float] | None = None
    ) -> list[Reading]:
        """Return one reading a passage, in order; raise GroundingError when reading fails.

        `closeness` is the cosine of each passage to the question by the embedder that the spec
        names, where it is known already; the reader finds out for itself what it is not told.
        """
        ...

    def supports(self, claims: Sequence[str], passages: Sequence[str]) -> list[float]:
        """Return how probably each passage says what the claim at the same place says.

        Raise GroundingError when reading fails.
        """
        ...

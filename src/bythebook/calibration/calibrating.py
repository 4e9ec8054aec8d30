"""Trying a book with its own questions, and reading off how far its scores can be trusted."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bythebook.calibration.fitting import (
    MEDIUM,
    Reading,
    Trial,
    answer_floor,
    calibration_error,
    fit_reading,
    high_floor,
    reliability,
    risk_coverage,
)
from bythebook.calibration.questions import Probe
from bythebook.calibration.values import Calibration, Scale
from bythebook.errors import SourceError
from bythebook.grounding.answerability import Model, model_for
from bythebook.grounding.signals import Findings, measure
from bythebook.indexing import Reporter
from bythebook.manifest import Manifest
from bythebook.shelves.base import Shelf
from bythebook.types import Query

# Under so many questions of either sort nothing can be said about the book.
_FEWEST = 8
_SEED = 7


class Subject(Protocol):
    """What is calibrated: an assistant that can be asked with some passages hidden from it."""

    manifest: Manifest

    @property
    def usual_threshold(self) -> float:
        """What the embedder takes for the least similarity on any book."""
        ...

    @property
    def reader_name(self) -> str:
        """What to call the trained reader that takes part in the decision, or "none"."""
        ...

    def probes(self) -> list[Probe]:
        """Return questions made from the book."""
        ...

    async def examine(self, query: Query, hidden: frozenset[str]) -> Findings:
        """Return all that is known about a question, before it is decided."""
        ...


@dataclass(frozen=True)
class Tried:
    """A question and what came of it."""

    probe: Probe
    findings: Findings

    @property
    def is_right(self) -> bool:
        """Whether the drafted answer leans on a passage that answers."""
        spans = (span for sentence in self.findings.checked for span in sentence.evidence)
        return any(span.chunk_id in self.probe.answers for span in spans)


async def calibrate(
    subject: Subject, shelf: Shelf, reporter: Reporter | None = None
) -> Calibration:
    """Ask every question, fit what the index needs to know about itself, and keep it there.

    Half of the questions fit the figures, the other half tells what they are worth.
    Raises SourceError when the book gives too few questions.
    """
    manifest = subject.manifest
    probes = subject.probes()
    answerable = sum(probe.is_answerable for probe in probes)
    if min(answerable, len(probes) - answerable) < _FEWEST:
        raise SourceError(
            f"only {answerable} questions that the book answers can be made from it, too few to"
            " calibrate on",
            hint="a book of a few pages works without calibration",
        )
    advance = reporter.advance if reporter else _say_nothing
    if reporter:
        reporter.start("Calibrating", len(probes))
    tried = await try_all(subject, probes, advance)
    found = _fit(tried, manifest, subject)
    with shelf.building():
        shelf.amend(
            manifest.model_copy(update={"calibration": found, "threshold": found.threshold})
        )
    return found


def _say_nothing(steps: int) -> None:
    del steps


async def try_all(
    subject: Subject, probes: Sequence[Probe], advance: Callable[[int], None] = _say_nothing
) -> list[Tried]:
    """Ask every question, with what it hides hidden."""
    tried: list[Tried] = []
    for probe in probes:
        findings = await subject.examine(Query(text=probe.text, threshold=0.0), probe.hidden)
        tried.append(Tried(probe, findings))
        advance(1)
    return tried


def _fit(tried: Sequence[Tried], manifest: Manifest, subject: Subject) -> Calibration:
    scale = measure_scale(tried)
    trials = [trial_of(one, scale) for one in tried]
    random.Random(_SEED).shuffle(trials)  # noqa: S311  # a split, no secret
    fitting, held_out = trials[::2], trials[1::2]
    made = fit_reading(fitting)
    reading = for_readers(made, _model(tried, scale))
    floor = answer_floor(reading)
    high = high_floor(held_out, reading, floor)
    sure = [t for t in held_out if high is not None and reading.probability(t.strength) >= high]
    bins = reliability(held_out, made)
    return Calibration(
        embedder=manifest.embedder,
        embedder_revision=manifest.embedder_revision,
        reader=subject.reader_name,
        questions=len(trials),
        held_out=len(held_out),
        scale=scale,
        threshold=_threshold(tried, subject.usual_threshold),
        slope=reading.slope,
        intercept=reading.intercept,
        floor=floor,
        high=high,
        medium=MEDIUM,
        high_right=sum(t.is_right for t in sure) / len(sure) if sure else None,
        high_count=len(sure),
        error=calibration_error(bins),
        reliability=bins,
        curve=risk_coverage(held_out, made),
    )


def for_readers(made: Reading, model: Model) -> Reading:
    """Return the reading for readers' questions, from the one fitted on made ones."""
    slope = made.slope / model.made_slope
    return Reading(min(2.0, max(0.5, slope)), made.intercept - model.made_intercept)


def _model(tried: Sequence[Tried], scale: Scale) -> Model:
    return model_for(next(filter(None, (measure(one.findings, scale) for one in tried))))


def trial_of(one: Tried, scale: Scale) -> Trial:
    """Return how a question came out."""
    values = measure(one.findings, scale)
    strength = model_for(values).strength(values) if values else -10.0
    return Trial(strength, one.is_right and one.probe.is_answerable, one.probe.is_answerable)


def measure_scale(tried: Sequence[Tried]) -> Scale:
    """Measure where the cosines lie: of sentences that answer, and of any other."""
    answering, background = [], []
    for one in tried:
        scored = one.findings.scored
        if one.is_right and scored:
            answering.append(max(found.similarity for found in scored))
        elif one.probe.kind == "off_topic" and scored:
            background += [found.similarity for found in scored]
    low = float(np.mean(background)) if background else 0.1
    return Scale(background=low, answering=float(np.median(answering)) if answering else low + 0.5)


def _threshold(tried: Sequence[Tried], most: float) -> float:
    """Return the cosine under which no passage answered; never more than the embedder's usual."""
    tops = [
        max(hit.score for hit in one.findings.hits)
        for one in tried
        if one.is_right and one.findings.hits
    ]
    lowest = float(np.quantile(tops, 0.01)) if tops else most
    return round(max(0.0, min(most, 0.8 * lowest)), 3)

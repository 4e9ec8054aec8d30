"""From questions with known answers to a probability that means something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bythebook.calibration.values import Bin, CoveragePoint

Numbers = npt.NDArray[np.float64]

_HIGH = 0.95
MEDIUM = 0.65  # the least probability that is called medium
# "High" must stand on at least so many answers.
_FEWEST_HIGH = 10
_BINS = 8
# How strongly the reading is held to the model's own, in questions of each kind.
_PRIOR = 4.0
_LONGEST_STEP = 1.0


@dataclass(frozen=True)
class Trial:
    """One question tried: the log-odds of the decision, and whether the answer was right."""

    strength: float
    is_right: bool
    is_answerable: bool


@dataclass(frozen=True)
class Reading:
    """How log-odds become a probability."""

    slope: float
    intercept: float

    def probability(self, strength: float) -> float:
        """Return the probability that an answer of this strength is right."""
        odds = self.slope * strength + self.intercept
        return float(1 / (1 + math.exp(-max(-40.0, min(40.0, odds)))))


def fit_reading(trials: Sequence[Trial]) -> Reading:
    """Fit slope and intercept by logistic regression, held near 1 and 0 by a prior."""
    strengths = np.array([trial.strength for trial in trials])
    right = np.array([float(trial.is_right) for trial in trials])
    inputs = np.stack([strengths, np.ones_like(strengths)], axis=1)
    start = np.array([1.0, 0.0])
    fitted = fit_logistic(inputs, right, penalty=np.array([_PRIOR, _PRIOR / 4]), centre=start)
    return Reading(max(0.2, float(fitted[0])), float(fitted[1]))


def fit_logistic(
    inputs: Numbers,
    labels: Numbers,
    *,
    penalty: Numbers,
    centre: Numbers | None = None,
    weights: Numbers | None = None,
) -> Numbers:
    """Return the coefficients of a logistic regression, found by Newton's method.

    `penalty` pulls each coefficient to its `centre`; `weights` says how much each row counts.
    """
    aim = np.zeros(inputs.shape[1]) if centre is None else centre
    counts = np.ones(len(labels)) if weights is None else weights
    found = aim.astype(np.float64)
    for _ in range(100):
        said = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        slope = inputs.T @ (counts * (said - labels)) + penalty * (found - aim)
        bend = (inputs.T * (counts * said * (1 - said))) @ inputs + np.diag(penalty + 1e-9)
        step = np.linalg.solve(bend, slope)
        # Far from the answer the curve is flat, and a whole step would lead beyond all bounds.
        step *= min(1.0, _LONGEST_STEP / float(np.abs(step).max()))
        found = found - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return found


def answer_floor(reading: Reading) -> float:
    """Return the probability from which to answer: where the model's own odds are even.

    The model was fitted on readers' questions. A book's made ones tell how sure to be; letting them
    decide as well only traded one error for the other on seven sets of readers' questions.
    """
    return reading.probability(0.0)


def level_floor(
    trials: Sequence[Trial], reading: Reading, least: float, floor: float
) -> float | None:
    """Return the lowest probability from which at least this share of answers is right."""
    answered = sorted(((reading.probability(t.strength), t.is_right) for t in trials), reverse=True)
    answered = [(p, right) for p, right in answered if p >= floor]
    best, rights = None, 0
    for count, (probability, is_right) in enumerate(answered, start=1):
        rights += is_right
        is_last = count == len(answered) or answered[count][0] < probability
        if is_last and count >= _FEWEST_HIGH and rights >= least * count:
            best = probability
    return best


def high_floor(trials: Sequence[Trial], reading: Reading, floor: float) -> float | None:
    """Return from which probability an answer may be called high.

    Where a book's made questions are easy, nearly all answers to them are right; what is called
    high must be said to be right with that probability too.
    """
    return level_floor(trials, reading, _HIGH, max(floor, _HIGH))


def reliability(trials: Sequence[Trial], reading: Reading) -> tuple[Bin, ...]:
    """Return how often answers were right, by how probable they were said to be."""
    said = np.array([reading.probability(trial.strength) for trial in trials])
    right = np.array([float(trial.is_right) for trial in trials])
    places = np.minimum((said * _BINS).astype(int), _BINS - 1)
    return tuple(
        Bin(
            said=float(said[places == number].mean()),
            right=float(right[places == number].mean()),
            count=int((places == number).sum()),
        )
        for number in range(_BINS)
        if (places == number).any()
    )


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the mean distance between what was said and what was right, by questions."""
    total = sum(found.count for found in bins)
    return sum(found.count * abs(found.said - found.right) for found in bins) / max(1, total)


def risk_coverage(trials: Sequence[Trial], reading: Reading) -> tuple[CoveragePoint, ...]:
    """Return what each floor would give, from answering everything to answering nothing."""
    answerable = sum(trial.is_answerable for trial in trials)
    points = []
    for floor in np.linspace(0.0, 0.95, 20):
        answered = [t for t in trials if reading.probability(t.strength) >= floor]
        right = sum(trial.is_right for trial in answered)
        points.append(
            CoveragePoint(
                floor=round(float(floor), 2),
                coverage=right / max(1, answerable),
                risk=(len(answered) - right) / max(1, len(answered)),
            )
        )
    return tuple(points)

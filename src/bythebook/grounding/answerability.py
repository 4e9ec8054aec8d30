"""Whether the book answers: many signals, one small model, fitted in the open.

The model is a logistic regression. Its weights stand in `answerability.json`, where
`tools/fit_answerability.py` put them; docs/evaluation.md tells on what. A calibrated index reads
its own probability off the result.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from bythebook.calibration.values import Calibration
from bythebook.grounding.signals import MEANINGS
from bythebook.types import Signal

USUAL_FLOOR = 0.5
VETO = "no such thing"


@dataclass(frozen=True)
class Model:
    """How much each signal counts.

    Questions that calibration makes from a book are harder than those of readers. How a reading
    fitted on them comes out for the books that the model itself was fitted on is kept too: only
    what is different on another book speaks about that book.
    """

    intercept: float
    weights: Mapping[str, float]
    made_slope: float = 1.0
    made_intercept: float = 0.0

    def strength(self, values: Mapping[str, float]) -> float:
        """Return the log-odds that the book answers; signals without a weight count nothing."""
        weighed = (self.weights.get(name, 0.0) * value for name, value in values.items())
        return self.intercept + math.fsum(weighed)


@dataclass(frozen=True)
class Decision:
    """Whether to answer, how probable it is that the answer is right, and why."""

    answers: bool
    probability: float
    signals: tuple[Signal, ...] = ()


def decide(values: Mapping[str, float], calibration: Calibration | None) -> Decision:
    """Weigh the signals; with none of them there is nothing to answer from."""
    if not values:
        return Decision(False, 0.0)
    model = model_for(values)
    strength = model.strength(values)
    if calibration is not None:
        strength = calibration.slope * strength + calibration.intercept
    probability = sigmoid(strength)
    floor = USUAL_FLOOR if calibration is None else calibration.floor
    signals = [
        Signal(name=name, value=value, weight=model.weights[name] * value, meaning=MEANINGS[name])
        for name, value in values.items()
        if name in model.weights
    ]
    signals.sort(key=lambda signal: abs(signal.weight), reverse=True)
    # A date asked for and none there: of 28 such answers not one was right.
    is_there = not values.get(VETO)
    return Decision(is_there and probability >= floor, probability, tuple(signals))


def model_for(values: Mapping[str, float]) -> Model:
    """Return the model for the signals there are: with or without a reader's."""
    models = _models()
    return models["reader"] if "reader" in values and "reader" in models else models["words"]


def sigmoid(strength: float) -> float:
    """Return log-odds as a probability."""
    if strength >= 0:
        return 1 / (1 + math.exp(-strength))
    return math.exp(strength) / (1 + math.exp(strength))


@lru_cache(maxsize=1)
def _models() -> dict[str, Model]:
    text = resources.files(__package__).joinpath("answerability.json").read_text(encoding="utf-8")
    return {
        name: Model(stored["intercept"], stored["weights"], *stored["made"])
        for name, stored in json.loads(text).items()
    }

"""Fitting the numbers of the heads to probabilities.

Half of the dev rows, whole articles or passages of them, is fitted on; the figures come from the
other half. Right and wrong rows weigh the same, so a probability holds where both are as likely.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.measure import Floats, Said
from training.rows import Pair, plain

Labels = NDArray[np.bool_]


@dataclass
class Calibration:
    """What the package needs to know, and how well it fits."""

    config: dict[str, dict[str, float]] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)


def is_for_fitting(pair: Pair) -> bool:
    """Tell whether a dev row is one to fit on.

    The sum is not the one of `rows.share`, by which dev rows were chosen: most would fall on one
    side.
    """
    name = plain(pair.title or pair.passage)
    return hashlib.sha256(name.encode()).digest()[0] < 128


def calibrate(said: dict[str, list[Said]]) -> Calibration:
    """Fit both heads on what they said of dev rows."""
    found: dict[str, list[tuple[Pair, float]]] = {"answer": [], "support": []}
    for name, ones in said.items():
        if name.startswith("judged"):
            continue  # the same rows stand in the sets they were taken from
        task = "support" if name.startswith("support") else "answer"
        found[task] += [(one.pair, getattr(one, task)) for one in ones]
    result = Calibration()
    for task, rows_of in found.items():
        numbers = np.array([number for _, number in rows_of])
        labels = np.array([pair.label for pair, _ in rows_of])
        fitting = np.array([is_for_fitting(pair) for pair, _ in rows_of])
        temperature, bias = fit(numbers[fitting], labels[fitting])
        result.config[task] = {"temperature": round(temperature, 4), "bias": round(bias, 4)}
        rest, truth = numbers[~fitting], labels[~fitting]
        result.figures[f"{task} error before"] = calibration_error(rest, truth)
        result.figures[f"{task} error after"] = calibration_error(rest / temperature + bias, truth)
    return result


def _balance(labels: Labels) -> Floats:
    weights: Floats = np.where(labels, 0.5 / labels.mean(), 0.5 / (~labels).mean())
    return weights / weights.sum()


def fit(numbers: Floats, labels: Labels) -> tuple[float, float]:
    """Return the temperature and the bias of a logistic curve through the rows, by Newton steps."""
    inputs = np.stack([numbers, np.ones_like(numbers)], 1)
    weights = _balance(labels)
    slope = np.zeros(2)  # from here Newton's steps do not overshoot, wherever the numbers lie
    for _ in range(30):
        said = 1 / (1 + np.exp(-inputs @ slope))
        gradient = inputs.T @ (weights * (said - labels))
        curve = (inputs * (weights * said * (1 - said))[:, None]).T @ inputs
        slope = slope - np.linalg.solve(curve + 1e-9 * np.eye(2), gradient)
    return float(1 / slope[0]), float(slope[1])


def calibration_error(numbers: Floats, labels: Labels, bins: int = 10) -> float:
    """Return by how much the probabilities are off, as a mean over ten ranges of them."""
    said: Any = 1 / (1 + np.exp(-numbers))
    weights = _balance(labels)
    places = np.minimum((said * bins).astype(int), bins - 1)
    off = 0.0
    for place in range(bins):
        here = places == place
        if here.any():
            off += abs(float((weights[here] * (said[here] - labels[here])).sum()))
    return round(off, 4)

"""Fitting the numbers of a head to probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from training.calibrate import calibration_error, fit


@pytest.mark.parametrize("shift", [-20.0, 0.0, 2.0, 20.0])
def test_a_scale_is_found_wherever_the_numbers_lie(shift: float) -> None:
    chance = np.random.default_rng(3)
    labels = chance.random(2_000) < 0.5
    numbers = chance.normal(np.where(labels, 2.0, -2.0), 3.6) + shift
    temperature, bias = fit(numbers, labels)
    assert temperature > 0
    assert bias == pytest.approx(-shift / temperature, abs=0.2)
    assert calibration_error(numbers / temperature + bias, labels) < 0.05

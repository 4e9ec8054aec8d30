from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bythebook.calibration.fitting import (
    Reading,
    Trial,
    answer_floor,
    calibration_error,
    fit_logistic,
    fit_reading,
    high_floor,
    reliability,
    risk_coverage,
)

EVEN = Reading(1.0, 0.0)


def drawn(count: int, slope: float, intercept: float) -> list[Trial]:
    """Trials whose answers are right exactly as often as a reading says."""
    dice = random.Random(3)
    true = Reading(slope, intercept)
    strengths = [dice.uniform(-3, 3) for _ in range(count)]
    return [Trial(s, dice.random() < true.probability(s), True) for s in strengths]


def test_a_reading_is_found_again_from_what_it_made() -> None:
    found = fit_reading(drawn(20_000, 1.6, -0.7))
    assert abs(found.slope - 1.6) < 0.1
    assert abs(found.intercept + 0.7) < 0.1


def test_a_fitted_reading_says_how_often_answers_are_right() -> None:
    trials = drawn(8_000, 0.6, 0.5)
    before = calibration_error(reliability(trials, EVEN))
    after = calibration_error(reliability(trials, fit_reading(trials)))
    assert after < 0.03 < before


def test_a_few_trials_hardly_move_the_reading() -> None:
    found = fit_reading([Trial(1.0, False, True), Trial(-1.0, True, True)])
    assert abs(found.slope - 1) < 0.5


def test_high_begins_where_nineteen_of_twenty_are_right() -> None:
    sure = [Trial(3.0 + n / 100, n != 5, True) for n in range(40)]
    unsure = [Trial(1.0 + n / 100, n % 2 == 0, True) for n in range(40)]
    high = high_floor(sure + unsure, EVEN, 0.5)
    assert high is not None
    called = [t for t in sure + unsure if EVEN.probability(t.strength) >= high]
    assert sum(t.is_right for t in called) >= 0.95 * len(called)
    assert len(called) >= 40


def test_nothing_is_high_when_answers_are_often_wrong() -> None:
    trials = [Trial(2.0 + n / 100, n % 2 == 0, True) for n in range(60)]
    assert high_floor(trials, EVEN, 0.5) is None


def test_nothing_is_high_that_is_not_said_to_be_right_nineteen_times_of_twenty() -> None:
    easy = [Trial(2.0, True, True)] * 30
    assert high_floor(easy, EVEN, 0.5) is None
    high = high_floor([*easy, *[Trial(4.0, True, True)] * 10], EVEN, 0.5)
    assert high is not None
    assert high > 0.95


def test_nothing_is_high_on_a_handful_of_answers() -> None:
    assert high_floor([Trial(3.0, True, True)] * 4, EVEN, 0.5) is None


_TRIALS = st.lists(
    st.builds(Trial, st.floats(-5, 5, allow_nan=False), st.booleans(), is_answerable=st.just(True)),
    min_size=1,
    max_size=60,
)


@given(_TRIALS)
def test_whatever_is_called_high_was_right_in_95_of_100(trials: list[Trial]) -> None:
    high = high_floor(trials, EVEN, 0.0)
    if high is not None:
        called = [t for t in trials if EVEN.probability(t.strength) >= high]
        assert sum(t.is_right for t in called) >= 0.95 * len(called)


@given(st.floats(0.5, 2.0), st.floats(-3, 3))
def test_a_calibration_moves_how_sure_to_be_and_not_when_to_answer(
    slope: float, intercept: float
) -> None:
    reading = Reading(slope, intercept)
    floor = answer_floor(reading)
    assert reading.probability(0.01) > floor > reading.probability(-0.01)


@given(_TRIALS)
def test_a_higher_floor_never_answers_more(trials: list[Trial]) -> None:
    coverage = [point.coverage for point in risk_coverage(trials, EVEN)]
    assert coverage == sorted(coverage, reverse=True)


@given(_TRIALS)
def test_every_trial_is_counted_once_in_the_reliability_table(trials: list[Trial]) -> None:
    assert sum(found.count for found in reliability(trials, EVEN)) == len(trials)


def test_a_penalty_holds_a_useless_weight_at_its_centre() -> None:
    inputs = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    labels = np.array([1.0, 0.0, 1.0, 0.0])
    found = fit_logistic(inputs, labels, penalty=np.array([1.0, 1.0]), centre=np.array([0.0, 0.3]))
    assert found[0] > 0.5
    assert abs(found[1] - 0.3) < 1e-6

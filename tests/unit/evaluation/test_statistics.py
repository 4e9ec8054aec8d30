from __future__ import annotations

import pytest

from bythebook.evaluation.statistics import (
    bootstrap,
    calibration_error,
    mean,
    percentile,
    sample_of,
    wilson,
)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (39, 40, 0.8712, 0.9956),  # by the formula of Wilson (1927), worked out apart
        (0, 20, 0.0, 0.1611),
        (20, 20, 0.8389, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 1, 0.2065, 1.0),
    ],
)
def test_the_interval_of_a_share_is_wilsons(hits: int, of: int, low: float, high: float) -> None:
    assert wilson(hits, of) == pytest.approx((low, high), abs=1e-4)


def test_a_bootstrap_gives_the_same_interval_every_time_and_holds_the_value() -> None:
    sample = sample_of([0.0, 0.5, 1.0, 1.0, 0.25, 0.75])
    low, high = bootstrap(sample, mean)
    assert (low, high) == bootstrap(sample, mean)
    assert 0.0 < low < mean(sample) < high < 1.0


def test_equal_values_have_no_width() -> None:
    assert bootstrap(sample_of([3.0] * 5), mean) == (3.0, 3.0)


def test_a_percentile_is_where_that_share_lies_below() -> None:
    sample = sample_of([float(value) for value in range(101)])
    assert percentile(0.5)(sample) == 50.0
    assert percentile(0.95)(sample) == 95.0


def test_confidence_that_says_what_happens_has_no_error() -> None:
    pairs = [(0.75, 1.0), (0.75, 1.0), (0.75, 1.0), (0.75, 0.0)]
    assert calibration_error(sample_of(pairs)) == pytest.approx(0.0)


def test_the_calibration_error_is_weighed_by_the_answers_of_a_bin() -> None:
    # Three answers at 0.9, all right: off by 0.1. One at 0.5, wrong: off by 0.5.
    pairs = [(0.9, 1.0), (0.9, 1.0), (0.9, 1.0), (0.5, 0.0)]
    assert calibration_error(sample_of(pairs)) == pytest.approx((3 * 0.1 + 0.5) / 4)


def test_full_confidence_falls_into_the_last_bin() -> None:
    # In one bin the two cancel out; in two they would not.
    assert calibration_error(sample_of([(1.0, 1.0), (0.9, 0.9)])) == pytest.approx(0.0)
    assert calibration_error(sample_of([(1.0, 0.0), (0.95, 1.0)])) == pytest.approx(0.475)

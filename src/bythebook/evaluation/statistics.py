"""Figures with their 95 % intervals: how far off a figure from few questions may be.

A share gets Wilson's interval, which stays honest near 0 and 1. A mean, a percentile and the
calibration error get a bootstrap over questions, drawn with a fixed seed so that the same answers
always give the same figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Sample = npt.NDArray[np.float64]

Interval = tuple[float, float]

BINS = 10  # of confidence; the last takes 1 as well
_Z = 1.959963984540054  # of the normal distribution, for 95 %
_DRAWS = 1_000
_SEED = 2026


def wilson(hits: int, of: int) -> Interval:
    """Return the 95 % interval of a share of `of` things, which must be at least one."""
    share, square = hits / of, _Z * _Z
    centre = (share + square / (2 * of)) / (1 + square / of)
    reach = _Z / (1 + square / of) * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return max(0.0, centre - reach), min(1.0, centre + reach)


def bootstrap(sample: Sample, statistic: Callable[[Sample], float]) -> Interval:
    """Return the 95 % interval of a statistic of some rows, by drawing rows anew."""
    import numpy as np

    random = np.random.default_rng(_SEED)
    count = len(sample)
    drawn = [statistic(sample[random.integers(0, count, count)]) for _ in range(_DRAWS)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def sample_of(rows: Sequence[float] | Sequence[tuple[float, float]]) -> Sample:
    """Return numbers, or pairs of them, as an array with one row each."""
    import numpy as np

    return np.asarray(rows, dtype=np.float64)


def mean(sample: Sample) -> float:
    """Return the mean of some numbers."""
    return float(sample.mean())


def percentile(share: float) -> Callable[[Sample], float]:
    """Return the statistic under which a share of the numbers lies."""
    import numpy as np

    return lambda sample: float(np.percentile(sample, share * 100))


def calibration_error(pairs: Sample) -> float:
    """Return the expected calibration error of pairs of confidence and right (1) or wrong (0).

    Answers are put into ten bins by confidence. In each, mean confidence is compared with the share
    that was right; the differences are averaged by the number of answers.
    """
    import numpy as np

    bins = np.minimum((pairs[:, 0] * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, weights=pairs[:, 0] - pairs[:, 1], minlength=BINS)
    return float(np.abs(gaps).sum()) / len(pairs)

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bythebook.embedders.validation import checked
from bythebook.errors import EmbeddingError


def test_vectors_come_out_as_unit_vectors_of_32_bits() -> None:
    vectors = checked([[3.0, 4.0], [0.0, -2.0]], 2, 2)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0.0, -1.0]], atol=1e-6)


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1.0, 1e30, 1e300])
def test_the_length_of_what_came_does_not_matter(size: float) -> None:
    np.testing.assert_allclose(checked([[3 * size, 4 * size]], 1, 2), [[0.6, 0.8]], atol=1e-6)


def test_dimensions_nobody_told_are_taken_from_the_vectors() -> None:
    assert checked([[1.0, 0.0, 0.0]], 1, None).shape == (1, 3)


@pytest.mark.parametrize(
    ("rows", "count", "dimensions", "what"),
    [
        ([], 1, 2, "0 vectors came for 1 texts"),
        ([[1.0, 0.0]] * 3, 2, 2, "3 vectors came for 2 texts"),
        ([[1.0, 0.0, 0.0]], 1, 2, "3 dimensions instead of 2"),
        ([[1.0, 0.0], [1.0]], 2, 2, "1 dimensions instead of 2"),
        ([[1.0, 0.0], [1.0]], 2, None, "1 dimensions instead of 2"),
        ([[]], 1, 2, "0 dimensions instead of 2"),
        ([[]], 1, None, "length zero"),
        ([[1.0, math.nan]], 1, 2, "not a finite number"),
        ([[1.0, math.inf]], 1, 2, "not a finite number"),
        ([[1.0, -math.inf]], 1, None, "not a finite number"),
        ([[1.0, 0.0], [0.0, 0.0]], 2, 2, "length zero"),
        ([[1.0, "much"]], 1, 2, "not a number"),
        ([[1.0, [2.0]]], 1, 2, "not a number"),
        ([[1.0, {}]], 1, 2, "not a number"),
        ([7.0], 1, 2, "not a number"),
        ([None], 1, 2, "not a number"),
        ([[1.0, None]], 1, 2, "not a finite number|not a number"),
    ],
)
def test_what_is_wrong_with_vectors_is_said(
    rows: Any, count: int, dimensions: int | None, what: str
) -> None:
    with pytest.raises(EmbeddingError, match=what) as caught:
        checked(rows, count, dimensions)
    assert not caught.value.retryable

"""Checking what a hosted embedder sent, once for all of them.

A vector that is wrong by a little is found by nobody: it is stored, and questions miss their
passages for ever after. So every vector is looked at before it is used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bythebook.embedders.base import Vectors
from bythebook.embedders.failures import refusal
from bythebook.errors import EmbeddingError

Rows = Sequence[Sequence[float]]

# Rounding to 32 bits may lift the only value of a vector a little above one.
_ROUNDING = 1e-6


def checked(rows: Rows, count: int, dimensions: int | None) -> Vectors:
    """Return the rows as unit vectors; raise EmbeddingError that says what is wrong with them.

    `dimensions` is None as long as nobody knows it: then the rows must agree among themselves.
    """
    if len(rows) != count:
        raise _wrong(f"{len(rows)} vectors came for {count} texts")
    values = _numbers(rows, dimensions)
    if not np.isfinite(values).all():
        raise _wrong("a vector holds a value that is not a finite number")
    # Dividing by the greatest value first keeps the squares of very large ones finite.
    greatest = np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    if not greatest.all():
        raise _wrong("a vector has length zero, so it points nowhere")
    scaled = values / greatest
    units: Vectors = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    if float(np.abs(units).max(initial=0.0)) > 1.0 + _ROUNDING:
        raise _wrong("a vector holds a value outside of -1 to 1")
    return np.clip(units, -1.0, 1.0)


def _numbers(rows: Rows, dimensions: int | None) -> NDArray[np.float64]:
    try:
        lengths = {len(row) for row in rows}
        expected = dimensions if dimensions is not None else max(lengths)
        if lengths - {expected}:
            found = ", ".join(str(length) for length in sorted(lengths - {expected}))
            raise _wrong(f"a vector has {found} dimensions instead of {expected}")
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise _wrong("a vector holds a value that is not a number") from problem


def _wrong(what: str) -> EmbeddingError:
    return refusal(
        f"the embedding service sent vectors that cannot be used: {what}",
        hint="check that the embedder's model and dimensions are those the service offers",
    )

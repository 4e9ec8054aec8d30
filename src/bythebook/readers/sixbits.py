"""Weights of six bits: four of them in three bytes.

The matrices of the reader are stored so and computed with as int8. Each of three bytes has a weight
in its low bits and a third of a fourth weight in the two above.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LOWEST, HIGHEST = -32, 31


def pack(weights: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Return three rows of bytes for a multiple of four weights from -32 to 31."""
    quarters = (weights.astype(np.int16) - LOWEST).astype(np.uint8).reshape(4, -1)
    last = quarters[3]
    thirds = np.stack([last & 3, last >> 2 & 3, last >> 4])
    return (quarters[:3] | thirds << 6).astype(np.uint8)


def unpack(packed: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return the weights that were packed, one after another."""
    weights = np.empty((4, packed.shape[1]), dtype=np.uint8)
    np.bitwise_and(packed, 63, out=weights[:3])
    np.bitwise_or(packed[0] >> 6, packed[1] >> 6 << 2, out=weights[3])
    weights[3] |= packed[2] >> 6 << 4
    # A byte below zero wraps round to what int8 reads as the same number.
    weights -= np.uint8(-LOWEST)
    return weights.reshape(-1).view(np.int8)

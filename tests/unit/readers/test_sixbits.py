"""Packing loses nothing of what fits six bits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bythebook.readers.sixbits import HIGHEST, LOWEST, pack, unpack

weights = st.lists(
    st.lists(st.integers(LOWEST, HIGHEST), min_size=4, max_size=4), min_size=1, max_size=40
)


@given(weights)
def test_what_is_unpacked_is_what_was_packed(rows: list[list[int]]) -> None:
    kept = np.array(rows, dtype=np.int8).reshape(-1)
    packed = pack(kept)
    assert packed.nbytes * 4 == kept.nbytes * 3
    unpacked = unpack(packed)
    assert unpacked.dtype == np.int8
    assert np.array_equal(unpacked, kept)

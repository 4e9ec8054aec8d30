"""How the two rankings of a question become one, the same in every store.

The engine fuses them. Passages with the same fused score (third by meaning only, third by words
only) it leaves in an order that changes from call to call, so that part is settled here.
"""

from __future__ import annotations

from collections.abc import Iterable

from bythebook.types import Passage

# How deep each of the two searches looks before they are fused, and how steeply a rank counts.
# Measured in the design: over 960 questions RRF with k = 2 found 97 % within five passages.
PREFETCH = 50
RRF_K = 2

# A ranking that shall count twice is asked for twice. Servers before 1.17 have no weights for it:
# they take the setting and ignore it.

# How many more passages are asked for than wanted, so that those with the score of the last one
# are all there to choose from. Seldom more than four share a score.
SPARE = 8


def settle(found: Iterable[tuple[float, Passage]], limit: int) -> list[Passage]:
    """Return the best passages by fused score; of equals the one nearer in meaning comes first."""
    ordered = sorted(
        found, key=lambda row: (-round(row[0], 6), -round(row[1].score, 6), row[1].chunk.id)
    )
    return [
        Passage.model_construct(chunk=passage.chunk, score=passage.score, rank=rank)
        for rank, (_, passage) in enumerate(ordered[:limit], start=1)
    ]

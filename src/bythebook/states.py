"""Where a question may go from where it is: one machine for the engine and every contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from bythebook.errors import IllegalTransitionError
from bythebook.types import State

Word = TypeVar("Word", bound=StrEnum)
Exits = Mapping[Word, frozenset[Word]]

ENGINE_EXITS: Exits[State] = {
    State.RECEIVED: frozenset({State.VALIDATING}),
    State.VALIDATING: frozenset({State.RETRIEVING, State.ERROR}),
    State.RETRIEVING: frozenset({State.GENERATING, State.NO_RESULTS, State.ERROR}),
    State.GENERATING: frozenset({State.COMPLETE, State.LOW_CONFIDENCE, State.ERROR}),
    State.COMPLETE: frozenset(),
    State.NO_RESULTS: frozenset(),
    State.LOW_CONFIDENCE: frozenset(),
    State.ERROR: frozenset(),
}


@dataclass
class Journey(Generic[Word]):
    """Where something is among its states."""

    exits: Exits[Word]
    state: Word

    def move(self, to: Word) -> Word:
        """Go to a state and return it; raise IllegalTransitionError when no way leads there."""
        allowed = self.exits[self.state]
        if to not in allowed:
            ways = ", ".join(sorted(allowed)) or "none: it is final"
            raise IllegalTransitionError(
                f"state {self.state.value!r} does not lead to {to.value!r}",
                hint=f"states that follow: {ways}",
            )
        self.state = to
        return to

    @property
    def is_over(self) -> bool:
        """Whether the state is terminal."""
        return not self.exits[self.state]

"""How documents 002 and 003 each name the states of the engine's one machine.

A `Vocabulary` gives the states a document's own words and derives that document's transitions
from the engine's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from bythebook.states import ENGINE_EXITS, Exits, Journey
from bythebook.types import State

Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True)
class Vocabulary(Generic[Word]):
    """A document's words for the engine's states.

    `endings` are the final states the document has no word of its own for; they never make a
    transition, they only say which of its words such an end is told by.
    """

    words: Mapping[State, Word]
    endings: Mapping[State, Word] = field(default_factory=dict)

    @property
    def exits(self) -> Exits[Word]:
        """The document's transitions, as the engine's machine gives them."""
        found: dict[Word, set[Word]] = {word: set() for word in self.words.values()}
        for state, following in ENGINE_EXITS.items():
            if state in self.words:
                named = {self.words[other] for other in following if other in self.words}
                found[self.words[state]] |= named - {self.words[state]}
        return {word: frozenset(following) for word, following in found.items()}

    def begin(self) -> Journey[Word]:
        """Return a journey at the first state."""
        return Journey(self.exits, self.words[State.RECEIVED])

    def word(self, state: State) -> Word:
        """Return what the document calls a state."""
        return self.words[state] if state in self.words else self.endings[state]

    def tell(self, states: Iterable[State]) -> list[Word]:
        """Return what an engine's stream of states is in the document's words.

        A refusal needs no writer, so the engine may end right after retrieving. Where the
        document knows that end only after generating, generating is told as passed through.
        """
        journey = self.begin()
        told = [journey.state]
        for word in map(self.word, states):
            if word == journey.state:
                continue
            through = self.words[State.GENERATING]
            if word not in journey.exits[journey.state] and through in journey.exits[journey.state]:
                journey.move(through)
                told.append(through)
            journey.move(word)
            told.append(word)
        return told

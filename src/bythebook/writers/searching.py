"""The search that a model may do itself: `retrieve_context` of document 001.

Passages keep their numbers through all searches of one question, so that a citation means the same
passage whenever it is written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bythebook.types import MAX_QUESTION_CHARACTERS, Passage, Query
from bythebook.writers import prompts
from bythebook.writers.budget import cost
from bythebook.writers.prompts import Quoting

NAME = "retrieve_context"

# It gets a whole query, so that a search stays within the module or chapter the reader chose.
Retrieve = Callable[[Query], Awaitable[Sequence[Passage]]]


class Arguments(BaseModel):
    """What a model may ask for."""

    model_config = ConfigDict(extra="ignore")

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUESTION_CHARACTERS,
            description=prompts.QUERY_DESCRIPTION,
        ),
    ]
    top_k: Annotated[int, Field(ge=1, le=10, description=prompts.TOP_K_DESCRIPTION)] = 5
    # It can only be raised: what the book's own threshold holds back, no page may call for.
    threshold: Annotated[
        float | None, Field(ge=0.0, le=1.0, description=prompts.THRESHOLD_DESCRIPTION)
    ] = None


@dataclass
class Search:
    """All searches for one question."""

    asked: Query
    retrieve: Retrieve
    quoting: Quoting
    room: int  # tokens left for passages
    count: Callable[[str], int]
    most: int = 5  # searches; a model may ask for many at once, which no limit on its turns sees
    found: list[Passage] = field(default_factory=list)
    calls: int = 0
    said: list[str] = field(default_factory=list)  # all that the model was told

    async def run(self, arguments: str) -> str:
        """Return what the model is told; raise what retrieval raises."""
        try:
            wanted = Arguments.model_validate_json(arguments)
        except ValidationError as problem:
            return prompts.BAD_ARGUMENTS.format(problem=_in_words(problem))
        if self.calls >= self.most:
            return prompts.ENOUGH
        self.calls += 1
        passages = await self.retrieve(self._query(wanted))
        least = wanted.threshold or 0.0
        told = self._tell([passage for passage in passages if passage.score >= least])
        self.said.append(told)
        return told

    def _query(self, wanted: Arguments) -> Query:
        update = {"text": wanted.query, "top_k": wanted.top_k}
        return self.asked.model_copy(update=update)

    def _tell(self, passages: Sequence[Passage]) -> str:
        if not passages:
            return prompts.NOTHING_FOUND
        told = [text for text in map(self._number, passages) if text]
        return "\n\n".join(told) if told else prompts.NO_ROOM

    def _number(self, passage: Passage) -> str:
        """Return a passage under its number, or nothing when there is no room for it."""
        known = [before.chunk.id for before in self.found]
        if passage.chunk.id in known:
            return f"Passage [{known.index(passage.chunk.id) + 1}] was given above."
        needed = cost(passage, self.count)
        if needed > self.room:
            return ""
        self.room -= needed
        self.found.append(passage)
        return self.quoting.passage(len(self.found), passage)


def _in_words(problem: ValidationError) -> str:
    return "; ".join(
        ": ".join(filter(None, (".".join(str(part) for part in error["loc"]), error["msg"])))
        for error in problem.errors()
    )

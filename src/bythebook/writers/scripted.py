"""A writer that writes what a test tells it to, and fails when the test told it wrong.

    with ScriptedWriter(["A node is a process [1].", WriterError("it broke")]) as writer:
        ...

Leaving the block fails when a step was not used, or when more was asked than the script has.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from bythebook.errors import BythebookError
from bythebook.types import Draft, Passage, Query
from bythebook.writers.drafting import split_draft

MODEL = "scripted"

# What a model would say, as raw text; a finished draft; or the error to raise.
Step = str | Draft | BythebookError


class ScriptError(AssertionError):
    """The script and what happened do not agree."""


class ScriptedWriter:
    """Follows a script."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = list(steps)
        self._unexpected: list[str] = []
        self.asked: list[tuple[Query, tuple[Passage, ...]]] = []

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:
        """Return the next step as a draft, or raise it."""
        if not self._steps:
            self._unexpected.append(query.text)
            raise ScriptError(f"the script has ended, and still came the question {query.text!r}")
        self.asked.append((query, tuple(passages)))
        step = self._steps.pop(0)
        if isinstance(step, BythebookError):
            raise step
        if isinstance(step, Draft):
            return step
        return Draft(sentences=tuple(split_draft(step, passages)), model=MODEL)

    def __enter__(self) -> ScriptedWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if problem is None:
            self.check()

    def check(self) -> None:
        """Raise ScriptError unless every step was used and none was missing.

        An unexpected call is told again here, since the assistant turns it into a failure.
        """
        if self._unexpected:
            raise ScriptError(f"questions nobody expected: {self._unexpected!r}")
        if self._steps:
            raise ScriptError(f"steps nobody used: {self._steps!r}")

"""What readers say of answers, and the role of whoever keeps it."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from bythebook.types import Value


class Feedback(Value):
    """Whether an answer helped."""

    request_id: UUID
    helpful: bool


class FeedbackSink(Protocol):
    """Takes feedback."""

    async def take(self, feedback: Feedback) -> None:
        """Keep it, or do not; never fail for the reader."""
        ...


class NoFeedback:
    """Keeps none."""

    async def take(self, feedback: Feedback) -> None:
        """Forget it."""

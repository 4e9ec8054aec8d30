"""The query log at the desk: it hears of each settled question, and of what readers say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bythebook.querylog import base
from bythebook.web.feedback import Feedback

if TYPE_CHECKING:
    from bythebook.querylog.log import QueryLog
    from bythebook.web.desk import Asked


class Journal:
    """Passes on what the log may keep; it never waits and never fails."""

    def __init__(self, log: QueryLog) -> None:
        self._log = log

    def note(self, asked: Asked) -> None:
        """Take a settled question, as an observer of the desk."""
        self._log.record_outcome(asked.outcome, user_ip=asked.client)

    async def take(self, feedback: Feedback) -> None:
        """Take a reader's word on an answer."""
        self._log.record(base.Feedback(query_id=feedback.request_id, helpful=feedback.helpful))

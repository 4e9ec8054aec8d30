"""Deleting what is older than it may be."""

from __future__ import annotations

import contextlib
from datetime import datetime

from bythebook.querylog.alchemy import sa
from bythebook.querylog.base import Status
from bythebook.querylog.tables import feedback, queries, sessions


def delete(connection: sa.Connection, before: datetime) -> int:
    """Delete questions, feedback and forsaken sessions; return how many questions that were."""
    # Naming every status lets the index on status and time find the rows.
    old = queries.c.status.in_(list(Status)) & (queries.c.created_at < before)
    deleted = connection.execute(sa.delete(queries).where(old)).rowcount
    connection.execute(sa.delete(feedback).where(feedback.c.created_at < before))
    last_seen = sa.func.coalesce(sessions.c.last_query_at, sessions.c.created_at)
    still_asked = sa.exists().where(queries.c.session_id == sessions.c.session_id)
    connection.execute(sa.delete(sessions).where(last_seen < before, ~still_asked))
    return deleted


def empty_write_ahead_log(engine: sa.Engine) -> None:
    """Have SQLite move its write-ahead log into the file and cut it: it still held the rows."""
    with contextlib.closing(engine.raw_connection()) as connection:
        connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

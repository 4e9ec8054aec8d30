"""Numbered steps from an empty database to today's tables; `schema_version` remembers them.

A step that was released is never changed: what comes later is a new step. Tables that are there
already, made by hand from document 004, are taken over as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from bythebook.errors import QueryLogUnusableError
from bythebook.querylog.alchemy import sa
from bythebook.querylog.migrations import step_0001, step_0002
from bythebook.querylog.tables import versions

STEPS: tuple[Callable[[str], tuple[str, ...]], ...] = (step_0001.statements, step_0002.statements)
LATEST = len(STEPS)

_LOCK = 0x6279746865626F6F  # any number nobody else locks: "bytheboo"
_WAIT_SECONDS = 10  # for a process that migrates; one that hangs must not stop all others
_VERSIONS = """
CREATE TABLE IF NOT EXISTS schema_version (
  version INTEGER PRIMARY KEY,
  applied_at TIMESTAMP NOT NULL
)"""


def version_of(connection: sa.Connection) -> int:
    """Return how many steps a database has seen; raise when it has seen more than there are."""
    if not sa.inspect(connection).has_table(versions.name):
        return 0
    version = connection.scalar(sa.select(sa.func.max(versions.c.version))) or 0
    if version > LATEST:
        raise QueryLogUnusableError(
            f"the query log has version {version}, and this bythebook knows up to {LATEST}",
            hint="update bythebook, or name another database with DATABASE_URL",
        )
    return version


def apply(connection: sa.Connection, upto: int = LATEST) -> None:
    """Take the steps that are missing, in the transaction of a connection that may write.

    Of two processes that start at once, one waits here until the other has finished: SQLite's
    writing transaction holds the file, PostgreSQL needs a lock of ours.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_WAIT_SECONDS}s'")
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    done = version_of(connection)
    if done >= upto:
        return
    connection.exec_driver_sql(_VERSIONS)
    for number, statements in enumerate(STEPS[done:upto], start=done + 1):
        for statement in statements(connection.dialect.name):
            connection.exec_driver_sql(statement)
        connection.execute(sa.insert(versions).values(version=number, applied_at=datetime.now(UTC)))

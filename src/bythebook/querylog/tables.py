"""The tables as the code speaks of them; `migrations` makes them.

Times are kept in UTC without a zone, as document 004's TIMESTAMP has none. A UUID is the database's
own in PostgreSQL and text with dashes in SQLite, so the same SQL finds it in both.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from bythebook.querylog.alchemy import postgresql, sa, sqlite


class Id(sa.types.TypeDecorator[UUID]):
    """A UUID."""

    impl = sa.String(36)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """Take PostgreSQL's own type where there is one."""
        is_native = dialect.name == "postgresql"
        return dialect.type_descriptor(postgresql.UUID() if is_native else sa.String(36))

    def process_bind_param(self, value: UUID | None, dialect: sa.Dialect) -> Any:
        """Return what the database takes."""
        return value if value is None or dialect.name == "postgresql" else str(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> UUID | None:
        """Return a UUID."""
        del dialect
        return UUID(value) if isinstance(value, str) else value


class Utc(sa.types.TypeDecorator[datetime]):
    """A moment, kept in UTC without its zone."""

    impl = sa.DateTime()
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return the moment as it is stored."""
        del dialect
        return value if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:
        """Return the moment with its zone."""
        del dialect
        return value if value is None else value.replace(tzinfo=UTC)


metadata = sa.MetaData()

sessions = sa.Table(
    "query_sessions",
    metadata,
    sa.Column("session_id", Id, primary_key=True),
    sa.Column("created_at", Utc),
    sa.Column("user_ip", sa.String(45)),
    sa.Column("query_count", sa.Integer),
    sa.Column("last_query_at", Utc),
)

queries = sa.Table(
    "queries",
    metadata,
    sa.Column("query_id", Id, primary_key=True),
    sa.Column("session_id", Id, sa.ForeignKey("query_sessions.session_id")),
    sa.Column("query_text", sa.Text, nullable=False),
    sa.Column("selected_text_length", sa.Integer),
    sa.Column("mode", sa.String(20), nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("refusal_reason", sa.Text),
    sa.Column("chunks_retrieved", sa.Integer),
    sa.Column("top_chunk_score", sa.Float),
    sa.Column("processing_time_ms", sa.Integer),
    sa.Column("created_at", Utc),
)

versions = sa.Table(
    "schema_version",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("applied_at", Utc, nullable=False),
)

feedback = sa.Table(
    "query_feedback",
    metadata,
    sa.Column("query_id", Id, primary_key=True),
    sa.Column("helpful", sa.Boolean, nullable=False),
    sa.Column("created_at", Utc, nullable=False),
)


def insert(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    """Return an insert that can say what to do about a row that is there already."""
    is_postgres = connection.dialect.name == "postgresql"
    return postgresql.insert(table) if is_postgres else sqlite.insert(table)

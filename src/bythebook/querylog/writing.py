"""Putting records into the tables: in order, and each once however often it is tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from bythebook.querylog.alchemy import sa
from bythebook.querylog.base import Feedback, LogEntry, Record
from bythebook.querylog.tables import feedback, insert, queries, sessions

_last, _at = sessions.c.last_query_at, sa.bindparam("at", type_=sessions.c.last_query_at.type)
_COUNTING = (
    sa.update(sessions)
    .where(sessions.c.session_id == sa.bindparam("id"))
    .values(
        query_count=sessions.c.query_count + sa.bindparam("more"),
        last_query_at=sa.case((sa.or_(_last.is_(None), _last < _at), _at), else_=_last),
    )
)


def write(connection: sa.Connection, records: Sequence[Record]) -> None:
    """Write records in the transaction of a connection."""
    entries = [record for record in records if isinstance(record, LogEntry)]
    words = [record for record in records if isinstance(record, Feedback)]
    if entries:
        _write_entries(connection, entries)
    if words:
        _write_feedback(connection, words)


def _write_entries(connection: sa.Connection, entries: Sequence[LogEntry]) -> None:
    first = _first_of_sessions(entries)
    if first:
        adding = insert(connection, sessions).values(query_count=0).on_conflict_do_nothing()
        named = ("session_id", "created_at", "user_ip")
        connection.execute(adding, [_fields(entry, named) for entry in first])
    rows = [_fields(entry, queries.columns.keys()) for entry in entries]
    # After a connection broke while committing, nobody knows whether a row is there. Those that
    # are come back as not written, so that sessions count each question once.
    added = connection.execute(
        insert(connection, queries).on_conflict_do_nothing().returning(queries.c.query_id), rows
    )
    new = set(added.scalars())
    _count(connection, [entry for entry in entries if entry.query_id in new])


def _first_of_sessions(entries: Sequence[LogEntry]) -> list[LogEntry]:
    """Return the first entry of each session.

    Sorted, because two workers that lock the same sessions in different orders would wait for each
    other for ever.
    """
    first: dict[UUID, LogEntry] = {}
    for entry in entries:
        if entry.session_id is not None:
            first.setdefault(entry.session_id, entry)
    return [first[session_id] for session_id in sorted(first)]


def _count(connection: sa.Connection, entries: Sequence[LogEntry]) -> None:
    counts: Counter[UUID] = Counter()
    latest: dict[UUID, datetime] = {}
    for entry in {entry.query_id: entry for entry in entries}.values():
        if entry.session_id is not None:
            counts[entry.session_id] += 1
            known = latest.get(entry.session_id, entry.created_at)
            latest[entry.session_id] = max(known, entry.created_at)
    if counts:
        rows = [{"id": id_, "more": counts[id_], "at": latest[id_]} for id_ in sorted(counts)]
        connection.execute(_COUNTING, rows)


def _write_feedback(connection: sa.Connection, words: Sequence[Feedback]) -> None:
    last = {word.query_id: word for word in words}  # a statement may touch a row only once
    adding = insert(connection, feedback)
    given = adding.excluded
    connection.execute(
        adding.on_conflict_do_update(
            index_elements=[feedback.c.query_id],
            set_={"helpful": given.helpful, "created_at": given.created_at},
            where=feedback.c.created_at <= given.created_at,
        ),
        [_fields(last[query_id], feedback.columns.keys()) for query_id in sorted(last)],
    )


def _fields(record: Record, names: Sequence[str]) -> dict[str, object]:
    """Return the fields of a record that are columns; they have the same names."""
    return {name: getattr(record, name) for name in names}

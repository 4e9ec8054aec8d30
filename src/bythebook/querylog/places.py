"""Where the query log is kept: `DATABASE_URL`, or a file beside the index."""

from __future__ import annotations

import os
from pathlib import Path

from bythebook.errors import MissingExtraError, SettingsError
from bythebook.querylog.alchemy import sa

_POSTGRES = ("postgres", "postgresql", "postgresql+psycopg")
_HINT = "write postgresql://USER:PASSWORD@HOST/DATABASE or sqlite:///FILE into DATABASE_URL"


def log_folder(index: Path) -> Path:
    """Return the folder for what readers asked.

    It stands beside the index and not inside, so that neither copying nor deleting an index takes
    the readers' questions along.
    """
    # Lexically: an index that is a link to one of several releases keeps one log.
    whole = Path(os.path.abspath(index))  # noqa: PTH100  # resolve() would follow the link
    return whole.with_name(f"{whole.name}-log") if whole.name else whole / "bythebook-log"


def log_url(database_url: str | None, index: Path) -> sa.URL:
    """Return the address of the database; its own text is never repeated, for it has a password."""
    if database_url is None:
        return sa.URL.create("sqlite", database=str(log_folder(index) / "queries.db"))
    try:
        url = sa.make_url(database_url)
    except (sa.exc.ArgumentError, ValueError) as problem:
        raise SettingsError("DATABASE_URL is no address of a database", hint=_HINT) from problem
    if url.drivername in _POSTGRES:
        _need_psycopg()
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite":
        raise SettingsError(
            f"DATABASE_URL names {url.drivername!r}, and the query log is kept in PostgreSQL or"
            " SQLite",
            hint=_HINT,
        )
    if url.database in (None, "", ":memory:"):
        raise SettingsError("DATABASE_URL names SQLite and no file", hint=_HINT)
    return url


def _need_psycopg() -> None:
    try:
        import psycopg  # noqa: F401  # only whether it is there
    except ImportError as problem:
        raise MissingExtraError(
            "PostgreSQL needs the package psycopg", hint="pip install 'bythebook[postgres]'"
        ) from problem

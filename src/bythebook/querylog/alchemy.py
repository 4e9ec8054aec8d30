"""SQLAlchemy, or the line that installs it."""

from __future__ import annotations

from bythebook.errors import MissingExtraError

try:
    import sqlalchemy as sa
    from sqlalchemy.dialects import postgresql, sqlite
except ImportError as problem:
    raise MissingExtraError(
        "the query log needs the package sqlalchemy", hint="pip install 'bythebook[serve]'"
    ) from problem

__all__ = ["postgresql", "sa", "sqlite"]

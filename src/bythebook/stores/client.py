"""Qdrant's own client, or the line that installs it."""

from __future__ import annotations

from bythebook.errors import MissingExtraError

try:
    from qdrant_client import QdrantClient, models
except ImportError as problem:
    raise MissingExtraError(
        "a Qdrant server needs the package qdrant-client",
        hint="pip install 'bythebook[server]'",
    ) from problem

__all__ = ["QdrantClient", "models"]

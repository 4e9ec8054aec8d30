"""`bythebook copy`: move an index between a folder and a Qdrant server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bythebook.assembly import make_shelf
from bythebook.cli.console import data
from bythebook.copying import copy_index
from bythebook.errors import QueryError
from bythebook.settings import Settings, load_settings


def copy(
    source: Annotated[str, typer.Option("--from", help="edge:DIR, or the address of a server.")],
    target: Annotated[str, typer.Option("--to", help="edge:DIR, or the address of a server.")],
) -> int:
    """Move an index without embedding it again."""
    manifest = copy_index(make_shelf(_place(source)), make_shelf(_place(target)))
    data(f'Copied "{manifest.title}": {manifest.chunks:,} passages.')
    return 0


def _place(text: str) -> Settings:
    """Return the settings with the index at a given place; keys come from where they always do."""
    if text.startswith("edge:"):
        settings = load_settings(index=Path(text.removeprefix("edge:")))
        return settings.model_copy(update={"qdrant_url": None})
    if text.startswith(("http://", "https://")):
        return load_settings(qdrant_url=text)
    raise QueryError(
        f"{text!r} is no place of an index",
        field="place",
        hint="write edge:DIR for a folder, or http://... for a Qdrant server",
    )

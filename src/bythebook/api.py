"""Two calls for scripts: open a book, ask it."""

from __future__ import annotations

import asyncio
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bythebook.assembly import open_assistant
from bythebook.queries import make_query
from bythebook.settings import load_settings

if TYPE_CHECKING:
    from bythebook.assistant import Assistant
    from bythebook.types import Outcome


def open_book(index: str | PathLike[str] | None = None) -> Assistant:
    """Return the assistant of an index; raise a SetupError when there is none that fits."""
    return open_assistant(load_settings(index=None if index is None else Path(index)))


def ask(
    question: str,
    *,
    index: str | PathLike[str] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    module: str | None = None,
    selected_text: str | None = None,
) -> Outcome:
    """Ask one question and return its outcome; inside a running event loop use `open_book`."""
    query = make_query(
        question, top_k=top_k, threshold=threshold, module=module, selected_text=selected_text
    )
    assistant = open_book(index)
    try:
        return asyncio.run(assistant.ask(query))
    finally:
        assistant.close()

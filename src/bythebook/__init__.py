"""An assistant that answers only from your book.

Names are loaded when they are first used, so that importing the package does nothing slow.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bythebook.api import ask, open_book
    from bythebook.assistant import Assistant
    from bythebook.errors import BythebookError
    from bythebook.types import Answer, Citation, Failure, Outcome, Query, Refusal
    from bythebook.version import __version__

__all__ = [
    "Answer",
    "Assistant",
    "BythebookError",
    "Citation",
    "Failure",
    "Outcome",
    "Query",
    "Refusal",
    "__version__",
    "ask",
    "open_book",
]

_HOMES = {
    "Assistant": "assistant",
    "BythebookError": "errors",
    "__version__": "version",
    "ask": "api",
    "open_book": "api",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'bythebook' has no attribute {name!r}")
    return getattr(import_module(f"bythebook.{_HOMES.get(name, 'types')}"), name)


def __dir__() -> list[str]:
    return __all__

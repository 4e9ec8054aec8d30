"""A folder of a book under watch: a change in it asks for a new index.

Changes that come together, as from a checkout or an editor that writes a file twice, count once.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import anyio
from watchfiles import Change, DefaultFilter, awatch

_LOG = logging.getLogger("bythebook.watching")

_GATHER_MILLISECONDS = 1600
_QUIET_MILLISECONDS = 400
_AGAIN_SECONDS = 5.0  # before a folder that went away is looked for again


@contextlib.asynccontextmanager
async def watching(
    folder: Path,
    on_change: Callable[[], object],
    not_in: Sequence[Path] = (),
    quiet_milliseconds: int = _QUIET_MILLISECONDS,
) -> AsyncIterator[None]:
    """Call `on_change` after each change below a folder, for as long as the block lasts.

    It is called once at the beginning, too: the book may have changed while nobody looked.
    """
    stop = anyio.Event()
    ignoring = _NotIn(not_in)

    async def watch() -> None:
        async for changes in awatch(
            folder,
            watch_filter=ignoring,
            debounce=_GATHER_MILLISECONDS,
            step=quiet_milliseconds,
            stop_event=stop,
        ):
            _LOG.info("%d files of the book changed", len(changes))
            on_change()

    async def keep_watching() -> None:
        while not stop.is_set():
            try:
                await watch()
            except Exception as problem:  # whatever it is, answers go on
                _LOG.warning("the book's folder cannot be watched: %s", problem)
                with anyio.move_on_after(_AGAIN_SECONDS):
                    await stop.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keep_watching)
        on_change()
        try:
            yield
        finally:
            stop.set()


class _NotIn(DefaultFilter):
    """Leaves out some folders: an index inside the book's folder would wake itself for ever."""

    def __init__(self, folders: Sequence[Path]) -> None:
        super().__init__()
        self._folders = [folder.resolve() for folder in folders]

    def __call__(self, change: Change, path: str) -> bool:
        """Tell whether a change counts."""
        changed = Path(path).resolve()
        if any(changed.is_relative_to(folder) for folder in self._folders):
            return False
        return super().__call__(change, path)

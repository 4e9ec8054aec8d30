"""Showing how far indexing has come: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import TimeRemainingColumn as Remaining

from bythebook.cli.console import message


class BarReporter:
    """A progress bar for each stage."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description:<10}"),
            BarColumn(),
            MofNCompleteColumn(),
            Remaining(compact=True),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task: TaskID | None = None

    def start(self, stage: str, total: int) -> None:
        """Begin a new bar."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(stage, total=total or None)

    def advance(self, steps: int) -> None:
        """Move the bar."""
        if self._task is not None:
            self._progress.advance(self._task, steps)

    def __enter__(self) -> BarReporter:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()


class LineReporter:
    """A line for each stage, and one for each quarter of a long one."""

    def __init__(self) -> None:
        self._stage = ""
        self._total = 0
        self._done = 0

    def start(self, stage: str, total: int) -> None:
        """Say that a stage begins."""
        self._stage, self._total, self._done = stage, total, 0
        if total:
            message(f"{stage} {total:,}")

    def advance(self, steps: int) -> None:
        """Say when another quarter is done."""
        before, self._done = self._done, self._done + steps
        if self._total >= 200 and before * 4 // self._total < self._done * 4 // self._total:
            message(f"{self._stage} {min(self._done, self._total):,} of {self._total:,}")

    def __enter__(self) -> LineReporter:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def make_reporter() -> BarReporter | LineReporter:
    """Return the reporter that fits where stderr goes."""
    return BarReporter() if sys.stderr.isatty() else LineReporter()

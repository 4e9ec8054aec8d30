"""A new index in the place of the old one, while questions go on.

    renewal.request()      # build anew from the book's folder, in the background
    renewal.status         # what is going on, and how the last attempt ended
    await renewal.look()   # take over what another process has published meanwhile

A build runs in a thread of its own that gives way to those that answer. Whatever goes wrong, the
index in use stays in use.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from bythebook.errors import BythebookError, SetupError

if TYPE_CHECKING:
    from bythebook.assistant import Assistant
    from bythebook.indexing import IndexReport
    from bythebook.manifest import Manifest
    from bythebook.web.desk import Desk

_LOG = logging.getLogger("bythebook.renewal")

BUILD_THREAD = "indexing"
_NICENESS = 10  # of the thread that builds: answers come first

Result = Literal["replaced", "unchanged", "failed"]
Tell = Callable[[Result], None]


@dataclass(frozen=True)
class Library:
    """Where indexes come from; all of these take their time."""

    published: Callable[[], Manifest]  # what is on the shelf now
    rebuild: Callable[[Manifest], IndexReport]
    open: Callable[[], Assistant]


@dataclass(frozen=True)
class Attempt:
    """How an attempt to renew the index went."""

    started_at: datetime
    finished_at: datetime
    result: Result
    embedded: int = 0
    reused: int = 0
    removed: int = 0
    problem: str | None = None
    hint: str | None = None


@dataclass(frozen=True)
class Status:
    """What is going on."""

    is_running: bool
    generation: str  # of the index in use
    last: Attempt | None


class Renewal:
    """Keeps the index of a desk fresh. All of it belongs to one event loop."""

    def __init__(self, desk: Desk, library: Library, look_every_seconds: float = 0.0) -> None:
        self.tell: list[Tell] = []
        self._desk = desk
        self._library = library
        self._look_every_seconds = look_every_seconds
        self._wanted = asyncio.Event()
        self._changing = asyncio.Lock()
        self._is_building = False
        self._last: Attempt | None = None
        self._complaint = ""
        self._unusable: Manifest | None = None
        self._looking = ThreadPoolExecutor(1, thread_name_prefix="looking")

    @property
    def status(self) -> Status:
        """What is going on."""
        is_running = self._is_building or self._wanted.is_set()
        return Status(is_running, self._desk.assistant.manifest.generation, self._last)

    def request(self) -> Status:
        """Have the book indexed anew; asked for during a build, another one follows it."""
        self._wanted.set()
        return self.status

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Work off what is requested, and look around, for as long as the block lasts."""
        tasks = [asyncio.create_task(self._build_when_wanted())]
        if self._look_every_seconds and self._desk.assistant.manifest.fingerprint:
            tasks.append(asyncio.create_task(self._look_around()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            # A build cannot be stopped, and need not be: unfinished it leaves the old index.
            self._looking.shutdown(wait=False, cancel_futures=True)

    async def look(self) -> bool:
        """Put in use what another process has published; tell whether there was anything new."""
        async with self._changing:
            loop = asyncio.get_running_loop()
            published = await loop.run_in_executor(self._looking, self._library.published)
            if published in (self._desk.assistant.manifest, self._unusable):
                return False
            try:
                await self._replace()
            except SetupError:
                self._unusable = published  # opening it again would end no other way
                raise
        return True

    async def _build_when_wanted(self) -> None:
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            self._is_building = True
            try:
                self._last = await self._attempt()
            finally:
                self._is_building = False
            for tell in self.tell:
                tell(self._last.result)

    async def _attempt(self) -> Attempt:
        begin = datetime.now(UTC)
        try:
            async with self._changing:
                report = await _in_own_thread(
                    lambda: self._library.rebuild(self._desk.assistant.manifest)
                )
                if report.manifest != self._desk.assistant.manifest:
                    await self._replace()
        except BythebookError as problem:
            _LOG.warning("the book was not indexed anew, the old index stays in use: %s", problem)
            return _failed(begin, problem.message, problem.hint)
        except Exception:
            _LOG.exception("the book was not indexed anew, the old index stays in use")
            return _failed(begin, "an error that nobody foresaw", "see the log of the service")
        return _succeeded(begin, report)

    async def _replace(self) -> None:
        assistant = await asyncio.to_thread(self._library.open)
        self._desk.replace(assistant)
        self._complaint = ""
        _LOG.info("index %s is in use now", assistant.manifest.generation)

    async def _look_around(self) -> None:
        while True:
            await asyncio.sleep(self._look_every_seconds)
            if self._changing.locked():
                continue  # a build of our own is on its way
            try:
                is_new = await self.look()
            except BythebookError as problem:
                self._complain(problem.message)
            except Exception as problem:
                self._complain(repr(problem))
            else:
                for tell in self.tell if is_new else ():
                    tell("replaced")

    def _complain(self, message: str) -> None:
        if message != self._complaint:  # once, and not every few seconds
            _LOG.warning("a new index could not be looked for or opened: %s", message)
        self._complaint = message


async def _in_own_thread(build: Callable[[], IndexReport]) -> IndexReport:
    """Return what a build returns; its thread, and those it starts, give way to all others."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[IndexReport] = loop.create_future()

    def settle(report: IndexReport | None, problem: BaseException | None) -> None:
        if done.done():
            return  # nobody waits any more
        if report is not None:
            done.set_result(report)
        else:
            done.set_exception(problem or RuntimeError("a build without a report"))

    def run() -> None:
        report, raised = None, None
        try:
            _give_way()
            report = build()
        except BaseException as problem:
            raised = problem
        with contextlib.suppress(RuntimeError):  # the service has ended meanwhile
            loop.call_soon_threadsafe(settle, report, raised)

    # Not one that the end of the process waits for: a build half done is as good as none.
    threading.Thread(target=run, name=BUILD_THREAD, daemon=True).start()
    return await done


def _give_way() -> None:
    if sys.platform == "linux":  # elsewhere a thread has no priority of its own
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def _failed(begin: datetime, problem: str, hint: str | None) -> Attempt:
    return Attempt(begin, datetime.now(UTC), "failed", problem=problem, hint=hint)


def _succeeded(begin: datetime, report: IndexReport) -> Attempt:
    return Attempt(
        started_at=begin,
        finished_at=datetime.now(UTC),
        result="unchanged" if report.is_unchanged else "replaced",
        embedded=report.embedded,
        reused=report.reused,
        removed=report.removed,
    )

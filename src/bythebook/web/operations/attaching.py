"""Everything an operator needs, put around an application and its desk."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request

from bythebook.querylog.places import log_folder
from bythebook.settings import Settings
from bythebook.web.desk import Desk
from bythebook.web.operations.handled import RequestObserver
from bythebook.web.operations.metrics import Metrics
from bythebook.web.operations.readiness import Readiness
from bythebook.web.operations.renewal import Library, Renewal
from bythebook.web.operations.tracing import TracedRequests, make_tracing


@dataclass(frozen=True)
class Operations:
    """What routes find at `request.app.state.operations`."""

    metrics: Metrics
    readiness: Readiness
    renewal: Renewal
    on_request: tuple[RequestObserver, ...]


async def operations_of(request: Request) -> Operations:
    """Return the operations of the application a request came to."""
    operations: Operations = request.app.state.operations
    return operations


def attach_operations(app: FastAPI, desk: Desk) -> None:
    """Count, check, trace and renew, for as long as an application runs."""
    settings = desk.settings
    metrics = Metrics(desk)
    readiness = Readiness(desk, metrics)
    renewal = Renewal(desk, _library(settings), settings.reload_seconds)
    renewal.tell.append(lambda result: metrics.renewals.labels(result).inc())
    desk.observers.append(metrics.count_question)
    app.state.operations = Operations(metrics, readiness, renewal, (metrics.count_request,))
    app.state.lifespans += [_closing(readiness), renewal.running()]
    tracing = make_tracing(settings)
    if tracing is not None:
        desk.observers.append(tracing.trace_question)
        app.state.lifespans.append(tracing.running())
        app.add_middleware(TracedRequests, tracing=tracing)
    if settings.watch:
        from bythebook.web.operations.watching import watching

        folder = settings.source or Path(desk.assistant.manifest.source)
        ours = (settings.index, log_folder(settings.index))
        app.state.lifespans.append(watching(folder, renewal.request, not_in=ours))


def _library(settings: Settings) -> Library:
    from bythebook.assembly import make_shelf, open_assistant, rebuild_index

    shelf = make_shelf(settings)
    return Library(
        published=shelf.manifest,
        rebuild=lambda manifest: rebuild_index(settings, manifest),
        open=lambda: open_assistant(settings),
    )


@contextlib.asynccontextmanager
async def _closing(readiness: Readiness) -> AsyncIterator[None]:
    try:
        yield
    finally:
        readiness.close()

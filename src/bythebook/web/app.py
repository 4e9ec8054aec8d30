"""The application: routers, middleware and error handlers put together around a desk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import APIRouter, FastAPI

from bythebook.version import __version__
from bythebook.web.access.description import describe_keys
from bythebook.web.desk import Desk
from bythebook.web.errors import handle_errors
from bythebook.web.middleware import middleware_for
from bythebook.web.operations.attaching import attach_operations
from bythebook.web.routes import (
    admin,
    book,
    feedback,
    openai,
    operations,
    query,
    search,
    sessions,
    stream,
)
from bythebook.web.routes.mcp import mount_mcp

# One router a surface; a new one is a module of `routes` and a name here.
ROUTERS: tuple[APIRouter, ...] = (
    query.router,
    stream.router,
    search.router,
    book.router,
    sessions.router,
    feedback.router,
    openai.router,
    admin.router,
    operations.router,
)

_DESCRIPTION = (
    "Answers questions from one book, and only from it: every sentence of an answer was checked"
    " against the passage it cites. What the book does not answer is refused with a reason."
)


def create_app(desk: Desk) -> FastAPI:
    """Return the service of a desk; it opens the desk when it starts and closes it at the end.

    Routes find the desk at `request.app.state.desk`. What else has to run along with the service
    enters `app.state.lifespans`, a list of async context managers, before it starts.
    """
    app = FastAPI(
        title="bythebook",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=_lifespan,
        # The pages for people load scripts from elsewhere, and nothing here depends on elsewhere.
        docs_url=None,
        redirect_slashes=False,  # behind a proxy the redirect would lead to the wrong address
        redoc_url=None,
        # FastAPI's own spans hold query strings, and `/api/search` has its question there. Ours,
        # in `operations/tracing.py`, do not.
        telemetry={"auto_configure": False, "tracing": False, "metrics": False, "logs": False},
        middleware=middleware_for(desk.settings, desk.access),
    )
    app.state.desk = desk
    app.state.lifespans = []
    handle_errors(app, [route for router in ROUTERS for route in router.routes])
    for router in ROUTERS:
        app.include_router(router)
    mount_mcp(app, desk)
    attach_operations(app, desk)
    describe_keys(app, desk.access)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    desk: Desk = app.state.desk
    await desk.open()
    try:
        async with AsyncExitStack() as stack:
            for lifespan in app.state.lifespans:
                await stack.enter_async_context(lifespan)
            yield
    finally:
        await desk.close()

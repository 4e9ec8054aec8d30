"""What routes ask for by type: the desk, who calls, a body that says it is JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from bythebook.web.desk import Caller, Desk

T = TypeVar("T")


def desk_of(request: Request) -> Desk:
    """Return the desk of the application a request came to."""
    desk: Desk = request.app.state.desk
    return desk


def caller_of(request: Request) -> Caller:
    """Return who calls; what stands before the routes may know more and say so in `state`."""
    address = request.client.host if request.client else None
    state = request.scope.get("state", {})
    return Caller(
        route=request.scope["path"],
        client=state.get("client", address),
        key_name=state.get("key_name"),
    )


async def json_only(request: Request) -> None:
    """Turn a body away that does not say that it is JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_json = kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )
    if not is_json and (kind or await request.body()):
        raise HTTPException(415)


# Async although they wait for nothing: FastAPI runs plain functions in a thread, and the trip there
# and back takes a tenth of a millisecond each.
async def _desk(request: Request) -> Desk:
    return desk_of(request)


async def _caller(request: Request) -> Caller:
    return caller_of(request)


DeskNow = Annotated[Desk, Depends(_desk)]
CallerNow = Annotated[Caller, Depends(_caller)]


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what work gives; when the client leaves, the work is stopped."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        leaving.cancel()
        if not working.done():
            working.cancel()
            await asyncio.wait({working})


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass

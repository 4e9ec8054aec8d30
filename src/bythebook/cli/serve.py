"""`bythebook serve`: the service, on one port, until it is told to stop."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from bythebook.cli.console import message
from bythebook.cli.exits import ExitCode
from bythebook.cli.options import IndexOption, WriterOption
from bythebook.errors import MissingExtraError, SettingsError
from bythebook.settings import Settings, load_settings

if TYPE_CHECKING:
    from bythebook.web.desk import Desk


def serve(
    index: IndexOption = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8000,
    writer: WriterOption = None,
    watch: Annotated[
        Path | None,
        typer.Option(help="Folder of the book; when it changes, it is indexed anew."),
    ] = None,
) -> int:
    """Answer questions over HTTP."""
    settings = load_settings(index=index, writer=writer, source=watch, watch=watch and True)
    _check_watched(settings)
    listening = _listen(host, port)  # before the index is opened: a taken port is told at once
    with listening:
        desk = _open(settings)
        address = f"http://{_for_url(host)}:{listening.getsockname()[1]}"
        title = desk.assistant.manifest.title
        _announce(settings, f'"{title}" answers at {address}/api/query. Ctrl-C ends it.')
        _run(desk, listening)
    return 0


def _check_watched(settings: Settings) -> None:
    if settings.watch and settings.source and not settings.source.exists():
        raise SettingsError(
            f"there is no folder {str(settings.source)!r} to watch",
            hint="name the folder of the book with --watch",
        )


def _open(settings: Settings) -> Desk:
    try:
        from bythebook.assembly import open_desk
        from bythebook.web.operations.logs import set_up_logging

        set_up_logging(settings)
        return open_desk(settings)
    except ImportError as problem:
        raise MissingExtraError(
            f"the service needs a package that is not installed: {problem.name}",
            hint="pip install 'bythebook[serve]'",
        ) from problem


def _announce(settings: Settings, text: str) -> None:
    if settings.log_format == "json":  # whoever reads the log reads JSON only
        logging.getLogger("bythebook.serve").info(text)
    else:
        message(text)


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket, or say in a sentence why there is none."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
    except (OSError, OverflowError) as problem:
        raise SettingsError(
            f"there is no address {host!r} with port {port}: {problem}", hint="correct --host"
        ) from problem
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(1024)
    except (OSError, OverflowError) as problem:
        listening.close()
        raise SettingsError(
            f"the service cannot listen on {host}:{port}: {_reason(problem)}",
            hint="end the other program, or choose another --port",
        ) from problem
    return listening


def _reason(problem: Exception) -> str:
    return (getattr(problem, "strerror", None) or str(problem)).lower()


def _for_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _run(desk: Desk, listening: socket.socket) -> None:
    import uvicorn

    from bythebook.web.app import create_app

    # Clients and proxies keep a connection for 5 to 60 seconds. Were we the first to close it, a
    # request sent at that very moment would be lost.
    keep_alive_seconds = 75
    config = uvicorn.Config(
        create_app(desk),
        log_config=None,
        log_level="warning",
        ws="none",
        access_log=False,  # ours has the request id
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=keep_alive_seconds,
        timeout_graceful_shutdown=desk.settings.shutdown_seconds,
    )
    # The server raises the signal that ended it once more when it is done; that is no failure.
    signal.signal(signal.SIGTERM, _end)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except typer.Exit:
        _leave_build(ExitCode.ANSWERED)
    except KeyboardInterrupt:
        _leave_build(ExitCode.INTERRUPTED)
        raise


def _leave_build(code: int) -> None:
    """End here when a build is running: its libraries do not survive being taken down under it."""
    from bythebook.web.operations.renewal import BUILD_THREAD

    if any(thread.name == BUILD_THREAD for thread in threading.enumerate()):
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _end(*_: object) -> NoReturn:
    raise typer.Exit(0)

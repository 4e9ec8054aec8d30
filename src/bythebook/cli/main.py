"""The command `bythebook`: parsing, calling, rendering. The work is done elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer
from typer.exceptions import Abort, Exit, TyperException

from bythebook.cli.ask import ask
from bythebook.cli.calibrate import calibrate
from bythebook.cli.chat import chat
from bythebook.cli.check import check
from bythebook.cli.console import message, report
from bythebook.cli.copy import copy
from bythebook.cli.doctor import doctor
from bythebook.cli.evaluate import evaluate
from bythebook.cli.exits import ExitCode, of_error
from bythebook.cli.index import index
from bythebook.cli.info import info
from bythebook.cli.keys import keys
from bythebook.cli.log import log
from bythebook.cli.mcp import mcp
from bythebook.cli.read import read
from bythebook.cli.search import search
from bythebook.cli.serve import serve
from bythebook.errors import BythebookError
from bythebook.version import __version__

app = typer.Typer(
    name="bythebook",
    help="An assistant that answers only from your book, cites every sentence, and says when the"
    " book does not know.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(index)
app.command()(ask)
app.command()(chat)
app.command()(search)
app.command()(check)
app.command()(read)
app.command("eval")(evaluate)
app.command()(calibrate)
app.command()(info)
app.command()(copy)
app.command()(doctor)
app.command()(serve)
app.add_typer(keys, name="keys")
app.add_typer(log, name="log")
app.command()(mcp)


def _show_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"bythebook {__version__}\n")
        raise Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Show the version.", callback=_show_version, is_eager=True
    ),
) -> None:
    del version


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; every error becomes a sentence."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        code = app(args=given or ["--help"], prog_name="bythebook", standalone_mode=False)
        sys.stdout.flush()
    except BythebookError as problem:
        report(problem)
        return of_error(problem)
    except Exit as ending:
        return ending.exit_code
    except TyperException as problem:
        context = getattr(problem, "ctx", None)
        message(f"error: {problem.format_message().replace('Value error, ', '')}")
        message(f"hint: see '{context.command_path if context else 'bythebook'} --help'")
        return ExitCode.BAD_ARGUMENTS
    except (KeyboardInterrupt, Abort):
        message("interrupted")
        return ExitCode.INTERRUPTED
    except (BrokenPipeError, SystemExit):  # Typer turns the one into the other
        # Whoever read our output has stopped; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.ANSWERED
    return code if isinstance(code, int) else ExitCode.ANSWERED


def run() -> None:
    """Be the console script."""
    sys.exit(main())

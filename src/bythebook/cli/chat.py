"""`bythebook chat`: a conversation with the book, at a terminal or through a pipe."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass

from bythebook.assembly import open_conversation
from bythebook.cli.ask import show_citations, show_outcome
from bythebook.cli.console import data, message
from bythebook.cli.options import IndexOption, ModuleOption, TopKOption, WriterOption
from bythebook.conversation import Conversation
from bythebook.errors import QueryError
from bythebook.queries import make_query
from bythebook.settings import load_settings
from bythebook.types import Answer

_HELP = "Commands: /reset forgets the conversation, /sources shows the last sources, /quit ends."


@dataclass(frozen=True)
class _Scope:
    top_k: int | None
    module: str | None


def chat(
    index: IndexOption = None,
    top_k: TopKOption = None,
    module: ModuleOption = None,
    writer: WriterOption = None,
) -> int:
    """Talk with the book; follow-up questions are understood."""
    conversation = open_conversation(load_settings(index=index, writer=writer))
    try:
        message(f'"{conversation.title}". {_HELP}')
        # One event loop for all questions: a model's connections belong to the loop they began in.
        with asyncio.Runner() as runner:
            while (line := _read_line()) not in (None, "/quit"):
                if line:
                    _answer(runner, conversation, line, _Scope(top_k, module))
    except KeyboardInterrupt:
        message("")  # also in the middle of an answer, Ctrl-C ends the conversation
    finally:
        conversation.close()
    return 0


def _read_line() -> str | None:
    """Return what was typed, None at the end (Ctrl-D)."""
    try:
        if sys.stdin.isatty():
            return input("> ").strip()
        line = sys.stdin.readline()
        return line.strip() if line else None
    except EOFError:
        message("")
        return None


def _answer(runner: asyncio.Runner, conversation: Conversation, line: str, scope: _Scope) -> None:
    if line == "/reset":
        conversation.reset()
        message("The conversation starts anew.")
    elif line == "/sources":
        _show_sources(conversation)
    elif line.startswith("/"):
        message(f"There is no command {line!r}. {_HELP}")
    else:
        _ask(runner, conversation, line, scope)


def _ask(runner: asyncio.Runner, conversation: Conversation, line: str, scope: _Scope) -> None:
    try:
        query = make_query(line, top_k=scope.top_k, module=scope.module)
    except QueryError as problem:
        message(f"error: {problem.message}")
        return
    outcome = runner.run(conversation.ask(query))
    if outcome.query.asked:
        message(f"(understood as: {outcome.query.text})")
    for note in outcome.notes:
        message(f"note: {note}")
    show_outcome(outcome)
    data("")


def _show_sources(conversation: Conversation) -> None:
    last = conversation.turns[-1].outcome.result if conversation.turns else None
    if not isinstance(last, Answer):
        message("There are no sources yet.")
        return
    show_citations(last)

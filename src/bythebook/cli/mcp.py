"""`bythebook mcp`: the book as tools for an agent, over standard input and output."""

from __future__ import annotations

from bythebook.assembly import open_assistant
from bythebook.cli.console import message
from bythebook.cli.options import IndexOption, WriterOption
from bythebook.settings import load_settings


def mcp(index: IndexOption = None, writer: WriterOption = None) -> int:
    """Serve the book to an agent over the Model Context Protocol (stdio)."""
    assistant = open_assistant(load_settings(index=index, writer=writer))
    try:
        from bythebook.mcp.stdio import serve_stdio

        message(f'"{assistant.manifest.title}" is ready for an agent; end with Ctrl-C.')
        serve_stdio(assistant)
    finally:
        assistant.close()
    return 0

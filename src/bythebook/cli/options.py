"""Options that several commands share, described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

IndexOption = Annotated[
    Path | None,
    typer.Option(help="Folder of the index. [default: ./.bythebook, or BYTHEBOOK_INDEX]"),
]
QuestionArgument = Annotated[
    str, typer.Argument(help="The question, in quotes; '-' reads it from standard input.")
]
TopKOption = Annotated[int | None, typer.Option(help="How many passages to look at.")]
ModuleOption = Annotated[str | None, typer.Option(help="Only this module of the book.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ProfileOption = Annotated[
    str,
    typer.Option(help="Which published contract: grounded, scored, session, search or modules."),
]

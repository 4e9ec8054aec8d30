"""Options that several commands share, described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bythebook.contracts.profiles import ContractName

IndexOption = Annotated[
    Path | None,
    typer.Option(help="Folder of the index. [default: ./.bythebook, or BYTHEBOOK_INDEX]"),
]
QuestionArgument = Annotated[
    str, typer.Argument(help="The question, in quotes; '-' reads it from standard input.")
]
TopKOption = Annotated[
    int | None, typer.Option(help="How many passages are taken, the nearest first. [default: 5]")
]
ModuleOption = Annotated[str | None, typer.Option(help="Only this module of the book.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ProfileOption = Annotated[
    ContractName, typer.Option(help="Which published contract sets the limits and the JSON.")
]
WriterOption = Annotated[
    str | None, typer.Option(help="Who drafts the answer: extractive or agent.")
]

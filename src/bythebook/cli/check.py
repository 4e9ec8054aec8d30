"""`bythebook check`: does the book, or a passage given with it, carry what a text says?"""

from __future__ import annotations

import asyncio
import json as jsonlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict

from bythebook.assembly import make_reader, open_assistant
from bythebook.checking import PairVerdict, SentenceVerdict, check_pair, check_text
from bythebook.cli.console import data, styled
from bythebook.cli.exits import ExitCode
from bythebook.cli.options import IndexOption, JsonOption
from bythebook.cli.pairs import read_pairs
from bythebook.cli.question import read_question
from bythebook.errors import QueryError
from bythebook.settings import load_settings


class _Pair(BaseModel):
    model_config = ConfigDict(strict=True)

    claim: str
    evidence: str


def check(
    text: Annotated[
        str | None, typer.Argument(help="The text, in quotes; '-' reads it from standard input.")
    ] = None,
    index: IndexOption = None,
    pairs: Annotated[
        str | None,
        typer.Option(help="A file of claim and evidence lines, instead of a text; '-' for stdin."),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Check each sentence of a text against the book, or claims against their evidence."""
    if (text is None) == (pairs is None):
        raise QueryError(
            "give either a text or --pairs, and not both",
            field="text",
            hint='bythebook check "..." or bythebook check --pairs FILE.jsonl',
        )
    if pairs is not None:
        return _check_pairs(pairs, json)
    return _check_text(read_question(text or ""), index, json)


def _check_text(text: str, index: Path | None, json: bool) -> int:
    if not text.strip():
        raise QueryError("the text is empty", field="text", hint="give at least one sentence")
    assistant = open_assistant(load_settings(index=index))
    try:
        verdicts = asyncio.run(check_text(assistant, text))
    finally:
        assistant.close()
    if not verdicts:
        raise QueryError("the text has no sentence", field="text", hint="give at least one")
    if json:
        data(_to_json(verdicts))
    else:
        _show(verdicts)
    return _exit_code(verdicts)


def _to_json(verdicts: Sequence[SentenceVerdict]) -> str:
    rows = [verdict.model_dump(mode="json") for verdict in verdicts]
    supported = all(verdict.supported for verdict in verdicts)
    whole = {"supported": supported, "sentences": rows}
    return jsonlib.dumps(whole, ensure_ascii=False, indent=2)


def _exit_code(verdicts: Sequence[PairVerdict]) -> ExitCode:
    supported = all(verdict.supported for verdict in verdicts)
    return ExitCode.ANSWERED if supported else ExitCode.REFUSED


def _show(verdicts: Sequence[SentenceVerdict]) -> None:
    console = styled()
    for verdict in verdicts:
        console.print(f"{_line(verdict)}  {verdict.text}")
        for reason in verdict.reasons:
            console.print(f"  - {reason}")
        place = verdict.citation or verdict.nearest
        if place:
            console.print(f"  {'book' if verdict.supported else 'nearest'}: {place.excerpt}")
            console.print(f"  {place.page_title or ''} > {place.section}")
            if place.url:
                console.print(f"  {place.url}", soft_wrap=True, style="dim")


def _line(verdict: PairVerdict) -> str:
    return f"{'supported' if verdict.supported else 'not supported'} ({verdict.support:.2f})"


def _check_pairs(place: str, json: bool) -> int:
    verdicts: list[PairVerdict] = []
    bad = False
    reader = make_reader(load_settings())
    for pair in read_pairs(place, _Pair):
        if pair is None:
            bad = True
            continue
        verdict = check_pair(pair.claim, pair.evidence, reader)
        verdicts.append(verdict)
        data(verdict.model_dump_json() if json else f"{_line(verdict)}  {_told(verdict)}".strip())
    return ExitCode.BAD_ARGUMENTS if bad else _exit_code(verdicts)


def _told(verdict: PairVerdict) -> str:
    return "; ".join(verdict.reasons)

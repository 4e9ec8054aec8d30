"""`bythebook check`: does the book, or a passage given with it, carry what a text says?"""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict, ValidationError

from bythebook.assembly import open_assistant
from bythebook.checking import PairVerdict, SentenceVerdict, check_pair, check_text
from bythebook.cli.console import data, message, styled
from bythebook.cli.exits import ExitCode
from bythebook.cli.options import IndexOption, JsonOption
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
    for number, line in enumerate(_lines(place), start=1):
        if not line.strip():
            continue
        try:
            pair = _Pair.model_validate_json(line)
        except ValidationError as problem:
            message(f"error: line {number} is no pair: {_why(problem)}")
            bad = True
            continue
        verdict = check_pair(pair.claim, pair.evidence)
        verdicts.append(verdict)
        data(verdict.model_dump_json() if json else f"{_line(verdict)}  {_told(verdict)}".strip())
    return ExitCode.BAD_ARGUMENTS if bad else _exit_code(verdicts)


def _told(verdict: PairVerdict) -> str:
    return "; ".join(verdict.reasons)


def _why(problem: ValidationError) -> str:
    first = problem.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    return f"{field}: {first['msg']}" if field else str(first["msg"])


def _lines(place: str) -> Iterator[bytes]:
    """Yield the lines as bytes: one that is not UTF-8 must not take the others with it."""
    if place == "-":
        yield from getattr(sys.stdin, "buffer", None) or (
            line.encode("utf-8", "surrogateescape") for line in sys.stdin
        )
        return
    try:
        with Path(place).open("rb") as file:
            yield from file
    except OSError as problem:
        raise QueryError(
            f"{place!r} cannot be read: {problem.strerror}",
            field="pairs",
            hint='give a file of lines {"claim": "...", "evidence": "..."}',
        ) from problem

"""`bythebook read`: does a passage answer a question, and where? For anyone's own pairs."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated

import typer
from pydantic import BaseModel, ConfigDict

from bythebook.assembly import make_reader
from bythebook.cli.console import data
from bythebook.cli.exits import ExitCode
from bythebook.cli.options import JsonOption
from bythebook.cli.pairs import read_pairs
from bythebook.errors import SettingsError
from bythebook.settings import load_settings


class _Pair(BaseModel):
    model_config = ConfigDict(strict=True)

    question: str
    passage: str


def read(
    pairs: Annotated[
        str, typer.Option(help="A file of question and passage lines; '-' for stdin.")
    ],
    reader: Annotated[str, typer.Option(help="Which reader.")] = "minilm",
    json: JsonOption = False,
) -> int:
    """Tell how probably each passage answers its question, and which sentence of it does."""
    chosen = make_reader(load_settings(reader=reader))
    if chosen is None:
        raise SettingsError(f"reader {reader!r} reads nothing", hint="leave out --reader")
    bad = False
    for pair in read_pairs(pairs, _Pair):
        if pair is None:
            bad = True
            continue
        (reading,) = chosen.read(pair.question, [pair.passage])
        sentence = pair.passage[reading.sentence_start : reading.sentence_end]
        if json:
            line = {
                "answerable": round(reading.probability, 6),
                "start": reading.start,
                "end": reading.end,
                "evidence_sentence": sentence,
                "score": round(reading.score, 6),
            }
            data(jsonlib.dumps(line, ensure_ascii=False))
        else:
            data(f"{reading.probability:.2f}  {' '.join(sentence.split())}".rstrip())
    return ExitCode.BAD_ARGUMENTS if bad else ExitCode.ANSWERED

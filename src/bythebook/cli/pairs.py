"""Files of pairs, one JSON object a line, for the commands that judge someone's own data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from bythebook.cli.console import message
from bythebook.errors import QueryError

Pair = TypeVar("Pair", bound=BaseModel)


def read_pairs(place: str, kind: type[Pair]) -> Iterator[Pair | None]:
    """Yield the pair of each line; for a line that holds none, say why and yield nothing."""
    for number, line in enumerate(_lines(place, kind), start=1):
        if not line.strip():
            continue
        try:
            yield kind.model_validate_json(line)
        except ValidationError as problem:
            message(f"error: line {number} is no pair: {_why(problem)}")
            yield None


def _why(problem: ValidationError) -> str:
    first = problem.errors()[0]
    if (
        first["type"] == "json_invalid"
    ):  # pydantic's own words speak of a line 1 that is not the file's
        return "it is not valid JSON"
    field = ".".join(str(part) for part in first["loc"])
    return f"{field}: {first['msg']}" if field else str(first["msg"])


def _lines(place: str, kind: type[BaseModel]) -> Iterator[bytes]:
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
        fields = ", ".join(f'"{name}": "..."' for name in kind.model_fields)
        raise QueryError(
            f"{place!r} cannot be read: {problem.strerror}",
            field="pairs",
            hint=f"give a file of lines {{{fields}}}",
        ) from problem

"""Pinned figures that an evaluation must reach: a floor, or a ceiling where less is better."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from bythebook.errors import QueryError, QuestionsError
from bythebook.evaluation.metrics import METRIC_NAMES, Better
from bythebook.evaluation.report import Report
from bythebook.types import Value


class FloorResult(Value):
    """A pinned figure, what was reached, and whether that is enough."""

    name: str
    limit: float
    better: Better
    value: float | None
    holds: bool


def parse_floors(given: Sequence[str]) -> dict[str, float]:
    """Return the floors of arguments like `right_page=0.9`; raise QueryError for a bad one."""
    floors: dict[str, float] = {}
    for text in given:
        name, sign, value = text.partition("=")
        try:
            limit = float(value)
        except ValueError:
            sign = ""
        if not sign or limit != limit:  # not a number
            raise QueryError(
                f"the floor {text!r} is not METRIC=NUMBER",
                field="floor",
                hint="for example --floor right_page=0.9",
            )
        floors[_known(name.strip())] = limit
    return floors


def read_floors(path: Path) -> dict[str, float]:
    """Return the floors of a JSON file; raise QuestionsError if it holds none."""
    try:
        read = json.loads(path.read_bytes())
    except (OSError, ValueError) as problem:
        raise QuestionsError(
            f"the floors {str(path)!r} cannot be read: {problem}",
            hint='give a JSON object such as {"right_page": 0.9}',
        ) from problem
    if not isinstance(read, dict):
        raise QuestionsError(
            f"the floors {str(path)!r} are not a JSON object",
            hint='give a JSON object such as {"right_page": 0.9}',
        )
    return parse_floors([f"{name}={value}" for name, value in read.items()])


def check_floors(report: Report, floors: Mapping[str, float]) -> tuple[FloorResult, ...]:
    """Return each floor with what was reached; a figure that was not measured does not hold."""
    results = []
    for name, limit in floors.items():
        metric = report.metric(name)
        value = metric.value
        enough = value is not None and (
            value >= limit if metric.better == "more" else value <= limit
        )
        results.append(
            FloorResult(name=name, limit=limit, better=metric.better, value=value, holds=enough)
        )
    return tuple(results)


def _known(name: str) -> str:
    if name in METRIC_NAMES:
        return name
    near = get_close_matches(name, METRIC_NAMES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"figures: {', '.join(METRIC_NAMES)}"
    raise QueryError(f"there is no figure {name!r}", field="floor", hint=hint)

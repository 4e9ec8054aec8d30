"""The table of docs/errors.md is what the code does, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from bythebook.cli.exits import of_outcome
from bythebook.contracts import grounded, search
from bythebook.contracts.session_errors import error_of
from bythebook.contracts.troubles import HTTP_STATUS, Trouble, trouble_of
from bythebook.types import Failure, FailureStage, Outcome, Query, State
from tests.builders import ROOT

FAILURES: dict[Trouble, tuple[FailureStage, str, float | None]] = {
    Trouble.QUESTION: ("validation", "QueryError", None),
    Trouble.STORE: ("retrieval", "StoreError", None),
    Trouble.EMBEDDING: ("retrieval", "EmbeddingError", None),
    Trouble.WRITING: ("generation", "WriterError", None),
    Trouble.CHECKING: ("grounding", "GroundingError", None),
    Trouble.RATE_LIMIT: ("generation", "WriterError", 3.0),
}


def _rows() -> Iterator[dict[str, str]]:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    names = ("kind", "from", "exit", "http", "001", "002", "004")
    for line in text.splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if line.startswith("|") and re.fullmatch(r"[a-z_]+", cells[0]) and cells[0] != "kind":
            yield dict(zip(names, cells, strict=True))


ROWS = list(_rows())


def _outcome(trouble: Trouble) -> Outcome:
    stage, error, retry_after = FAILURES[trouble]
    failure = Failure(stage=stage, error=error, message="it broke", retry_after_seconds=retry_after)
    query = Query(text="What is a node?")
    return Outcome(query=query, result=failure, mode=query.mode, state=State.ERROR)


def test_the_table_has_a_row_for_every_kind() -> None:
    assert {row["kind"] for row in ROWS} == {trouble.value for trouble in Trouble}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
def test_a_row_is_what_every_surface_says(row: dict[str, str]) -> None:
    outcome = _outcome(Trouble(row["kind"]))
    assert isinstance(outcome.result, Failure)
    assert trouble_of(outcome.result).value == row["kind"]
    assert str(int(of_outcome(outcome))) == row["exit"]
    assert str(HTTP_STATUS[Trouble(row["kind"])]) == row["http"]
    assert error_of(outcome.result).state.value == row["001"]
    response = search.from_outcome(outcome)
    assert isinstance(response, search.AgentError)
    assert row["002"] in (response.error_type, "as its source")
    envelope = grounded.from_outcome(outcome)
    assert envelope.error
    assert envelope.error.code.value == row["004"]

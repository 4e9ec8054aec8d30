"""Eight books and a hundred questions on each that nothing was fitted to, by other authors.

`books/` has sixteen small textbooks, each by one author, and the questions of another who knew the
book and nothing of the program. Those on the books below took part in no fit, and their errors are
counted, not read. Those on `weather` and `shell` are blind too and have no floors: asked of an
index without a calibration, as here, the reader answers more of them beside the point than words
alone do, and refuses far less. The others are in the fit, or their errors were read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.evaluation import Report, evaluate, read_cases
from bythebook.evaluation.cases import Case
from bythebook.indexing import Indexer
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf

BOOKS = Path(__file__).with_name("books")
KINDS = ("false_answers", "false_refusals")


@dataclass(frozen=True)
class Floors:
    """What holds for one book: the most errors of either kind, and the least right pages."""

    false_answers: float
    false_refusals: float
    right_pages: float


BLIND = {
    "ledger": Floors(0.26, 0.06, 0.84),
    "soil": Floors(0.22, 0.12, 0.86),
    "bees": Floors(0.2, 0.16, 0.76),
    "sound": Floors(0.18, 0.14, 0.78),
    "git": Floors(0.2, 0.14, 0.76),
    "bike": Floors(0.26, 0.1, 0.8),
    "telescope": Floors(0.4, 0.12, 0.78),
    "firstaid": Floors(0.52, 0.12, 0.8),
}


def ask(index: Path, cases: Sequence[Case], reader: str) -> Report:
    assistant = open_assistant(load_settings(index=index, reader=reader))
    try:
        return asyncio.run(evaluate(assistant, cases))
    finally:
        assistant.close()


def share(report: Report, name: str) -> float:
    value = report.metric(name).value
    assert value is not None
    return value


def errors(report: Report) -> float:
    return sum(share(report, kind) for kind in KINDS)


@pytest.mark.parametrize(("name", "floors"), BLIND.items())
def test_on_a_book_never_seen_the_reader_takes_away_nearly_half_of_the_errors_and_of_both_kinds(
    name: str, floors: Floors, tmp_path: Path, indexer: Indexer
) -> None:
    cases = read_cases([BOOKS / f"{name}.jsonl"])
    assert sum(case.answerable for case in cases) == 50
    assert len(cases) == 100
    shelf = FolderShelf(tmp_path / name)
    indexer.index(make_source(BOOKS / name), shelf)

    with_reader = ask(shelf.folder, cases, "minilm")
    without = ask(shelf.folder, cases, "none")

    assert with_reader.notes == ()
    assert share(with_reader, "false_answers") <= floors.false_answers
    assert share(with_reader, "false_refusals") <= floors.false_refusals
    assert share(with_reader, "right_page") >= floors.right_pages
    assert errors(with_reader) <= 0.55 * errors(without)
    for kind in KINDS:
        assert share(with_reader, kind) <= share(without, kind)

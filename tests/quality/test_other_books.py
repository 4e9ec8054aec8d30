"""Two books and a hundred questions on each that nothing was fitted to, by other authors.

`books/` has ten small textbooks, each by one author, and the questions of another who knew the book
and nothing of the program. Those on `bees` and `sound` took part in no fit, and their errors are
counted, not read. The others did.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from bythebook.assembly import make_source, open_assistant
from bythebook.evaluation import Report, evaluate, read_cases
from bythebook.evaluation.cases import Case
from bythebook.indexing import Indexer
from bythebook.settings import load_settings
from bythebook.shelves.folder import FolderShelf

BOOKS = Path(__file__).with_name("books")
BLIND = ("bees", "sound")
MOST_FALSE_ANSWERS = 0.34
MOST_FALSE_REFUSALS = 0.1
KINDS = ("false_answers", "false_refusals")
LEAST_RIGHT_PAGES = 0.82


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


@pytest.mark.parametrize("name", BLIND)
def test_on_a_book_never_seen_the_reader_takes_away_four_of_ten_errors_and_of_both_kinds(
    name: str, tmp_path: Path, indexer: Indexer
) -> None:
    cases = read_cases([BOOKS / f"{name}.jsonl"])
    assert sum(case.answerable for case in cases) == 50
    assert len(cases) == 100
    shelf = FolderShelf(tmp_path / name)
    indexer.index(make_source(BOOKS / name), shelf)

    with_reader = ask(shelf.folder, cases, "minilm")
    without = ask(shelf.folder, cases, "none")

    assert with_reader.notes == ()
    assert share(with_reader, "false_answers") <= MOST_FALSE_ANSWERS
    assert share(with_reader, "false_refusals") <= MOST_FALSE_REFUSALS
    assert share(with_reader, "right_page") >= LEAST_RIGHT_PAGES
    assert errors(with_reader) <= 0.6 * errors(without)
    for kind in KINDS:
        assert share(with_reader, kind) <= share(without, kind)

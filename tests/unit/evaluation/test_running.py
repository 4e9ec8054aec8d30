from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence

import pytest

from bythebook.assistant import Assistant
from bythebook.errors import BythebookError, SettingsError, WriterError
from bythebook.evaluation import Case, Form, Gold, Verdict, evaluate
from bythebook.evaluation.pages import PageFinder
from bythebook.manifest import PageEntry
from bythebook.types import Draft, Outcome, Passage, Query
from tests.unit.evaluation.outcomes import case

PAGE = "01-intro/02-sensors.md"
GOLD = Gold(text="An encoder is a sensor that measures the rotation of a shaft.")
ENCODER = case(turns=("What is an encoder?",), gold_pages=(PAGE,), gold=(GOLD,))


class BrokenWriter:
    """Fails whenever it is asked."""

    def __init__(self, problem: BythebookError) -> None:
        self._problem = problem

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:  # noqa: ARG002
        raise self._problem


def entry(path: str, url: str | None = None) -> PageEntry:
    return PageEntry(path=path, title=path, url=url, module=None, chapter=None, chunks=1)


@pytest.mark.parametrize(
    ("gold", "found"),
    [
        ("docs/a.md", "docs/a.md"),
        ("./docs/a.md", "docs/a.md"),
        ("a.md", "docs/a.md"),
        ("book/docs/a.md", "docs/a.md"),
        ("index.md", None),  # two pages end so
        ("ocs/a.md", None),
        ("b.md", None),
    ],
)
def test_a_gold_page_is_found_also_from_a_folder_above_or_below(
    gold: str, found: str | None
) -> None:
    finder = PageFinder([entry("docs/a.md"), entry("docs/index.md"), entry("more/index.md")])
    assert finder.find(case(gold_pages=(gold,))) == ({found} if found else set())


def test_a_gold_page_is_found_by_its_address() -> None:
    finder = PageFinder([entry("a.md", "https://example.org/a/")])
    wanted = case(gold_pages=(), gold_urls=("https://example.org/a",))
    assert finder.find(wanted) == {"a.md"}


def test_each_form_is_asked_as_a_reader_asks_it(book: Assistant) -> None:
    follow_up = case(
        id="c2",
        form=Form.FOLLOW_UP,
        turns=("What is Isaac Sim?", "How do I use it for synthetic data?"),
        gold_pages=("04-isaac/04-learning-and-domain-randomisation.md",),
        gold=(),
    )
    selected = case(
        id="c3", form=Form.SELECTED, turns=("What is an encoder?",),
        selected_text=GOLD.text, gold=(GOLD,),
    )  # fmt: skip
    seen: list[tuple[Case, Outcome]] = []
    cases = [ENCODER, follow_up, selected]
    report = asyncio.run(
        evaluate(book, cases, writer="w", on_outcome=lambda *both: seen.append(both))
    )
    assert [row.id for row in report.rows] == [case.id for case, _ in seen] == ["c1", "c2", "c3"]
    assert report.rows[0].verdict is Verdict.RIGHT_ANSWER
    assert report.rows[0].measures.gold_cited
    assert report.rows[1].before == ("What is Isaac Sim?",)
    assert report.rows[1].understood_as == "How do I use Isaac Sim for synthetic data?"
    assert seen[2][1].query.selected_text == GOLD.text
    assert report.metric("quote_validity").value == 1.0
    assert (report.writer, report.book) == ("w", book.manifest.title)


@pytest.mark.parametrize("problem", [WriterError("the model is gone"), SettingsError("no key")])
def test_a_question_that_fails_is_a_row_and_the_others_go_on(
    book: Assistant, problem: BythebookError
) -> None:
    broken = copy.copy(book)
    broken._writer = BrokenWriter(problem)
    follow_up = case(id="c2", form=Form.FOLLOW_UP, turns=("What is an encoder?", "Why?"))
    report = asyncio.run(evaluate(broken, [ENCODER, follow_up]))
    assert [row.verdict for row in report.rows] == [Verdict.FAILED, Verdict.FAILED]
    assert problem.message in report.rows[0].told.text
    assert report.rows[0].told.is_setup is isinstance(problem, SettingsError)
    assert report.metric("failures").value == 1.0
    assert report.metric("right_page").value is None


def test_questions_on_another_book_are_told(book: Assistant) -> None:
    foreign = case(id="f", gold_pages=("kitchen/bread.md",))
    misquoted = case(id="m", gold_pages=(PAGE,), gold=(Gold(text="A shaft measures encoders."),))
    report = asyncio.run(evaluate(book, [ENCODER, foreign, misquoted]))
    assert report.notes == (
        "the index has no gold page of f",
        "a gold sentence is not on its page in the index: m",
    )

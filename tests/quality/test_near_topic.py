"""Questions close to the book's topics, half of which it does not answer: what the reader is for.

The two blind sets were written by people who knew the book and nothing of the program. Nothing was
fitted to them, and their errors are counted, not read. The others were blind once: their
errors have been read since, and all but the last took part in the fit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from bythebook.assembly import open_assistant
from bythebook.assistant import Assistant
from bythebook.evaluation import Report, evaluate, read_cases
from bythebook.evaluation.cases import Case
from bythebook.settings import load_settings

BLIND = ("near_topic_blind.jsonl", "near_topic_blind_2.jsonl")
MOST_FALSE_ANSWERS = 0.22
MOST_FALSE_REFUSALS = 0.16


def share(report: Report, name: str) -> float:
    value = report.metric(name).value
    assert value is not None
    return value


@pytest.fixture(scope="module", params=BLIND)
def cases(request: pytest.FixtureRequest) -> Sequence[Case]:
    return read_cases([Path(__file__).with_name(request.param)])


@pytest.fixture(scope="module")
def report(calibrated_book: Assistant, cases: Sequence[Case]) -> Report:
    return asyncio.run(evaluate(calibrated_book, cases))


def test_the_questions_are_the_ones_the_floors_were_set_for(
    report: Report, cases: Sequence[Case]
) -> None:
    assert sum(case.answerable for case in cases) == 50
    assert len(cases) == 100
    assert report.notes == ()


def test_few_of_them_are_answered_beside_the_point_or_refused_for_nothing(report: Report) -> None:
    assert share(report, "false_answers") <= MOST_FALSE_ANSWERS
    assert share(report, "false_refusals") <= MOST_FALSE_REFUSALS


def test_without_the_reader_twice_as_many_are_answered_beside_the_point(
    report: Report, cases: Sequence[Case], sample_index: Path
) -> None:
    assistant = open_assistant(load_settings(index=sample_index, reader="none"))
    try:
        without = asyncio.run(evaluate(assistant, cases))
    finally:
        assistant.close()
    assert share(report, "false_answers") <= 0.5 * share(without, "false_answers")

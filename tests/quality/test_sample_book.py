"""The gate: what the sample book's questions must come to, against pinned floors.

This is the run of `make eval`, made once here for the floors and for what every answer must look
like. Lowering a floor in `floors.json` is a decision of its own and belongs in its own commit.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bythebook.assistant import Assistant
from bythebook.evaluation import Form, Report, check_floors, evaluate, read_cases, read_floors
from bythebook.types import Answer, Outcome
from tests.builders import ROOT

FILES = [
    ROOT / "examples" / name
    for name in ("questions.jsonl", "questions.multiturn.jsonl", "questions.selected.jsonl")
]
CASES = read_cases(FILES)
FLOORS = read_floors(Path(__file__).with_name("floors.json"))
LONGEST_ANSWER = 2000  # characters


@dataclass(frozen=True)
class Asked:
    """The evaluation, and the outcomes it was made from."""

    report: Report
    outcomes: list[Outcome]

    def answers(self) -> Iterator[Answer]:
        for outcome in self.outcomes:
            if isinstance(outcome.result, Answer):
                yield outcome.result


@pytest.fixture(scope="module")
def asked(calibrated_book: Assistant) -> Asked:
    outcomes: list[Outcome] = []
    report = asyncio.run(
        evaluate(calibrated_book, CASES, on_outcome=lambda _, outcome: outcomes.append(outcome))
    )
    return Asked(report, outcomes)


def test_the_questions_are_the_ones_the_floors_were_set_for() -> None:
    assert Counter((case.form, case.answerable) for case in CASES) == {
        (Form.SINGLE, True): 40,
        (Form.SINGLE, False): 20,
        (Form.FOLLOW_UP, True): 8,
        (Form.FOLLOW_UP, False): 2,
        (Form.SELECTED, True): 5,
        (Form.SELECTED, False): 3,
    }
    assert all(case.gold and case.key_points for case in CASES if case.answerable)


def test_every_gold_sentence_stands_on_its_page(asked: Asked) -> None:
    assert asked.report.notes == ()


@pytest.mark.parametrize("name", FLOORS)
def test_the_floor_holds(name: str, asked: Asked) -> None:
    (result,) = check_floors(asked.report, {name: FLOORS[name]})
    wrong = [f"{row.id} {row.verdict}" for row in asked.report.wrong]
    assert result.holds, (result, wrong)


def test_every_citation_of_the_book_is_among_what_was_retrieved(asked: Asked) -> None:
    for outcome in asked.outcomes:
        if isinstance(outcome.result, Answer):
            assert outcome.retrieval
            texts = {p.chunk.id: p.chunk.text for p in outcome.retrieval.passages}
            for citation in outcome.result.citations:
                assert citation.excerpt == texts[citation.chunk_id][citation.start : citation.end]


def test_every_answer_is_short_enough(asked: Asked) -> None:
    assert all(len(answer.text) <= LONGEST_ANSWER for answer in asked.answers())


def test_every_sentence_of_every_answer_ends_with_its_citations(asked: Asked) -> None:
    for answer in asked.answers():
        position = 0
        for sentence in answer.sentences:
            numbers = "".join(f"[{number}]" for number in sentence.citations)
            begin = answer.text.find(sentence.text.strip(), position)
            assert begin >= 0, sentence.text
            behind = begin + len(sentence.text.strip())
            assert re.match(rf"\s*(`{{3,}}\n)?{re.escape(numbers)}", answer.text[behind:])
            position = behind + answer.text[behind:].index(numbers) + len(numbers)
        assert answer.text[position:] == ""


def test_no_answer_says_a_sentence_twice(asked: Asked) -> None:
    for answer in asked.answers():
        said = [sentence.text for sentence in answer.sentences]
        assert len(set(said)) == len(said)


def test_no_answer_shows_broken_markdown(asked: Asked) -> None:
    for answer in asked.answers():
        outside = re.sub(r"```.*?```", "", answer.text, flags=re.DOTALL)
        assert answer.text.count("```") % 2 == 0
        assert not re.search(r"\]\(http|^#+ |\*\*|:::|<[A-Z]\w+", outside, re.MULTILINE), outside

"""The gate: what the sample book's questions must come to, against pinned floors.

Lowering a floor in `floors.json` is a decision of its own and belongs in its own commit.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from bythebook.assistant import Assistant
from bythebook.types import Answer, Failure, Outcome, Query
from tests.builders import ROOT

QUESTIONS = [
    json.loads(line)
    for line in (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
FLOORS = json.loads((ROOT / "tests" / "quality" / "floors.json").read_text(encoding="utf-8"))

Asked = list[tuple[dict[str, Any], Outcome]]


@pytest.fixture(scope="module")
def judge() -> Any:
    """The measure of tools/quality.py, so that the tool and the gate agree."""
    spec = importlib.util.spec_from_file_location("quality", ROOT / "tools" / "quality.py")
    assert spec
    assert spec.loader
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool.judge


@pytest.fixture(scope="module")
def asked(book: Assistant) -> Asked:
    return [(row, asyncio.run(book.ask(Query(text=row["question"])))) for row in QUESTIONS]


def answers(asked: Asked) -> Iterator[tuple[Outcome, Answer]]:
    for _, outcome in asked:
        if isinstance(outcome.result, Answer):
            yield outcome, outcome.result


def test_the_questions_are_the_ones_the_floors_were_set_for() -> None:
    assert Counter(row["answerable"] for row in QUESTIONS) == {True: 40, False: 20}


def test_enough_answers_cite_the_right_page(asked: Asked, judge: Any) -> None:
    wrong = [
        row["id"]
        for row, outcome in asked
        if row["answerable"] and judge(row, outcome) != "right page"
    ]
    assert 40 - len(wrong) >= FLOORS["right_page"], wrong


def test_enough_questions_without_an_answer_are_refused(asked: Asked, judge: Any) -> None:
    wrong = [row["id"] for row, outcome in asked if judge(row, outcome) == "wrong answer"]
    assert 20 - len(wrong) >= FLOORS["right_refusal"], wrong


def test_no_question_fails(asked: Asked) -> None:
    assert not [row["id"] for row, outcome in asked if isinstance(outcome.result, Failure)]


def test_every_citation_is_the_text_of_the_book(asked: Asked) -> None:
    cited = 0
    for outcome, answer in answers(asked):
        assert outcome.retrieval
        texts = {p.chunk.id: p.chunk.text for p in outcome.retrieval.passages}
        for citation in answer.citations:
            assert citation.excerpt == texts[citation.chunk_id][citation.start : citation.end]
            cited += 1
    assert cited >= FLOORS["right_page"]


def test_every_answer_is_short_enough(asked: Asked) -> None:
    assert all(len(a.text) <= FLOORS["answer_characters"] for _, a in answers(asked))


def test_every_sentence_of_every_answer_ends_with_its_citations(asked: Asked) -> None:
    for _, answer in answers(asked):
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
    for _, answer in answers(asked):
        said = [sentence.text for sentence in answer.sentences]
        assert len(set(said)) == len(said)


def test_no_answer_shows_broken_markdown(asked: Asked) -> None:
    for _, answer in answers(asked):
        outside = re.sub(r"```.*?```", "", answer.text, flags=re.DOTALL)
        assert answer.text.count("```") % 2 == 0
        assert not re.search(r"\]\(http|^#+ |\*\*|:::|<[A-Z]\w+", outside, re.MULTILINE), outside

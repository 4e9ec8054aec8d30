from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from bythebook.embedders.base import Embedder
from bythebook.lexicon import Lexicon
from bythebook.planning import selected_passage
from bythebook.questions import analyse
from bythebook.readers.base import ReaderSpec, Reading
from bythebook.relevance import Relevance, is_quotable
from bythebook.types import Block, BlockKind, Passage
from bythebook.units import units_of
from tests.builders import CAPTION, CODE, HEADER, HEADING, ITEM, ROW, P, make_passage

NODES = make_passage(
    (P, "Many people like robots. A node is a process that computes. Weather is nice."), id="nodes"
)
ARMS = make_passage((P, "An arm has joints. Motors turn the joints of an arm."), id="arms", rank=2)


@pytest.fixture
def relevance(embedder: Embedder) -> Relevance:
    return Relevance(Lexicon.of([NODES.chunk.text, ARMS.chunk.text, "Other words."]), embedder)


def best(relevance: Relevance, question: str, *passages: Passage) -> str:
    return relevance.score(analyse(question), passages)[0].unit.text


@dataclass
class Opinionated:
    """A reader that is sure of arms and doubts nodes, and remembers what it was told of them."""

    spec: ReaderSpec
    told: list[Sequence[float] | None] = field(default_factory=list)

    def read(
        self, question: str, passages: Sequence[str], closeness: Sequence[float] | None = None
    ) -> list[Reading]:
        del question
        self.told.append(closeness)
        return [Reading(0.8 if "arm" in text else 0.1, 0, 0, 0.0, 0, 0) for text in passages]

    def supports(self, claims: Sequence[str], passages: Sequence[str]) -> list[float]:
        raise NotImplementedError


def opinion(embedder: Embedder, revision: str) -> tuple[Relevance, Opinionated]:
    reader = Opinionated(ReaderSpec("opinionated", "1", revision))
    return Relevance(Lexicon.of([NODES.chunk.text, ARMS.chunk.text]), embedder, reader), reader


def test_the_reader_of_the_passage_that_is_quoted_first_counts_not_the_surest(
    embedder: Embedder,
) -> None:
    relevance, _ = opinion(embedder, "")
    question = analyse("What is a node?")
    assert best(relevance, question.text, ARMS, NODES) == "A node is a process that computes."
    assert relevance.answer_probability(question, [ARMS, NODES]) == 0.1


def test_the_reader_is_told_cosines_of_the_embedder_it_knows_and_of_no_other(
    embedder: Embedder,
) -> None:
    question = analyse("What is a node?")
    for revision, told in ((embedder.spec.revision, [NODES.score]), ("another", None)):
        relevance, reader = opinion(embedder, revision)
        relevance.score(question, [NODES])
        assert reader.told == [told]
    relevance, reader = opinion(embedder, embedder.spec.revision)
    relevance.score(question, [selected_passage("A node is a process.")])
    assert reader.told == [None]  # the similarity of marked text is 1 whatever is asked


def test_the_sentence_that_defines_the_thing_comes_first(relevance: Relevance) -> None:
    assert best(relevance, "What is a node?", ARMS, NODES) == "A node is a process that computes."


def test_units_come_best_first_and_each_once(relevance: Relevance) -> None:
    scored = relevance.score(analyse("What turns the joints of an arm?"), [NODES, ARMS])
    assert len({s.unit.key for s in scored}) == len(scored) == 5
    assert scored[0].unit.text == "Motors turn the joints of an arm."
    assert all(0.0 <= s.coverage <= 1.0 and 0.0 <= s.similarity <= 1.0 for s in scored)


def test_the_passage_with_the_sentence_that_answers_is_chosen(relevance: Relevance) -> None:
    weak = ARMS.model_copy(update={"score": 0.8, "rank": 1})
    strong = NODES.model_copy(update={"score": 0.8, "rank": 2})
    chosen = relevance.choose(analyse("What is a node?"), [weak, strong], 1)
    assert [passage.chunk.id for passage in chosen] == ["nodes"]


def test_no_more_passages_are_chosen_than_wanted_or_there(relevance: Relevance) -> None:
    question = analyse("What is a node?")
    assert len(relevance.choose(question, [NODES, ARMS], 1)) == 1
    assert len(relevance.choose(question, [NODES, ARMS], 5)) == 2
    assert relevance.choose(question, [], 5) == []


def test_nothing_found_gives_nothing_to_quote(relevance: Relevance) -> None:
    assert relevance.score(analyse("What is a node?"), []) == []


def test_the_same_question_on_another_selection_is_scored_anew(relevance: Relevance) -> None:
    question = analyse("What is a node?")
    first = relevance.score(question, [selected_passage("A node is a process.")])
    second = relevance.score(question, [selected_passage("A node is a knot in a rope.")])
    assert first[0].unit.text == "A node is a process."
    assert second[0].unit.text == "A node is a knot in a rope."


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (CAPTION, "Warning"),
        (HEADING, "Nodes"),
        (HEADER, "Name | Mass"),
        (P, "What is a node?"),
        (P, "----"),
        (P, "These are the steps:"),
    ],
)
def test_what_cannot_stand_alone_is_not_quoted(kind: BlockKind, text: str) -> None:
    units = units_of(make_passage((kind, text)))
    assert not is_quotable(units[0], units)


def test_sentences_items_rows_and_code_may_be_quoted() -> None:
    passage = make_passage(
        (P, "A node runs."), (ITEM, "One."), (CODE, "run"), (HEADER, "A | B"), (ROW, "1 | 2")
    )
    units = units_of(passage)
    assert [is_quotable(unit, units) for unit in units] == [True, True, True, False, True]


def test_an_announcement_is_quoted_with_what_it_announces() -> None:
    units = units_of(make_passage((P, "These are the steps:"), (ITEM, "Look.")))
    assert is_quotable(units[0], units)


def test_a_diagram_is_not_quoted() -> None:
    passage = make_passage((CODE, "graph TD; A-->B"))
    block = passage.chunk.blocks[0].model_copy(update={"language": "diagram"})
    chunk = passage.chunk.model_copy(update={"blocks": (block,)})
    units = units_of(passage.model_copy(update={"chunk": chunk}))
    assert not is_quotable(units[0], units)


def test_a_list_in_lists_costs_no_more_for_being_deep() -> None:
    # Asked anew at every level, thirty levels would be a billion questions.
    levels = 30
    text = "\n".join(f"level {number}:" for number in range(levels)) + "\nwhy?"
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    blocks = tuple(
        Block(kind=BlockKind.LIST_ITEM, start=start, end=start + len(line), depth=depth)
        for depth, (start, line) in enumerate(zip(starts, lines, strict=True))
    )
    chunk = NODES.chunk.model_copy(update={"text": text, "blocks": blocks})
    units = units_of(Passage(chunk=chunk, score=0.5, rank=1))
    assert sum(unit.is_announcement for unit in units) == levels
    assert not any(is_quotable(unit, units) for unit in units)

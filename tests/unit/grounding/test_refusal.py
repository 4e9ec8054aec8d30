from __future__ import annotations

import pytest

from bythebook.embedders.base import Embedder
from bythebook.grounding.refusal import Verdict, judge, refuse
from bythebook.lexicon import Lexicon
from bythebook.questions import analyse
from bythebook.relevance import Relevance
from bythebook.types import Mode, Passage, RefusalType, Retrieval
from tests.builders import P, make_passage

NODES = make_passage((P, "A node is a process that computes. It talks to other nodes."))
LEXICON = Lexicon.of([NODES.chunk.text, "An arm has joints.", "The weather is fine today."])


def retrieval(*passages: Passage) -> Retrieval:
    return Retrieval(passages=passages, total_candidates=3, threshold=0.4)


@pytest.fixture
def relevance(embedder: Embedder) -> Relevance:
    return Relevance(LEXICON, embedder)


def verdict(relevance: Relevance, question: str, *passages: Passage) -> Verdict:
    asked = analyse(question)
    return judge(relevance.focus(asked), relevance.score(asked, passages))


def test_a_question_that_a_sentence_answers_is_answered(relevance: Relevance) -> None:
    found = verdict(relevance, "What is a node?", NODES)
    assert found.answers
    assert found.missing_terms == ()


def test_a_question_on_something_else_is_not_answered(relevance: Relevance) -> None:
    found = verdict(relevance, "Who painted the ceiling of the Sistine Chapel?", NODES)
    assert not found.answers
    assert "Sistine" in found.missing_terms


def test_a_word_the_book_does_not_know_weakens_the_case(relevance: Relevance) -> None:
    known = verdict(relevance, "What is a node?", NODES)
    unknown = verdict(relevance, "What is a kubernetes node?", NODES)
    assert unknown.strength < known.strength
    assert unknown.missing_terms == ("kubernetes",)


def test_nothing_found_answers_nothing(relevance: Relevance) -> None:
    assert not verdict(relevance, "What is a node?").answers


def test_a_question_about_nothing_is_not_answered(relevance: Relevance) -> None:
    assert not verdict(relevance, "what is it?", NODES).answers


@pytest.mark.parametrize(
    ("mode", "kept", "found", "kind"),
    [
        (Mode.STANDARD_RAG, (), (), RefusalType.EMPTY_RETRIEVAL),
        (Mode.STANDARD_RAG, (), (NODES,), RefusalType.LOW_RELEVANCE),
        (Mode.STANDARD_RAG, (NODES,), (NODES,), RefusalType.INSUFFICIENT_GROUNDING),
        (Mode.SELECTED_TEXT_ONLY, (NODES,), (NODES,), RefusalType.SELECTED_TEXT_MISSING),
    ],
)
def test_the_type_of_a_refusal_tells_where_the_way_ended(
    mode: Mode, kept: tuple[Passage, ...], found: tuple[Passage, ...], kind: RefusalType
) -> None:
    refusal = refuse(mode, retrieval(*kept), found)
    assert refusal.type is kind
    assert refusal.explanation.endswith(".")


def test_a_weak_match_is_told_in_numbers() -> None:
    weak = NODES.model_copy(update={"score": 0.31})
    refusal = refuse(Mode.STANDARD_RAG, retrieval(), [weak])
    assert "0.31" in refusal.explanation
    assert "0.40" in refusal.explanation
    assert refusal.confidence.retrieval_quality == 0.31


def test_the_words_that_are_missing_are_named() -> None:
    refusal = refuse(Mode.STANDARD_RAG, retrieval(NODES), [NODES], ("kubernetes",))
    assert "'kubernetes'" in refusal.explanation
    assert refusal.missing_terms == ("kubernetes",)


def test_the_nearest_sections_are_offered_best_first_and_each_once() -> None:
    found = [
        make_passage((P, "x"), id=str(n), score=n / 10, heading_path=(f"Section {n // 2}",))
        for n in range(10)
    ]
    nearest = refuse(Mode.STANDARD_RAG, retrieval(), found).nearest
    assert [link.title for link in nearest] == ["Section 4", "Section 3", "Section 2"]
    assert all(link.url == "https://example.org/page#section" for link in nearest)


def test_marked_text_has_no_nearest_sections() -> None:
    assert refuse(Mode.SELECTED_TEXT_ONLY, retrieval(NODES), [NODES]).nearest == ()

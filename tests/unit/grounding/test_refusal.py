from __future__ import annotations

import pytest

from bythebook.calibration.values import USUAL_SCALE
from bythebook.embedders.base import Embedder
from bythebook.grounding.answerability import Decision, decide
from bythebook.grounding.refusal import Ground, refuse, section_of
from bythebook.grounding.signals import MEANINGS, Findings, measure
from bythebook.lexicon import Lexicon
from bythebook.questions import analyse
from bythebook.relevance import Relevance
from bythebook.types import Mode, Passage, Query, Refusal, RefusalReason, RefusalType, Retrieval
from tests.builders import P, make_passage

NODES = make_passage((P, "A node is a process that computes. It talks to other nodes."))
SPEED = make_passage((P, "The lidar is slower than the camera. Each scan takes 50 milliseconds."))
LEXICON = Lexicon.of(
    [NODES.chunk.text, SPEED.chunk.text, "An arm has joints.", "The weather is fine today."]
)


@pytest.fixture
def relevance(embedder: Embedder) -> Relevance:
    return Relevance(LEXICON, embedder)


def retrieval(*passages: Passage) -> Retrieval:
    return Retrieval(passages=passages, total_candidates=3, threshold=0.4)


def findings(relevance: Relevance, question: str, *passages: Passage) -> Findings:
    asked = analyse(question)
    scored = relevance.score(asked, passages)
    return Findings(relevance.focus(asked), scored, passages, [])


def decided(relevance: Relevance, question: str, *passages: Passage) -> Decision:
    return decide(measure(findings(relevance, question, *passages), USUAL_SCALE), None)


def refused(
    relevance: Relevance,
    question: str,
    *hits: Passage,
    kept: tuple[Passage, ...] | None = None,
    selected: str | None = None,
) -> Refusal:
    query = Query(text=question, selected_text=selected)
    found = findings(relevance, question, *hits)
    ground = Ground(query, retrieval(*(hits if kept is None else kept)), found)
    return refuse(ground, ground.contradiction())


def test_a_question_that_a_sentence_answers_is_likelier_than_one_on_something_else(
    relevance: Relevance,
) -> None:
    answered = decided(relevance, "What is a node?", NODES)
    other = decided(relevance, "Who painted the ceiling of the Sistine Chapel?", NODES)
    assert answered.probability > 0.5 > other.probability


def test_a_word_the_book_does_not_know_weakens_the_case(relevance: Relevance) -> None:
    known = decided(relevance, "What is a node?", NODES)
    unknown = decided(relevance, "What is a kubernetes node?", NODES)
    assert unknown.probability < known.probability


def test_a_question_for_a_name_is_weakened_when_no_name_is_there(relevance: Relevance) -> None:
    values = measure(findings(relevance, "Who invented the node?", NODES), USUAL_SCALE)
    assert values["no such thing"] == 1.0
    other = measure(findings(relevance, "What is a node?", NODES), USUAL_SCALE)
    assert other["no such thing"] == 0


def test_nothing_found_answers_nothing(relevance: Relevance) -> None:
    assert not decided(relevance, "What is a node?").answers


def test_a_question_about_nothing_is_not_answered(relevance: Relevance) -> None:
    assert not decided(relevance, "what is it?", NODES).answers


def test_every_signal_of_a_decision_has_a_meaning(relevance: Relevance) -> None:
    found = decided(relevance, "What is a node?", NODES)
    assert found.signals
    assert all(signal.meaning == MEANINGS[signal.name] for signal in found.signals)
    counted = [abs(signal.weight) for signal in found.signals]
    assert counted == sorted(counted, reverse=True)


@pytest.mark.parametrize(
    ("selected", "kept", "hits", "kind"),
    [
        (None, (), (), RefusalType.EMPTY_RETRIEVAL),
        (None, (), (NODES,), RefusalType.LOW_RELEVANCE),
        (None, (NODES,), (NODES,), RefusalType.INSUFFICIENT_GROUNDING),
        ("some text", (NODES,), (NODES,), RefusalType.SELECTED_TEXT_MISSING),
    ],
)
def test_the_type_of_a_refusal_tells_where_the_way_ended(
    relevance: Relevance,
    selected: str | None,
    kept: tuple[Passage, ...],
    hits: tuple[Passage, ...],
    kind: RefusalType,
) -> None:
    refusal = refused(relevance, "Does a node cost much?", *hits, kept=kept, selected=selected)
    assert refusal.type is kind
    assert refusal.explanation.endswith(".")


def test_a_weak_match_is_told_in_numbers(relevance: Relevance) -> None:
    weak = NODES.model_copy(update={"score": 0.31})
    refusal = refused(relevance, "What do nodes compute?", weak, kept=())
    assert "0.31" in refusal.explanation
    assert "0.40" in refusal.explanation
    assert refusal.confidence.retrieval_quality == 0.31


def test_words_that_the_book_does_not_have_are_named(relevance: Relevance) -> None:
    refusal = refused(relevance, "How does a kubernetes node talk?", NODES)
    assert refusal.reason is RefusalReason.NOT_IN_BOOK
    assert refusal.missing_terms == ("kubernetes",)
    assert "'kubernetes'" in refusal.explanation


def test_a_thing_that_is_named_but_not_explained_is_told_so(relevance: Relevance) -> None:
    refusal = refused(relevance, "How many nodes are there?", NODES)
    assert refusal.reason is RefusalReason.MENTIONED_NOT_EXPLAINED
    assert refusal.missing_terms == ()
    assert refusal.explanation == "The book speaks of this, but gives no number."


def test_a_question_for_another_book_is_off_topic(relevance: Relevance) -> None:
    refusal = refused(relevance, "Who painted the Sistine Chapel?", NODES)
    assert refusal.reason is RefusalReason.OFF_TOPIC


def test_a_question_that_names_nothing_is_unclear(relevance: Relevance) -> None:
    assert refused(relevance, "What is it?", NODES).reason is RefusalReason.UNCLEAR


def test_a_false_premise_is_met_with_what_the_book_says(relevance: Relevance) -> None:
    refusal = refused(relevance, "Why is the camera slower than the lidar?", SPEED)
    assert refusal.reason is RefusalReason.FALSE_PREMISE
    assert refusal.contradicted_by is not None
    assert refusal.contradicted_by.excerpt == "The lidar is slower than the camera."


def test_a_true_premise_is_no_false_one(relevance: Relevance) -> None:
    refusal = refused(relevance, "Why is the lidar slower than the camera?", SPEED)
    assert refusal.contradicted_by is None


def test_what_only_the_book_answers_is_named_without_its_text(relevance: Relevance) -> None:
    query = Query(text="What is a node?", selected_text="An arm has joints.")
    ground = Ground(query, retrieval(NODES), findings(relevance, query.text))
    refusal = refuse(ground, elsewhere=section_of(NODES.chunk))
    assert query.mode is Mode.SELECTED_TEXT_ONLY
    assert refusal.reason is RefusalReason.ONLY_OUTSIDE_SELECTION
    assert [link.title for link in refusal.nearest] == [NODES.chunk.section]
    assert "process that computes" not in refusal.model_dump_json()


def test_the_nearest_sections_come_best_first_and_once(relevance: Relevance) -> None:
    better = SPEED.model_copy(update={"score": 0.9})
    refusal = refused(relevance, "How many nodes are there?", NODES, NODES, better)
    assert len(refusal.nearest) <= 2
    assert refusal.nearest[0].title == SPEED.chunk.section


@pytest.mark.parametrize("text", ["thanks", "Hello there!", "ok", "Thank you very much."])
def test_small_talk_is_no_question_about_another_book(relevance: Relevance, text: str) -> None:
    assert refused(relevance, text, NODES).reason is RefusalReason.UNCLEAR


def test_one_unknown_word_does_not_make_another_book(relevance: Relevance) -> None:
    refusal = refused(relevance, "Who wrote this book?", NODES)
    assert refusal.reason is RefusalReason.NOT_IN_BOOK


def test_a_question_for_a_name_is_never_answered_without_one(relevance: Relevance) -> None:
    assert not decided(relevance, "Who invented the node that computes?", NODES).answers

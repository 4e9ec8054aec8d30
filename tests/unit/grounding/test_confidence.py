from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.grounding.confidence import assess
from bythebook.grounding.support import CheckedSentence
from bythebook.lexicon import Lexicon
from bythebook.types import Confidence, DraftSentence, Evidence, Passage
from tests.builders import P, make_focus, make_passage

TEXT = "A node is a process. It talks."
GOOD = make_passage((P, TEXT), id="good", score=0.9)
WEAK = make_passage((P, TEXT), id="weak", score=0.2)
LEXICON = Lexicon.of([TEXT, "An arm has joints."])
unit_interval = st.floats(0.0, 1.0)


def confidence(question: str, *sentences: tuple[str, Passage, float]) -> Confidence:
    checked = [
        CheckedSentence(
            DraftSentence(text=text), (Evidence(chunk_id=p.chunk.id, start=0, end=4),), support
        )
        for text, p, support in sentences
    ]
    passages = {passage.chunk.id: passage for passage in (GOOD, WEAK)}
    return assess(make_focus(question, LEXICON), checked, passages)


def test_an_answer_in_the_words_of_book_and_question_is_high() -> None:
    found = confidence("What is a node?", ("A node is a process.", GOOD, 1.0))
    assert found.coverage_score == found.entailment_score == found.lexical_overlap == 1.0
    assert found.retrieval_quality == 0.9
    assert found.level == "high"


def test_the_best_passage_cited_is_the_quality_of_retrieval() -> None:
    found = confidence("What is a node?", ("A node.", WEAK, 1.0), ("It talks.", GOOD, 1.0))
    assert found.retrieval_quality == 0.9


def test_the_weakest_sentence_is_the_support_of_the_whole() -> None:
    found = confidence("What is a node?", ("A node.", GOOD, 1.0), ("It talks.", GOOD, 0.7))
    assert found.entailment_score == 0.7


def test_words_that_are_not_in_the_book_lower_the_overlap() -> None:
    found = confidence("What is a node?", ("A node dreams.", GOOD, 0.8))
    assert 0.0 < found.lexical_overlap < 1.0


def test_a_question_that_is_half_answered_is_half_covered() -> None:
    whole = confidence("What is a node?", ("A node is a process.", GOOD, 1.0))
    half = confidence("What is a node with an arm?", ("A node is a process.", GOOD, 1.0))
    assert 0.0 < half.coverage_score < whole.coverage_score


def test_no_sentence_means_no_confidence() -> None:
    found = confidence("What is a node?")
    assert found.retrieval_quality == found.entailment_score == found.lexical_overlap == 0.0


@given(unit_interval, unit_interval, unit_interval, unit_interval)
def test_the_whole_is_the_weighted_average_of_document_000(
    retrieval: float, coverage: float, entailment: float, overlap: float
) -> None:
    made = Confidence(
        retrieval_quality=retrieval,
        coverage_score=coverage,
        entailment_score=entailment,
        lexical_overlap=overlap,
    )
    expected = 0.35 * retrieval + 0.25 * coverage + 0.25 * entailment + 0.15 * overlap
    assert made.overall == pytest.approx(expected)
    assert 0.0 <= made.overall <= 1.0
    level = "high" if made.overall >= 0.8 else "medium" if made.overall >= 0.6 else "low"
    assert made.level == level


@given(
    st.text(max_size=60),
    st.lists(st.tuples(st.text(max_size=60), st.sampled_from([GOOD, WEAK]), unit_interval)),
)
def test_every_factor_of_every_answer_lies_between_0_and_1(
    question: str, sentences: list[tuple[str, Passage, float]]
) -> None:
    found = confidence(question, *sentences)
    factors = found.model_dump(exclude={"level", "probability"})
    assert all(0.0 <= value <= 1.0 for value in factors.values())

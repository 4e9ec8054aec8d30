from __future__ import annotations

import pytest

from bythebook.evaluation import Form, Gold, Row, Verdict
from bythebook.evaluation.judging import Judge
from tests.unit.evaluation.outcomes import (
    BESIDE,
    GOLD,
    OTHER,
    PAGE,
    TEXT,
    answer,
    case,
    cite,
    failed,
    false_answer,
    false_refusal,
    outcome,
    passage,
    refusal,
    right,
    right_refusal,
    row,
    wrong_place,
)


@pytest.mark.parametrize(
    ("judged", "verdict"),
    [
        (right(), Verdict.RIGHT_ANSWER),
        (wrong_place(), Verdict.WRONG_PLACE),
        (false_refusal(), Verdict.FALSE_REFUSAL),
        (false_answer(), Verdict.FALSE_ANSWER),
        (right_refusal(), Verdict.RIGHT_REFUSAL),
        (failed(), Verdict.FAILED),
    ],
)
def test_each_outcome_has_its_verdict(judged: Row, verdict: Verdict) -> None:
    assert judged.verdict is verdict
    assert judged.verdict.is_right is verdict.value.startswith("right")


def test_one_citation_on_a_gold_page_makes_an_answer_right() -> None:
    other = passage("Lidar needs no light.", page=OTHER)
    given = answer(cite("Lidar needs no light.", other), cite(GOLD, passage(), index=2))
    judged = row(given, other, passage())
    assert judged.verdict is Verdict.RIGHT_ANSWER
    assert judged.measures.precision == judged.measures.precision_strict == 0.5
    assert judged.measures.page_rank == judged.measures.gold_rank == 2


def test_recall_counts_the_gold_sentences_that_are_quoted() -> None:
    gold = (Gold(text=GOLD), Gold(text=BESIDE))
    half = row(answer(cite(GOLD, passage())), gold=gold)
    assert (half.measures.recall, half.measures.gold_cited) == (0.5, True)
    whole = row(answer(cite(TEXT, passage())), gold=gold)
    assert (whole.measures.recall, whole.measures.precision_strict) == (1.0, 1.0)


def test_a_refusal_of_what_is_answerable_quotes_and_says_nothing() -> None:
    judged = false_refusal(key_points=("errors are integrated",))
    assert judged.measures.recall == judged.measures.key_points_said == 0.0
    assert judged.measures.gold_cited is False
    assert judged.measures.precision is None
    assert judged.measures.page_rank == 1  # it was found, and still refused


def test_what_does_not_apply_is_not_measured() -> None:
    for judged in (right_refusal(), false_answer(), failed()):
        assert not judged.measures.model_dump(exclude_none=True)
    pages_only = right(gold=())
    assert pages_only.measures.precision == 1.0
    assert pages_only.measures.recall is pages_only.measures.precision_strict is None


def test_a_quote_is_held_against_the_store_and_not_against_the_outcome() -> None:
    given = outcome(answer(cite(GOLD, passage())), passage())
    for stored, is_verbatim in ((TEXT, True), (TEXT.replace("IMU", "GPS"), False), (None, False)):
        texts = {} if stored is None else {passage().chunk.id: stored}
        (place,) = Judge(texts).judge(case(), frozenset({PAGE}), given).citations
        assert place.is_verbatim is is_verbatim


def test_offsets_beside_the_quoted_words_are_not_verbatim() -> None:
    (place,) = row(answer(cite(GOLD, passage(), shift=1))).citations
    assert not place.is_verbatim


def test_marked_text_is_judged_by_its_words() -> None:
    selected: dict[str, object] = {"form": Form.SELECTED, "selected_text": TEXT}
    judged = right(**selected)
    assert judged.verdict is Verdict.RIGHT_ANSWER
    assert all(place.is_verbatim for place in judged.citations)
    assert judged.measures.precision is judged.measures.page_rank is None
    beside = row(answer(cite(BESIDE, passage())), **selected)
    assert beside.verdict is Verdict.WRONG_PLACE
    elsewhere = row(answer(cite(GOLD, passage())), form=Form.SELECTED, selected_text="Other words.")
    assert not any(place.is_verbatim for place in elsewhere.citations)


@pytest.mark.parametrize(
    ("completed", "understood"),
    [("Why does the IMU drift so much?", True), ("Why does it drift?", False)],
)
def test_a_follow_up_is_understood_when_no_telling_word_is_lost(
    completed: str, understood: bool
) -> None:
    follow_up = case(form=Form.FOLLOW_UP, turns=("IMU?", "Why drift?"), standalone="Why IMU drift?")
    judged = Judge({}).judge(follow_up, frozenset(), outcome(refusal(), text=completed))
    assert judged.understood_as == completed
    assert judged.measures.understood is understood


def test_a_row_tells_why_it_was_refused() -> None:
    judged = row(refusal(missing_terms=("rollout",)))
    assert judged.told.reason == "mentioned_not_explained"
    assert judged.told.refusal_type == "insufficient_grounding"
    assert judged.told.missing_terms == ("rollout",)

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.grounding.claims import SUPPORT_FLOOR
from bythebook.grounding.support import CheckedSentence, check
from bythebook.planning import selected_passage
from bythebook.readers.base import ReaderSpec, Reading
from bythebook.types import Draft, DraftSentence, Evidence, Passage
from bythebook.units import units_of
from tests.builders import CODE, HEADER, ROW, P, make_passage

BOOK = make_passage(
    (P, "The robot weighs 40 kg and walks at 2 m/s. It does not swim in deep water."),
    (CODE, "ros2 run demo talker"),
    (HEADER, "Joint | Torque"),
    (ROW, "knee | 80 Nm"),
)


def evidence(excerpt: str, passage: Passage = BOOK) -> Evidence:
    start = passage.chunk.text.index(excerpt)
    return Evidence(chunk_id=passage.chunk.id, start=start, end=start + len(excerpt))


def gate(sentence: DraftSentence, passage: Passage = BOOK) -> list[CheckedSentence]:
    return check(Draft(sentences=(sentence,), model="test"), [passage])


def test_the_words_of_the_book_pass_with_full_support() -> None:
    text = "It does not swim in deep water."
    (passed,) = gate(DraftSentence(text=text, evidence=(evidence(text),)))
    assert passed.support == 1.0
    assert passed.evidence == (evidence(text),)


def test_a_different_line_break_is_no_different_word() -> None:
    text = "It does not swim in deep water."
    assert gate(DraftSentence(text=text.replace(" ", "\n"), evidence=(evidence(text),)))


@pytest.mark.parametrize(
    "claim",
    [
        "The robot weighs 45 kg and walks at 2 m/s.",
        "The robot does not weigh 40 kg and walks at 2 m/s.",
        "Quantum gravity explains the spin of electrons.",
        "The robot was invented by aliens on Mars long ago.",
        "?!",
        "",
    ],
)
def test_a_claim_the_book_does_not_make_is_dropped(claim: str) -> None:
    span = evidence("The robot weighs 40 kg and walks at 2 m/s.")
    assert gate(DraftSentence(text=claim, evidence=(span,))) == []
    assert gate(DraftSentence(text=claim)) == []


def test_a_not_that_the_book_says_may_not_be_left_out() -> None:
    span = evidence("It does not swim in deep water.")
    assert gate(DraftSentence(text="It does swim in deep water.", evidence=(span,))) == []


def test_a_sentence_without_evidence_is_given_the_place_that_carries_it() -> None:
    (passed,) = gate(DraftSentence(text="The robot weighs 40 kg."))
    (span,) = passed.evidence
    assert BOOK.chunk.text[span.start : span.end].startswith("The robot weighs 40 kg")
    assert passed.support >= SUPPORT_FLOOR


@pytest.mark.parametrize(
    "outside",
    [
        Evidence(chunk_id="unknown", start=0, end=5),
        Evidence(chunk_id="chunk-1", start=0, end=100_000),
        Evidence(chunk_id="chunk-1", start=5, end=5),
        Evidence(chunk_id="chunk-1", start=9, end=2),
    ],
)
def test_evidence_outside_the_passages_is_never_trusted(outside: Evidence) -> None:
    assert gate(DraftSentence(text="Aliens built the pyramids.", evidence=(outside,))) == []
    (passed,) = gate(DraftSentence(text="The robot weighs 40 kg.", evidence=(outside,)))
    assert outside not in passed.evidence


def test_every_span_offered_must_carry_the_sentence() -> None:
    text = "It does not swim in deep water."
    spans = (evidence(text), evidence("ros2 run demo talker"))
    assert gate(DraftSentence(text=text, evidence=spans)) == []


def test_code_passes_only_word_for_word() -> None:
    span = evidence("ros2 run demo talker")
    exact = DraftSentence(text="ros2 run demo talker", evidence=(span,), layout="code")
    changed = exact.model_copy(update={"text": "ros2 run talker demo"})
    assert gate(exact)
    assert gate(changed) == []


def test_a_row_under_its_own_headers_passes() -> None:
    span = evidence("knee | 80 Nm")
    row = DraftSentence(text="Joint: knee; Torque: 80 Nm", evidence=(span,), layout="item")
    assert [passed.support for passed in gate(row)] == [1.0]


def test_a_row_with_a_changed_cell_is_dropped() -> None:
    span = evidence("knee | 80 Nm")
    row = DraftSentence(text="Joint: knee; Torque: 90 Nm", evidence=(span,), layout="item")
    assert gate(row) == []


def test_markdown_of_marked_text_does_not_count_as_words() -> None:
    marked = selected_passage("A **node** is a [process](https://example.org).")
    span = evidence(marked.chunk.text, marked)
    (passed,) = gate(DraftSentence(text="A node is a process.", evidence=(span,)), marked)
    assert passed.support == 1.0


def test_an_empty_draft_gives_nothing() -> None:
    assert check(Draft(sentences=(), model="test"), [BOOK]) == []
    assert check(Draft(sentences=(DraftSentence(text="A node."),), model="test"), []) == []


@given(st.text(), st.integers(0, 200), st.integers(0, 200), st.sampled_from(["chunk-1", "x"]))
def test_whatever_a_writer_offers_what_passes_lies_inside_the_book(
    text: str, start: int, end: int, chunk_id: str
) -> None:
    offered = Evidence(chunk_id=chunk_id, start=start, end=end)
    for passed in gate(DraftSentence(text=text, evidence=(offered,))):
        assert SUPPORT_FLOOR <= passed.support <= 1.0
        assert passed.evidence
        for span in passed.evidence:
            assert span.chunk_id == BOOK.chunk.id
            assert 0 <= span.start < span.end <= len(BOOK.chunk.text)


@given(st.data())
def test_every_unit_of_the_book_carries_itself(data: st.DataObject) -> None:
    unit = data.draw(st.sampled_from(units_of(BOOK)))
    span = Evidence(chunk_id=BOOK.chunk.id, start=unit.start, end=unit.end)
    (passed,) = gate(DraftSentence(text=unit.text, evidence=(span,)))
    assert passed.support == 1.0


class Undecided:
    """A reader with no opinion: the rules decide."""

    spec = ReaderSpec("undecided", "1")

    def read(
        self, question: str, passages: Sequence[str], closeness: Sequence[float] | None = None
    ) -> list[Reading]:
        raise NotImplementedError

    def supports(self, claims: Sequence[str], passages: Sequence[str]) -> list[float]:
        del passages
        return [0.5] * len(claims)


def test_a_place_that_is_not_in_the_passages_earns_no_trust() -> None:
    passage = make_passage((P, "A node publishes messages to a topic."))
    text = "A node basically publishes messages to a topic simply."
    shown = evidence(passage.chunk.text, passage)
    nowhere = Evidence(chunk_id="nowhere", start=0, end=10)
    passed = {
        name: bool(
            check(
                Draft(sentences=(DraftSentence(text=text, evidence=places),), model="test"),
                [passage],
                Undecided(),
            )
        )
        for name, places in {"shown": (shown,), "nowhere": (nowhere,), "none": ()}.items()
    }
    assert passed == {"shown": True, "nowhere": False, "none": False}

"""A trained reader and the rules, weighed. The reader here says what the test wants it to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bythebook.checking import check_pair
from bythebook.grounding.claims import SUPPORT_FLOOR, Finding
from bythebook.grounding.judging import judge, the_scales
from bythebook.grounding.support import check
from bythebook.readers.base import Reader, ReaderSpec, Reading
from bythebook.types import Draft, DraftSentence
from tests.builders import P, make_passage

SOURCE = "The gripper closes when the pressure reaches 6 bar. Leaks are rare."
RETOLD = "Once 6 bar of pressure are there, the hand shuts."


@dataclass
class Saying:
    """A reader with one opinion."""

    probability: float
    asked: list[tuple[str, str]] = field(default_factory=list)
    spec: ReaderSpec = field(default_factory=lambda: ReaderSpec("saying", "1"))

    def read(
        self, question: str, passages: Sequence[str], closeness: Sequence[float] | None = None
    ) -> list[Reading]:
        raise NotImplementedError

    def supports(self, claims: Sequence[str], passages: Sequence[str]) -> list[float]:
        self.asked += zip(claims, passages, strict=True)
        return [self.probability] * len(claims)


def support(reader: Reader, claim: str, source: str = SOURCE) -> float:
    return judge(reader, [claim], [source])[0].support


def test_a_retelling_passes_when_the_reader_is_sure_of_it() -> None:
    assert support(Saying(0.999), RETOLD) >= SUPPORT_FLOOR
    assert support(Saying(0.3), RETOLD) < SUPPORT_FLOOR


@pytest.mark.parametrize(
    "claim",
    [
        "The gripper closes when the pressure reaches 8 bar.",
        "The gripper closes when the pressure reaches 6 mbar.",
        "The gripper closes when `/pressure` reaches 6 bar.",
    ],
)
def test_no_reader_talks_the_gate_out_of_a_figure_or_a_name(claim: str) -> None:
    reader = Saying(1.0)
    assert support(reader, claim) == 0.0
    assert reader.asked == []


def test_the_words_of_the_book_need_no_opinion() -> None:
    reader = Saying(0.0)
    assert support(reader, "Leaks are rare.") == 1.0
    assert reader.asked == []


def test_a_reader_can_take_out_what_the_rules_would_let_through() -> None:
    claim = "Leaks are rare when the pressure reaches 6 bar."
    assert support(Saying(0.001), claim) < SUPPORT_FLOOR


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_reader_that_is_surer_never_makes_less_of_a_claim(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert support(Saying(less), RETOLD) <= support(Saying(more), RETOLD) + 1e-12


@given(st.sets(st.sampled_from(sorted(the_scales().rules))), st.floats(0.0, 1.0))
def test_a_broken_rule_never_speaks_for_a_claim(rules: set[str], probability: float) -> None:
    findings = [Finding(rule, "") for rule in rules]
    scales = the_scales()
    assert scales.weigh(findings, probability) <= scales.weigh([], probability)


def test_the_gate_asks_the_reader_about_the_likeliest_places_only() -> None:
    passages = [
        make_passage((P, SOURCE + f" Valve {n} is blue. It was made in Ulm."), id=f"p{n}")
        for n in range(5)
    ]
    reader = Saying(0.999)
    draft = Draft(sentences=(DraftSentence(text=RETOLD),), model="test")
    (passed,) = check(draft, passages, reader)
    assert len(reader.asked) <= 3
    (span,) = passed.evidence
    chunk = next(p.chunk for p in passages if p.chunk.id == span.chunk_id)
    assert "6 bar" in chunk.text[span.start : span.end]
    assert check(draft, passages, Saying(0.01)) == []


def test_markup_is_for_the_rules_alone() -> None:
    passage = make_passage((P, "The badge shows <img src=x> on its display."))
    text = "The badge shows &lt;img src=x&gt; on its display."
    draft = Draft(sentences=(DraftSentence(text=text),), model="test")
    assert check(draft, [passage], Saying(1.0)) == []


def test_a_reader_that_is_not_convinced_gives_a_reason_too() -> None:
    verdict = check_pair("The pressure reaches 6 bar.", SOURCE, Saying(0.0))
    assert not verdict.supported
    assert verdict.reasons

"""Whether the book answers at all, and if not, why, in words a reader can use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bythebook.focus import Focus
from bythebook.links import section_link
from bythebook.relevance import ScoredUnit
from bythebook.types import (
    Confidence,
    Mode,
    Passage,
    Refusal,
    RefusalType,
    Retrieval,
    SectionLink,
)

# The book answers when the best of the first units speaks to the question, less what the words that
# the book does not have speak against it: any special one, and the shares of both sorts. Found by
# logistic regression over 165 questions on two books (the sample book and the Rust book), rounded;
# docs/quality.md has the table. Run tools/quality.py on both before changing any.
_COVERAGE_WEIGHT = 0.3
_SIMILARITY_WEIGHT = 0.7
_ANY_SPECIAL_COST = 0.2
_SPECIAL_COST = 0.2
_EVERYDAY_COST = 0.35
ANSWER_FLOOR = 0.44
_FIRST_UNITS = 3

_NEAREST = 3


@dataclass(frozen=True)
class Verdict:
    """Whether the book answers, and the signals behind it."""

    answers: bool
    strength: float
    missing_terms: tuple[str, ...]


def judge(focus: Focus, scored: Sequence[ScoredUnit]) -> Verdict:
    """Weigh the best unit found against what the question asks."""
    unknown = focus.unknown()
    if not scored or not focus.total:
        return Verdict(False, 0.0, tuple(unknown))
    found = max(
        _COVERAGE_WEIGHT * unit.coverage + _SIMILARITY_WEIGHT * unit.similarity
        for unit in scored[:_FIRST_UNITS]
    )
    strength = found - _unknown_cost(focus, unknown)
    return Verdict(strength >= ANSWER_FLOOR, strength, tuple(unknown))


def _unknown_cost(focus: Focus, unknown: Mapping[str, bool]) -> float:
    """Return what the words that the book does not have speak against an answer."""
    special = sum(not everyday for everyday in unknown.values())
    everyday = len(unknown) - special
    shares = _SPECIAL_COST * special + _EVERYDAY_COST * everyday
    return _ANY_SPECIAL_COST * bool(special) + shares / len(focus.question.terms)


def refuse(
    mode: Mode,
    retrieval: Retrieval,
    found: Sequence[Passage],
    missing_terms: tuple[str, ...] = (),
) -> Refusal:
    """Return the refusal that fits: `found` are the hits before the threshold was applied."""
    kind = _type(mode, retrieval, found)
    top = max((passage.score for passage in found), default=0.0)
    return Refusal(
        type=kind,
        explanation=_explain(kind, retrieval.threshold, top, missing_terms),
        missing_terms=missing_terms,
        nearest=() if mode is Mode.SELECTED_TEXT_ONLY else tuple(_nearest(found)),
        confidence=Confidence(
            retrieval_quality=top, coverage_score=0.0, entailment_score=0.0, lexical_overlap=0.0
        ),
    )


def _type(mode: Mode, retrieval: Retrieval, found: Sequence[Passage]) -> RefusalType:
    if mode is Mode.SELECTED_TEXT_ONLY:
        return RefusalType.SELECTED_TEXT_MISSING
    if not found:
        return RefusalType.EMPTY_RETRIEVAL
    if not retrieval.passages:
        return RefusalType.LOW_RELEVANCE
    return RefusalType.INSUFFICIENT_GROUNDING


def _explain(kind: RefusalType, threshold: float, top: float, missing: Sequence[str]) -> str:
    if kind is RefusalType.SELECTED_TEXT_MISSING:
        return "No sentence of the selected text answers the question."
    if kind is RefusalType.EMPTY_RETRIEVAL:
        return "No passage of the book was found for the question."
    if kind is RefusalType.LOW_RELEVANCE:
        closest = (
            f"its nearest passage has a similarity of {top:.3f}, and {threshold:.2f} is needed"
        )
        return f"Nothing in the book comes close to the question: {closest}."
    if missing:
        words = ", ".join(f"'{word}'" for word in missing)
        return f"The book never speaks of {words}, and no sentence of it answers the question."
    return "Passages on the subject were found, but no sentence of them answers the question."


def _nearest(found: Sequence[Passage]) -> list[SectionLink]:
    links: dict[tuple[str, str], SectionLink] = {}
    for passage in sorted(found, key=lambda p: p.score, reverse=True):
        chunk = passage.chunk
        place = (chunk.page_path, chunk.section)
        links.setdefault(
            place,
            SectionLink(title=chunk.section, page_title=chunk.page_title, url=section_link(chunk)),
        )
    return list(links.values())[:_NEAREST]

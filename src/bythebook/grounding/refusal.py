"""A refusal that teaches: why there is no answer, in words a reader can use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bythebook.expectations import Expected, offers
from bythebook.grounding.answer import cite
from bythebook.grounding.premises import contradicting
from bythebook.grounding.signals import Findings
from bythebook.languages import foreign_language
from bythebook.links import section_link
from bythebook.markup import inert
from bythebook.relevance import ScoredUnit
from bythebook.terms import stem_set
from bythebook.types import (
    BlockKind,
    Chunk,
    Citation,
    Confidence,
    Mode,
    Passage,
    Query,
    Refusal,
    RefusalReason,
    RefusalType,
    Retrieval,
    SectionLink,
)

_NEAREST = 3
_SMALL_TALK = re.compile(
    r"^\W*(?:thanks?|thank you|hi|hello|hey|ok|okay|yes|no|cool|great|nice|good \w+|bye|goodbye)\b"
    r"(?:\W*(?:so|very|much|a lot|there|again|you))*\W*$",
    re.IGNORECASE,
)
# When more of the question's words than this are unknown to the book, it is about something else.
_MOSTLY_UNKNOWN = 0.5


@dataclass(frozen=True)
class Ground:
    """All that is known when a question is refused."""

    query: Query
    retrieval: Retrieval
    findings: Findings
    is_asking: bool = True  # whether there is more to the question than orders to a model

    def contradiction(self) -> ScoredUnit | None:
        """Return the unit that contradicts what the question takes for granted, if one does."""
        scored = self.findings.scored
        number = contradicting(self.query.text, (found.unit.text for found in scored))
        return None if number is None else scored[number]


def refuse(
    ground: Ground, premise: ScoredUnit | None = None, elsewhere: SectionLink | None = None
) -> Refusal:
    """Return the refusal that fits.

    `premise` is the unit that contradicts the question; `elsewhere` the section of the book that
    answers what a marked text does not.
    """
    hits = ground.findings.hits
    missing = ground.findings.focus.unspoken()
    reason = _reason(ground, missing, premise, elsewhere)
    top = max((passage.score for passage in hits), default=0.0)
    return Refusal(
        type=_type(ground.query.mode, ground.retrieval, hits),
        reason=reason,
        explanation=_explain(reason, ground, missing, elsewhere),
        missing_terms=missing,
        nearest=_links(ground.query.mode, hits, elsewhere),
        contradicted_by=_contradiction(premise) if premise else None,
        confidence=Confidence(
            retrieval_quality=top, coverage_score=0.0, entailment_score=0.0, lexical_overlap=0.0
        ),
    )


def section_of(chunk: Chunk) -> SectionLink:
    """Return the section a passage stands in, with its link."""
    return SectionLink(title=chunk.section, page_title=chunk.page_title, url=section_link(chunk))


def _type(mode: Mode, retrieval: Retrieval, found: Sequence[Passage]) -> RefusalType:
    if mode is Mode.SELECTED_TEXT_ONLY:
        return RefusalType.SELECTED_TEXT_MISSING
    if not found:
        return RefusalType.EMPTY_RETRIEVAL
    if not retrieval.passages:
        return RefusalType.LOW_RELEVANCE
    return RefusalType.INSUFFICIENT_GROUNDING


def _reason(
    ground: Ground,
    missing: Sequence[str],
    premise: ScoredUnit | None,
    elsewhere: SectionLink | None,
) -> RefusalReason:
    terms = ground.findings.focus.question.terms
    is_asking = any(len(word) > 2 or word.isdigit() for word in terms.values())
    if not ground.is_asking or not is_asking or _SMALL_TALK.match(ground.query.text):
        return RefusalReason.UNCLEAR
    if premise:
        return RefusalReason.FALSE_PREMISE
    if elsewhere:
        return RefusalReason.ONLY_OUTSIDE_SELECTION
    if len(missing) > _MOSTLY_UNKNOWN * len(terms) and not ground.retrieval.passages:
        return RefusalReason.OFF_TOPIC
    if len(missing) == len(terms) > 1:
        return RefusalReason.OFF_TOPIC
    is_mentioned = not missing and _mentions(ground)
    return RefusalReason.MENTIONED_NOT_EXPLAINED if is_mentioned else RefusalReason.NOT_IN_BOOK


def _mentions(ground: Ground) -> bool:
    """Tell whether a passage speaks of what is asked, at least of half of it."""
    focus = ground.findings.focus
    places = (f"{hit.chunk.context} {hit.chunk.text}" for hit in ground.findings.hits)
    return any(focus.share(stem_set(place)) >= 0.5 for place in places)


def _explain(
    reason: RefusalReason, ground: Ground, missing: Sequence[str], elsewhere: SectionLink | None
) -> str:
    language = foreign_language(missing)
    match reason:
        case RefusalReason.OFF_TOPIC | RefusalReason.NOT_IN_BOOK if language:
            return (
                f"The question seems to be in {language}, which this book does not use:"
                " ask in the book's language."
            )
        case RefusalReason.UNCLEAR if not ground.is_asking:
            return "This gives orders to a model and asks nothing of the book."
        case RefusalReason.UNCLEAR:
            return (
                "It is not clear what is asked: the question names nothing that could be looked up."
            )
        case RefusalReason.FALSE_PREMISE:
            return "The question takes something for granted that the book contradicts."
        case RefusalReason.ONLY_OUTSIDE_SELECTION:
            where = inert(elsewhere.title) if elsewhere else ""
            return f"The selected text does not answer this; the book speaks of it under '{where}'."
        case RefusalReason.OFF_TOPIC:
            return f"This book is about something else{_never_speaks(missing)}."
        case RefusalReason.NOT_IN_BOOK if missing:
            words = _listed(missing)
            return f"The book never speaks of {words}, and no sentence of it answers the question."
        case _:
            return _what_is_lacking(ground)


def _what_is_lacking(ground: Ground) -> str:
    retrieval, hits = ground.retrieval, ground.findings.hits
    if ground.query.mode is Mode.SELECTED_TEXT_ONLY:
        return "No sentence of the selected text answers the question."
    if not hits:
        return "No passage of the book was found for the question."
    if not retrieval.passages:
        top = max(passage.score for passage in hits)
        return (
            "Nothing in the book comes close to the question: its nearest passage has a similarity"
            f" of {top:.3f}, and {retrieval.threshold:.2f} is needed."
        )
    kind = ground.findings.focus.expected
    if kind in _KINDS and not _offered(kind, ground.findings.scored):
        return f"The book speaks of this, but gives no {_KINDS[kind]}."
    return "Passages on the subject were found, but no sentence of them answers the question."


_KINDS = {
    Expected.NUMBER: "number",
    Expected.DATE: "date",
    Expected.PERSON: "name",
    Expected.PLACE: "place",
    Expected.COMMAND: "command",
    Expected.ADDRESS: "address",
    Expected.PRICE: "price",
}


def _offered(kind: Expected, scored: Sequence[ScoredUnit]) -> bool:
    units = [found.unit for found in scored]
    return any(offers(kind, u.text, is_code=u.kind is BlockKind.CODE) for u in units)


def _never_speaks(missing: Sequence[str]) -> str:
    return f"; it never speaks of {_listed(missing)}" if missing else ""


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _contradiction(premise: ScoredUnit) -> Citation:
    unit = premise.unit
    return cite(1, unit.start, unit.end, unit.passage)


def _links(
    mode: Mode, hits: Sequence[Passage], elsewhere: SectionLink | None
) -> tuple[SectionLink, ...]:
    if mode is Mode.SELECTED_TEXT_ONLY:
        return (elsewhere,) if elsewhere else ()
    sections: dict[tuple[str, str], SectionLink] = {}
    for hit in sorted(hits, key=lambda hit: hit.score, reverse=True):
        sections.setdefault((hit.chunk.page_path, hit.chunk.section), section_of(hit.chunk))
    return tuple(sections.values())[:_NEAREST]

"""What speaks for and against the book answering a question, each as a number with a meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bythebook.calibration.values import Scale
from bythebook.definitions import definition_strength
from bythebook.expectations import TELLING, offers
from bythebook.focus import Focus
from bythebook.grounding.support import CheckedSentence
from bythebook.questions import QuestionKind
from bythebook.relevance import ScoredUnit
from bythebook.terms import stem_set
from bythebook.types import BlockKind, Evidence, Passage
from bythebook.units import units_of

# The units that are looked at: the one that answers is among the first three for most questions.
_FIRST_UNITS = 3
_FIRST_PASSAGES = 5
_SURE = 0.01
# The reader reads lists, tables and code less well than prose: where the draft shows some, so much
# of its doubt counts. The weights are fitted to what it says itself (docs/evaluation.md).
_SET_APART = 0.7

MEANINGS = {
    "nearest sentence": "how close the closest sentence comes to the question in meaning",
    "covered": "the share of the question's words that the best sentence and its place speak of",
    "nearest passage": "how close the closest passage comes",
    "stands out": "how far the closest passage is ahead of the others",
    "one page": "the share of the first passages that stand on the page of the best sentence",
    "rarest word": "whether the question's most telling word stands by the best sentences",
    "unsaid": "the share of the question that none of the best sentences speaks of",
    "special unknown": "whether the question has a special word that the book does not",
    "special share": "the share of such words in the question",
    "everyday share": "the share of everyday words in the question that the book does not have",
    "wrong kind": "whether the asked-for number, reason or command is missing",
    "no such thing": "whether the asked-for date, person, place, address or price is missing",
    "defined": "whether a sentence says what the asked-for thing is",
    "answered words": "the share of the question that the drafted answer speaks of",
    "support": "how well the book carries the weakest sentence of the draft",
    "reader": "how sure the trained reader is that a passage answers",
    "read here": "how sure it is that the answer stands in the drafted sentences",
}

# Those that speak against an answer; all others speak for it.
AGAINST = frozenset(
    ("unsaid", "special unknown", "special share", "everyday share", "wrong kind", "no such thing")
)


@dataclass(frozen=True)
class Findings:
    """Everything that is known about a question when it is decided."""

    focus: Focus
    scored: Sequence[ScoredUnit]
    hits: Sequence[Passage]
    checked: Sequence[CheckedSentence]
    reader: float | None = None  # what a trained reader says, when there is one


def measure(found: Findings, scale: Scale, *, for_fitting: bool = False) -> dict[str, float]:
    """Return every signal by its name; a question about nothing, or nothing found, has none.

    For fitting, the reader's doubt is taken as it is.
    """
    focus, first = found.focus, found.scored[:_FIRST_UNITS]
    if not first or not focus.total:
        return {}
    places = [scale.place(scored.similarity) for scored in first]
    evidence = frozenset().union(*map(_evidence, first))
    values = {
        "nearest sentence": max(places),
        "covered": max(scored.coverage for scored in first),
        "rarest word": _has_rarest(focus, evidence),
        "unsaid": 1 - focus.share(evidence),
        "answered words": _answered(found),
        "support": min((sentence.support for sentence in found.checked), default=0.0),
    }
    values |= _kind(found, first)
    values |= _passages(found.hits, first[0], scale)
    values |= _unknown(focus)
    values |= _definition(focus, found.scored)
    if found.reader is not None:
        said = _odds(found.reader)
        values |= {
            "reader": said if for_fitting else _allowing(said, found),
            "read here": _read_here(found),
        }
    return values


def _allowing(said: float, found: Findings) -> float:
    """Return what the reader says, with less of its doubt where not all of a draft is prose."""
    is_set_apart = any(checked.sentence.layout != "prose" for checked in found.checked)
    return said * _SET_APART if said < 0 and is_set_apart else said


def _odds(probability: float) -> float:
    """Return a probability as log-odds between -1 and 1, of which 0 is even."""
    certain = min(max(probability, _SURE), 1 - _SURE)
    return math.log(certain / (1 - certain)) / math.log((1 - _SURE) / _SURE)


def _read_here(found: Findings) -> float:
    spans = [span for sentence in found.checked for span in sentence.evidence]
    return min(
        1.0,
        sum(
            scored.answer
            for scored in found.scored
            if any(_overlaps(scored, span) for span in spans)
        ),
    )


def _overlaps(scored: ScoredUnit, span: Evidence) -> bool:
    unit = scored.unit
    is_same = unit.passage.chunk.id == span.chunk_id
    return is_same and unit.start < span.end and span.start < unit.end


def _evidence(scored: ScoredUnit) -> frozenset[str]:
    unit = scored.unit
    lead = units_of(unit.passage)[unit.introduced_by].text if unit.introduced_by is not None else ""
    return stem_set(f"{unit.header} {unit.text} {lead}") | stem_set(unit.passage.chunk.context)


def _has_rarest(focus: Focus, evidence: frozenset[str]) -> float:
    rarest = max(focus.weights, key=lambda term: focus.weights[term])
    return float(focus.speaks_of(rarest, evidence))


def _kind(found: Findings, first: Sequence[ScoredUnit]) -> dict[str, float]:
    kind = found.focus.expected
    units = [(s.unit.text, s.unit.kind is BlockKind.CODE) for s in first]
    drafted = [(c.sentence.text, c.sentence.layout == "code") for c in found.checked]
    is_missing = kind is not None and not any(
        offers(kind, text, is_code=code) for text, code in units + drafted
    )
    is_telling = kind in TELLING
    return {
        "wrong kind": float(is_missing and not is_telling),
        "no such thing": float(is_missing and is_telling),
    }


def _answered(found: Findings) -> float:
    text = " ".join(sentence.sentence.text for sentence in found.checked)
    cited = {span.chunk_id for sentence in found.checked for span in sentence.evidence}
    contexts = {
        s.unit.passage.chunk.context for s in found.scored if s.unit.passage.chunk.id in cited
    }
    return found.focus.share(stem_set(text).union(*map(stem_set, contexts)))


def _passages(hits: Sequence[Passage], best: ScoredUnit, scale: Scale) -> dict[str, float]:
    scores = sorted((scale.place(hit.score) for hit in hits), reverse=True)
    others = scores[_FIRST_PASSAGES:] or scores[-1:]
    page = best.unit.passage.chunk.page_path
    first = [hit for hit in hits if hit.rank <= _FIRST_PASSAGES] or list(hits)
    return {
        "nearest passage": scores[0],
        "stands out": scores[0] - sum(others) / len(others),
        "one page": sum(hit.chunk.page_path == page for hit in first) / len(first),
    }


def _unknown(focus: Focus) -> dict[str, float]:
    unknown: Mapping[str, bool] = focus.unknown()
    special = sum(not everyday for everyday in unknown.values())
    terms = len(focus.question.terms)
    return {
        "special unknown": float(special > 0),
        "special share": special / terms,
        "everyday share": (len(unknown) - special) / terms,
    }


def _definition(focus: Focus, scored: Sequence[ScoredUnit]) -> dict[str, float]:
    if focus.question.kind is not QuestionKind.DEFINITION or not focus.question.subject:
        return {"defined": 0.0}
    strength = max((definition_strength(focus, s.unit) for s in scored), default=0.0)
    return {"defined": strength}

"""How well each quotable unit answers a question: its words, its meaning, its form.

Three views are added up. *Coverage*: the share of the question's telling words that the unit or
the place it stands in speaks of. *Similarity*: the cosine of the unit to the question, computed
for a short list only, because it costs time. *Form*: whether the unit is the kind of sentence
that was asked for, such as a definition or a number.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from bythebook.definitions import definition_strength
from bythebook.embedders.base import Embedder
from bythebook.expectations import TELLING, offers
from bythebook.focus import Focus
from bythebook.hostile import speaks_to_a_model, without_orders
from bythebook.lexicon import Lexicon
from bythebook.questions import Question, QuestionKind
from bythebook.readers.base import Reader
from bythebook.readers.passages import Place, peruse
from bythebook.terms import stem_set
from bythebook.types import BlockKind, Passage
from bythebook.units import Unit, introduced, units_of

# How much a word counts by where it stands: in the unit, in the sentence that introduces it, in
# the headings above it, elsewhere in the same passage.
_IN_UNIT = 1.0
_IN_LEAD = 0.85
_IN_HEADING = 0.7
_IN_PASSAGE = 0.35

# The parts of the score, found by a grid search for how often the first of the units is the one
# that answers: 62 of 100 questions on the sample book and the Rust book, within the first three
# 83. Coverage and similarity in equal parts gave 55 and 76. `bythebook eval` shows the effect.
_COVERAGE_WEIGHT = 0.3
_SIMILARITY_WEIGHT = 0.6
_PASSAGE_WEIGHT = 0.4
_RANK_WEIGHT = 0.1
_READER_WEIGHT = 0.25

_SHORTLIST = 8
_LATELY = 64
_VIEW_CHARACTERS = 200

# Sections that name topics without explaining them.
_POINTING_SECTION = re.compile(
    r"\b(exercises?|review questions?|quiz|self[- ]check|learning (objectives?|outcomes?|goals?)"
    r"|references|bibliography|further reading|citations|assignments?|homework|labs?"
    r"|table of contents|what you will learn|discussion questions?)\b",
    re.IGNORECASE,
)
_PUBLICATION = re.compile(
    r"\bet al\b|\barxiv\b|\bdoi\b|\bproceedings\b|\bpp?\. ?\d|\bisbn\b|\bvol\. ?\d"
    r"|\(\d{4}\)\.|\bIEEE (transactions|international|conference)\b",
    re.IGNORECASE,
)
_CROSS_REFERENCE = re.compile(
    r"\b(refer(red)? to the|see (the |also )?(chapter|section|listing|figure|appendix|page)"
    r"|we(['’]ll| will) (discuss|cover|see|talk|look|explore|learn|return|use)"
    r"|let['’]s (explore|look|see|try|start|discuss)|(discussed|covered|mentioned|introduced) in"
    r"|in chapter \d+|(previous|next|earlier|later) (section|chapter)s?"
    r"|(this|the next|the following) (page|chapter|section))\b",
    re.IGNORECASE,
)
_REASON_WORDS = re.compile(
    r"\b(because|since|so that|therefore|thus|due to|reason|cause[ds]?|leads? to|results? in"
    r"|in order to|to avoid|otherwise|prevents?|allows?|means that|which is why)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|hundred)\b", re.I)
_SENTENCE_END = re.compile(r"[.!?:;…][\"'”’)\]]*$|\d\W*$")
_QUESTION_MARK = re.compile(r"\?[\"'”’)\]]*$")

_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_ACTIONS = (QuestionKind.HOW_TO, QuestionKind.COMMAND)


@dataclass(frozen=True)
class ScoredUnit:
    """A unit and how well it answers."""

    unit: Unit
    coverage: float
    similarity: float
    form: float
    answer: float = 0.0  # how sure a trained reader is that the answer stands here

    @property
    def score(self) -> float:
        """Everything in one number: the unit itself, its form, the passage it stands in."""
        passage = self.unit.passage
        return (
            _COVERAGE_WEIGHT * self.coverage
            + _SIMILARITY_WEIGHT * self.similarity
            + _PASSAGE_WEIGHT * passage.score
            + _RANK_WEIGHT / math.sqrt(passage.rank)
            + _READER_WEIGHT * self.answer
            + self.form
        )


@dataclass(frozen=True)
class _Scoring:
    """Scored units, best first, and how sure a reader is that the passage of the first answers."""

    units: list[ScoredUnit]
    probability: float | None = None


class Relevance:
    """Scores the units of passages for questions on one book."""

    def __init__(self, lexicon: Lexicon, embedder: Embedder, reader: Reader | None = None) -> None:
        self.lexicon = lexicon
        self._embedder = embedder
        self.reader = reader
        self._lately: OrderedDict[tuple[str, ...], _Scoring] = OrderedDict()

    def focus(self, question: Question, passages: Sequence[Passage] = ()) -> Focus:
        """Return a question as this book would put it, or the text that a reader marked."""
        marked = [passage.chunk.text for passage in passages if passage.chunk.is_selection]
        lexicon = self.lexicon.with_texts(marked) if marked else self.lexicon
        return Focus(question, lexicon, self.is_everyday)

    def is_everyday(self, word: str) -> bool:
        """Tell whether a word is common English; the embedder takes special ones apart."""
        return self._embedder.count_tokens(word) == 1

    def with_subject(
        self, question: Question, hits: Sequence[Passage], passages: tuple[Passage, ...]
    ) -> tuple[Passage, ...]:
        """Return passages and those hits that name the thing to be defined, however unlike.

        A short question for a rare word is like no passage, not even the one that explains it.
        """
        if passages or not question.subject:
            return passages
        focus = self.focus(question)
        return tuple(hit for hit in hits if focus.is_subject(stem_set(hit.chunk.text)))

    def choose(self, question: Question, hits: Sequence[Passage], count: int) -> list[Passage]:
        """Return the passages whose best unit answers best, by words."""
        focus = self.focus(question)
        strength = {hit.chunk.id: _best(score_words(focus, hit)) for hit in hits}
        return sorted(hits, key=lambda hit: strength[hit.chunk.id], reverse=True)[:count]

    def score(self, question: Question, passages: Sequence[Passage]) -> list[ScoredUnit]:
        """Return the units worth quoting, best first."""
        return self._scoring(question, passages).units

    def answer_probability(self, question: Question, passages: Sequence[Passage]) -> float | None:
        """Return how sure the reader is that the passage of the best unit answers.

        Nothing without a reader. What it says of the other passages is left out: the more it may
        be mistaken about, the more often it is. On eight books, with one right answer in ten
        refused, 235 of 950 other questions are answered so, and 246 by the best of three.
        """
        return self._scoring(question, passages).probability

    def _scoring(self, question: Question, passages: Sequence[Passage]) -> _Scoring:
        """The writer and the refusal ask one after the other, while other questions are being
        answered: the last results are kept.
        """
        # A selection has always the same id, and two places of a book may have the same words.
        places = (f"{p.chunk.id} {p.chunk.content_hash}" for p in passages)
        key = (question.text, *places)
        known = self._lately.get(key)
        if known is None:
            known = self._lately[key] = self._score(question, passages)
            while len(self._lately) > _LATELY:
                self._lately.popitem(last=False)
        return known

    def _score(self, question: Question, passages: Sequence[Passage]) -> _Scoring:
        focus = self.focus(question, passages)
        scored = [s for passage in passages for s in score_words(focus, passage)]
        scored.sort(key=lambda s: s.score, reverse=True)
        refined = self._with_similarity(question, scored[:_SHORTLIST])
        units = sorted(refined, key=lambda s: s.score, reverse=True) + scored[_SHORTLIST:]
        return self._read(question, units)

    def _read(self, question: Question, units: list[ScoredUnit]) -> _Scoring:
        """Let the reader look at the passages of the best units, and put them in its order."""
        if self.reader is None or not units:
            return _Scoring(units)
        places: dict[str, Place] = {}
        for scored in units:
            unit = scored.unit
            near = self._closeness(unit.passage)
            places.setdefault(unit.passage.chunk.id, Place(unit.passage, unit.start, near))
        found = peruse(self.reader, question.text, places.values())
        read = [
            replace(s, answer=found.answer(s.unit.passage.chunk.id, s.unit.start, s.unit.end))
            for s in units
        ]
        read.sort(key=lambda s: s.score, reverse=True)
        return _Scoring(read, found.answers(read[0].unit.passage.chunk.id))

    def _closeness(self, passage: Passage) -> float | None:
        """Return the cosine of a passage, if it is by the embedder that the reader knows."""
        is_same = self.reader and self.reader.spec.embedder == self._embedder.spec.revision
        return passage.score if is_same and not passage.chunk.is_selection else None

    def _with_similarity(
        self, question: Question, shortlist: Sequence[ScoredUnit]
    ) -> list[ScoredUnit]:
        if not shortlist:
            return []
        vectors = self._embedder.embed_passages([_view(scored.unit) for scored in shortlist])
        cosines = np.clip(vectors @ self._embedder.embed_query(question.text), 0.0, 1.0)
        pairs = zip(shortlist, cosines, strict=True)
        return [replace(scored, similarity=float(cosine)) for scored, cosine in pairs]


def _best(scored: Sequence[ScoredUnit]) -> float:
    return max((s.score for s in scored), default=0.0)


def score_words(focus: Focus, passage: Passage) -> list[ScoredUnit]:
    """Return the quotable units of a passage, scored without reading them by the model.

    Until its own similarity is known, a unit is taken to be a little less like the question than
    the passage it stands in.
    """
    units = units_of(passage)
    places = _Places(focus, passage, units)
    guess = 0.8 * passage.score
    return [
        ScoredUnit(unit, places.coverage(unit), guess, _form(focus, unit, units))
        for unit in units
        if is_quotable(unit, units)
    ]


def is_quotable(unit: Unit, units: Sequence[Unit]) -> bool:
    """Tell whether a unit may stand in an answer at all."""
    if unit.kind in (BlockKind.CAPTION, BlockKind.TABLE_HEADER, BlockKind.HEADING):
        return False
    if unit.block.language == "diagram" or not any(c.isalnum() for c in unit.text):
        return False
    if unit.kind is not BlockKind.CODE and speaks_to_a_model(f"{unit.header} {unit.text}"):
        return False
    if unit.is_announcement:
        told = (u for u in introduced(units, unit) if not u.is_announcement)
        return any(is_quotable(u, units) for u in told)
    if unit.kind is BlockKind.PARAGRAPH and _is_title(unit.text):
        return False
    return not (unit.kind in _PROSE and _QUESTION_MARK.search(unit.text))


def points_elsewhere(unit: Unit) -> bool:
    """Tell whether a unit says where something stands rather than what it is."""
    return _CROSS_REFERENCE.search(unit.text) is not None


def _is_title(text: str) -> bool:
    """Tell whether a paragraph is a heading in disguise: short, and not ended like a sentence."""
    return len(text.split()) < 8 and not _SENTENCE_END.search(text)


def _view(unit: Unit) -> str:
    return f"{unit.header} {unit.text[:_VIEW_CHARACTERS]}"


class _Places:
    """The places around the units of one passage where a question's words may stand."""

    def __init__(self, focus: Focus, passage: Passage, units: Sequence[Unit]) -> None:
        self._focus = focus
        self._units = units
        self._heading = stem_set(without_orders(passage.chunk.context))
        self._passage = stem_set(without_orders(passage.chunk.text))

    def coverage(self, unit: Unit) -> float:
        focus = self._focus
        if not focus.total:
            return 0.0
        lead = self._units[unit.introduced_by].text if unit.introduced_by is not None else ""
        places = (
            (_IN_UNIT, stem_set(f"{unit.header} {unit.text}")),
            (_IN_LEAD, stem_set(lead)),
            (_IN_HEADING, self._heading),
            (_IN_PASSAGE, self._passage),
        )
        found = 0.0
        for term, weight in focus.weights.items():
            shares = (share for share, stems in places if focus.speaks_of(term, stems))
            found += weight * next(shares, 0.0)
        return found / focus.total


def _form(focus: Focus, unit: Unit, units: Sequence[Unit]) -> float:
    score = _handicap(" ".join(unit.passage.chunk.heading_path), unit.text)
    if unit.kind is BlockKind.FORMULA or (unit.kind in _PROSE and len(unit.text) < 15):
        score -= 0.1
    if unit.kind is BlockKind.CODE and focus.question.kind not in _ACTIONS:
        score -= 0.2
    if focus.manner & stem_set(unit.text):
        score += 0.05
    return score + _fits_kind(focus, unit, units) + _has_thing(focus, unit)


def _has_thing(focus: Focus, unit: Unit) -> float:
    """Return what a unit gains by having the date, person, place or price that is asked for."""
    kind = focus.expected
    if kind not in TELLING or unit.kind is BlockKind.CODE:
        return 0.0
    return 0.15 if offers(kind, unit.text) else -0.05


@lru_cache(maxsize=8_192)
def _handicap(headings: str, text: str) -> float:
    """Return what a text loses whatever is asked; remembered, as popular passages come often."""
    score = 0.0
    if _POINTING_SECTION.search(headings):
        score -= 0.25
    if _PUBLICATION.search(text):
        score -= 0.25
    if _CROSS_REFERENCE.search(text):
        score -= 0.08
    return score


def _fits_kind(focus: Focus, unit: Unit, units: Sequence[Unit]) -> float:
    text = unit.text
    match focus.question.kind:
        case QuestionKind.DEFINITION:
            return 0.3 * definition_strength(focus, unit)
        case QuestionKind.QUANTITY:
            return 0.12 if _NUMBER.search(text) else -0.05
        case QuestionKind.REASON:
            return 0.12 if _REASON_WORDS.search(text) or follows_why(unit, units) else 0.0
        case QuestionKind.COMMAND:
            return 0.12 if unit.kind is BlockKind.CODE else 0.0
        case QuestionKind.HOW_TO:
            is_step = unit.block.marker[:1].isdigit()
            shows = unit.kind is BlockKind.CODE or _introduces_code(unit, units)
            return 0.08 if shows or is_step else 0.0
        case QuestionKind.LIST:
            return 0.12 if unit.is_announcement else 0.0
        case QuestionKind.COMPARISON:
            return 0.06 if unit.kind is BlockKind.TABLE_ROW else 0.0
        case QuestionKind.GENERAL:
            return 0.0


def _introduces_code(unit: Unit, units: Sequence[Unit]) -> bool:
    after = units[unit.position + 1] if unit.position + 1 < len(units) else None
    return after is not None and after.kind is BlockKind.CODE and unit.kind in _PROSE


def follows_why(unit: Unit, units: Sequence[Unit]) -> bool:
    before = units[unit.position - 1].text if unit.position else ""
    return before.lower().startswith("why") and before.endswith("?")

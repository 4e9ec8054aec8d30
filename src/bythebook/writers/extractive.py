"""Answers made of the book's own sentences: no model, no network, nothing to invent.

The best unit is the anchor. What it cannot do without comes along (the list it announces, the
code it introduces, the sentence that explains it), then other units that answer nearly as well.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Iterator, Sequence

from bythebook.about import aspect_of, introduction
from bythebook.definitions import definition_strength
from bythebook.focus import Focus
from bythebook.markup import strip_markup
from bythebook.questions import QuestionKind, analyse, asks_for_gist
from bythebook.relevance import Relevance, ScoredUnit, follows_why, is_quotable, points_elsewhere
from bythebook.terms import stem_set
from bythebook.types import BlockKind, Draft, DraftSentence, Evidence, Mode, Passage, Query
from bythebook.units import Unit, introduced, units_of

MODEL = "extractive"
MAX_CHARACTERS = 1800  # the contract allows 2,000; citations and layout need the rest

_USUAL_SENTENCES = 4
_MAX_LIST_ITEMS = 10
# Another unit joins the answer when it does nearly as well as the best one.
_NEARLY_AS_GOOD = 0.85
_NEARLY_AS_COVERING = 0.85
_SAME_WORDS = 0.75
# How well a unit must do to join for a term of the question that is still missing, and how telling
# that term must be.
_OTHER_SIDE = 0.5
_MISSING_PART = 0.75
_TELLING = 0.2

_ACTION_KINDS = (QuestionKind.HOW_TO, QuestionKind.COMMAND)
# A question for one fact wants that fact, not a list around it.
_MOST_SENTENCES = {
    QuestionKind.QUANTITY: 2,
    QuestionKind.COMMAND: 3,
    QuestionKind.COMPARISON: 6,
}

# A sentence that opens with one of these leans on the one before it.
_LEANS_BACK = re.compile(
    r"^(?:it|its|it's|this|that|these|those|they|their|he|she|such|so|thus|therefore|however|but|and"
    r"|instead|otherwise|also|then|here|both|in this case|for example|for instance)\b",
    re.IGNORECASE,
)


class ExtractiveWriter:
    """Quotes the sentences that answer."""

    def __init__(self, relevance: Relevance) -> None:
        self._relevance = relevance

    async def write(self, query: Query, passages: Sequence[Passage]) -> Draft:
        """Return the sentences that answer best, in the order a reader wants them."""
        if query.mode is Mode.SELECTED_TEXT_ONLY and asks_for_gist(query.text):
            return Draft(sentences=tuple(_sentences(_opening(passages))), model=MODEL)
        aspect = aspect_of(query.text) if query.mode is Mode.STANDARD_RAG else None
        if aspect and (told := introduction(passages, aspect)):
            return Draft(sentences=tuple(_sentences(told)), model=MODEL)
        question = analyse(query.text)
        # Scoring embeds sentences, which must not hold up other questions.
        scored = await asyncio.to_thread(self._relevance.score, question, passages)
        focus = self._relevance.focus(question, passages)
        units = _Composition(focus, passages).compose(scored) if scored else []
        return Draft(sentences=tuple(_sentences(units)), model=MODEL)


class _Composition:
    """One answer in the making."""

    def __init__(self, focus: Focus, passages: Sequence[Passage]) -> None:
        self._focus = focus
        self._question = focus.question
        self._units = {passage.chunk.id: units_of(passage) for passage in passages}
        self._chosen: list[Unit] = []

    def compose(self, scored: Sequence[ScoredUnit]) -> list[Unit]:
        best = scored[0]
        self._add(self._with_company(best.unit))
        if not self._chosen:
            return []  # the best is longer than an answer may be, and cut it would be no quote
        if self._question.kind is QuestionKind.REASON:
            self._add(_said_why(self._units[best.unit.passage.chunk.id]))
        self._add_missing(scored)
        for candidate in scored[1:]:
            if self._is_full() or candidate.score < _NEARLY_AS_GOOD * best.score:
                break
            covers = candidate.coverage >= _NEARLY_AS_COVERING * best.coverage
            fits = covers and self._belongs(candidate.unit)
            if fits and self._adds_something(candidate.unit):
                self._add(self._with_company(candidate.unit))
        return _in_book_order(self._chosen)

    def _belongs(self, unit: Unit) -> bool:
        """A definition is not followed by whatever else is said of the thing somewhere."""
        anchor = self._chosen[0]
        if self._question.kind is not QuestionKind.DEFINITION:
            return True
        if not definition_strength(self._focus, anchor):
            return True
        is_near = unit.passage.chunk.id == anchor.passage.chunk.id
        return is_near or definition_strength(self._focus, unit) > 0

    def _is_full(self) -> bool:
        most = _MOST_SENTENCES.get(self._question.kind, _USUAL_SENTENCES)
        return len(self._chosen) >= most or self._shows_how()

    def _shows_how(self) -> bool:
        """Whether a question for an action has its code or its steps; more would confuse."""
        if self._question.kind not in _ACTION_KINDS:
            return False
        items = sum(unit.kind is BlockKind.LIST_ITEM for unit in self._chosen)
        return items > 2 or any(unit.kind is BlockKind.CODE for unit in self._chosen)

    def _add(self, units: Sequence[Unit]) -> None:
        keys = {unit.key for unit in self._chosen}
        room = MAX_CHARACTERS - sum(_length(unit) for unit in self._chosen)
        for unit in units:
            if unit.key in keys:
                continue
            room -= _length(unit)
            if room < 0:
                break
            self._chosen.append(unit)

    def _adds_something(self, unit: Unit) -> bool:
        words = stem_set(unit.text)
        for chosen in self._chosen:
            other = stem_set(chosen.text)
            shared = len(words & other)
            if shared >= _SAME_WORDS * min(len(words), len(other)):
                return False
        return bool(words)

    def _with_company(self, unit: Unit) -> list[Unit]:
        """Return a unit with what it needs to be understood."""
        units = self._units[unit.passage.chunk.id]
        if unit.is_announcement:
            return [unit, *self._pick(unit, introduced(units, unit))]
        lead = units[unit.introduced_by] if unit.introduced_by is not None else None
        if lead is not None:
            return self._from_introduced(units, lead, unit)
        if unit.kind is BlockKind.CODE:
            return [*_sentence_before(units, unit), unit]
        if unit.kind is BlockKind.LIST_ITEM and self._wants_whole_list(unit):
            return _first_items(list(_run_of_items(units, unit)))
        return [*_what_it_leans_on(units, unit), unit, *self._continuation(units, unit)]

    def _from_introduced(self, units: Sequence[Unit], lead: Unit, unit: Unit) -> list[Unit]:
        if unit.kind is BlockKind.CODE and self._question.kind in _ACTION_KINDS:
            announced = introduced(units, lead)  # the steps, and the code that carries them out
            has_steps = any(u.kind is BlockKind.LIST_ITEM for u in announced)
            return [lead, *_first_items(announced)] if has_steps else [lead, unit]
        if unit.kind in (BlockKind.CODE, BlockKind.FORMULA):
            return [lead, unit]
        if unit.kind is BlockKind.LIST_ITEM and self._wants_whole_list(unit):
            return [lead, *_first_items(introduced(units, lead))]
        if unit.kind is BlockKind.TABLE_ROW:
            return [unit]
        return [lead, unit] if self._names_subject(lead) else [unit]

    def _pick(self, lead: Unit, units: Sequence[Unit]) -> list[Unit]:
        """Return what an announcement announces: all of it, or the rows that were asked for.

        A row or an item stands out when it speaks of a term that the announcement does not.
        """
        one_fact = self._question.kind is QuestionKind.QUANTITY
        rows = [unit for unit in units if unit.kind is BlockKind.TABLE_ROW]
        if not (rows or one_fact):
            return _first_items(units)
        open_terms = set(self._question.terms) - stem_set(f"{lead.text} {lead.header}")
        asked = [unit for unit in units if open_terms & stem_set(unit.text)]
        return _first_items(asked or units)

    def _names_subject(self, unit: Unit) -> bool:
        return bool(stem_set(unit.text) & set(self._question.terms))

    def _wants_whole_list(self, unit: Unit) -> bool:
        return unit.block.marker[:1].isdigit() and self._question.kind in _ACTION_KINDS

    def _continuation(self, units: Sequence[Unit], unit: Unit) -> list[Unit]:
        """Return what directly follows and belongs to the answer: code, or the next sentence."""
        after = units[unit.position + 1] if unit.position + 1 < len(units) else None
        if after is None:
            return []
        if after.kind is BlockKind.CODE and self._question.kind in _ACTION_KINDS:
            return [after]
        if self._question.kind is QuestionKind.LIST and (found := _next_list(units, unit)):
            return found
        if self._question.kind is QuestionKind.COMPARISON and self._compares(after):
            return _next_list(units, unit)
        is_same_paragraph = after.block == unit.block and unit.kind is BlockKind.PARAGRAPH
        is_usable = is_quotable(after, units) and not points_elsewhere(after)
        if is_same_paragraph and is_usable and self._goes_on(unit, after):
            return [after, *_first_items(introduced(units, after))]
        return []

    def _compares(self, after: Unit) -> bool:
        """Tell whether a table begins here whose columns are the sides of a comparison."""
        if after.kind is not BlockKind.TABLE_HEADER:
            return False
        columns = stem_set(after.text)
        return sum(self._focus.speaks_of(term, columns) for term in self._focus.weights) > 1

    def _goes_on(self, unit: Unit, after: Unit) -> bool:
        """Tell whether the next sentence of a paragraph still answers the question."""
        match self._question.kind:
            case QuestionKind.REASON:
                return True
            case QuestionKind.DEFINITION:
                return definition_strength(self._focus, unit) > 0
            case QuestionKind.QUANTITY | QuestionKind.COMMAND:
                return False
            case _:
                return self._names_subject(after)

    def _add_missing(self, scored: Sequence[ScoredUnit]) -> None:
        """Take units that speak of a term nothing chosen speaks of: the other side, the colour."""
        least = _OTHER_SIDE if self._question.kind is QuestionKind.COMPARISON else _MISSING_PART
        for candidate in scored[1:]:
            missing = self._missing_terms()
            if not missing or self._is_full() or candidate.score < least * scored[0].score:
                return
            text = stem_set(candidate.unit.text)
            gain = sum(self._focus.weights[t] for t in missing if self._focus.speaks_of(t, text))
            if gain >= _TELLING * self._focus.total:
                self._add(self._with_company(candidate.unit))

    def _missing_terms(self) -> set[str]:
        chosen = frozenset().union(*(stem_set(f"{u.header} {u.text}") for u in self._chosen))
        return {term for term in self._focus.weights if not self._focus.speaks_of(term, chosen)}


def _opening(passages: Sequence[Passage]) -> list[Unit]:
    """Return how a marked text begins, which is the nearest to its gist without a model."""
    units = units_of(passages[0])
    return [unit for unit in units if is_quotable(unit, units)][:_USUAL_SENTENCES]


def _in_book_order(units: Sequence[Unit]) -> list[Unit]:
    """Return the units passage by passage as they were chosen, in the book's order within each.

    The best unit stays first, unless it is one row among others of its table.
    """
    chosen: dict[str, int] = {}
    for number, unit in enumerate(units):
        chosen.setdefault(unit.passage.chunk.id, number)
    ordered = sorted(units, key=lambda unit: (chosen[unit.passage.chunk.id], unit.position))
    best = units[0]
    if best.kind is BlockKind.TABLE_ROW:
        return ordered
    return [best, *(unit for unit in ordered if unit.key != best.key)]


def _said_why(units: Sequence[Unit]) -> list[Unit]:
    """Return what stands behind a "Why?" of the book itself."""
    return [unit for unit in units if follows_why(unit, units) and is_quotable(unit, units)]


def _length(unit: Unit) -> int:
    return len(unit.text) + len(unit.header) + 8  # marker and citation


def _next_list(units: Sequence[Unit], unit: Unit) -> list[Unit]:
    """Return the first list or table behind a unit in its passage."""
    listed = (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)
    behind = units[unit.position + 1 :]
    first = next((u.position for u in behind if u.kind in listed), None)
    if first is None:
        return []
    kind = units[first].kind
    run = itertools.takewhile(lambda u: u.kind is kind, units[first:])
    return _first_items(list(run))


def _what_it_leans_on(units: Sequence[Unit], unit: Unit) -> list[Unit]:
    before = units[unit.position - 1] if unit.position else None
    if before is None or before.block != unit.block or not _LEANS_BACK.match(unit.text):
        return []
    return [before] if is_quotable(before, units) else []


def _first_items(units: Sequence[Unit]) -> list[Unit]:
    unseen = (BlockKind.CAPTION, BlockKind.TABLE_HEADER)
    return [unit for unit in units if unit.kind not in unseen][:_MAX_LIST_ITEMS]


def _sentence_before(units: Sequence[Unit], unit: Unit) -> list[Unit]:
    before = units[unit.position - 1] if unit.position else None
    is_prose = before is not None and before.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
    return [before] if before is not None and is_prose and is_quotable(before, units) else []


def _run_of_items(units: Sequence[Unit], unit: Unit) -> Iterator[Unit]:
    """Yield the list an item stands in, with the code inside its items."""
    inside = (BlockKind.LIST_ITEM, BlockKind.CODE)
    first = unit.position
    while first > 0 and units[first - 1].kind in inside:
        first -= 1
    for other in units[first:]:
        if other.kind not in inside:
            return
        yield other


def _sentences(units: Sequence[Unit]) -> Iterator[DraftSentence]:
    """Yield the units as sentences, list markers set so that they read well out of their list."""
    before: Unit | None = None
    number = 0
    for unit in units:
        sentence = _sentence(unit)
        if before is not None and before.block is unit.block and sentence.layout == "item":
            sentence = sentence.model_copy(update={"marker": ""})  # the same item goes on
        elif sentence.marker[:1].isdigit():
            counted = int(re.sub(r"\D", "", sentence.marker))
            number = counted if counted in (1, number + 1) else 0
            if not number:
                sentence = sentence.model_copy(update={"marker": "-"})
        if unit.is_announcement and sentence.marker in ("-", "*", "•"):
            sentence = sentence.model_copy(update={"layout": "prose", "marker": ""})
        yield sentence
        before = unit


def _sentence(unit: Unit) -> DraftSentence:
    evidence = (Evidence(chunk_id=unit.passage.chunk.id, start=unit.start, end=unit.end),)
    if unit.kind is BlockKind.CODE:
        return DraftSentence(
            text=unit.text, evidence=evidence, layout="code", language=unit.block.language
        )
    if unit.kind is BlockKind.FORMULA:
        return DraftSentence(text=unit.text, evidence=evidence, layout="formula")
    if unit.kind is BlockKind.TABLE_ROW:
        return DraftSentence(text=_row(unit), evidence=evidence, layout="item", marker="-")
    text = strip_markup(unit.text) if unit.passage.chunk.is_selection else unit.text
    if unit.kind is BlockKind.LIST_ITEM:
        return DraftSentence(
            text=text, evidence=evidence, layout="item", marker=unit.block.marker or "-"
        )
    return DraftSentence(text=text, evidence=evidence)


def _row(unit: Unit) -> str:
    """Return a table row as a line that can be read without the table."""
    cells = unit.text.split(" | ")
    names = unit.header.split(" | ") if unit.header else []
    if len(names) != len(cells):
        return unit.text
    pairs = zip((name.strip() for name in names), (cell.strip() for cell in cells), strict=True)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)

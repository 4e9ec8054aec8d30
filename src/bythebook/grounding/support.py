"""The sentence gate: is a sentence carried by the words of the book it leans on?

It fails closed: a sentence without a span that supports it is dropped, and evidence that points
outside the retrieved passages is an error of the writer, never trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bythebook.grounding.claims import reasons_of, shared_words, support_of
from bythebook.hostile import speaks_to_a_model
from bythebook.markup import strip_markup
from bythebook.terms import stems
from bythebook.types import BlockKind, Draft, DraftSentence, Evidence, Passage
from bythebook.units import Unit, units_of
from bythebook.writers.base import NO_ANSWER

# Under this share of a sentence's words found in one span, the span does not carry it.
SUPPORT_FLOOR = 0.7

# The same for a sentence whose writer showed no span: it may have been made up altogether. Up to
# six words must all be there. At 0.8 a small model got "You need to send a request to a server to
# perform a service" past the gate; run tests/quality/test_small_model.py before changing it.
_UNSHOWN_FLOOR = 0.85

# A sentence of fewer words says too little to be told apart from "Here are the steps:".
_FEWEST_WORDS = 3

_SPACE = re.compile(r"\s+")
_CELL_BREAK = re.compile(r"; |: ")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_PROMPT = re.compile(r"^\s*[$>#] ")
_TITLES = (BlockKind.HEADING, BlockKind.CAPTION, BlockKind.TABLE_HEADER)

_Found = tuple[tuple[Evidence, ...], float]
_NOTHING: _Found = ((), 0.0)


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence that passed, with the span that carries it."""

    sentence: DraftSentence
    evidence: tuple[Evidence, ...]
    support: float


def check(draft: Draft, passages: Sequence[Passage]) -> list[CheckedSentence]:
    """Return the sentences of a draft that the passages support, with their evidence."""
    known = {passage.chunk.id: passage for passage in passages}
    units = {name: units_of(passage) for name, passage in known.items()}
    checked: list[CheckedSentence] = []
    said: set[str] = set()
    for sentence in draft.sentences:
        evidence, support = _support(sentence, known, units)
        if not evidence or support < SUPPORT_FLOOR:
            continue
        words = _plain(sentence.text).lower()
        if not sentence.evidence and words in said:
            continue  # small models go round in circles
        said.add(words)
        checked.append(CheckedSentence(sentence, evidence, support))
    return checked


def explain(
    sentence: DraftSentence, passages: Sequence[Passage]
) -> tuple[Evidence | None, tuple[str, ...]]:
    """Return the place that comes nearest to a sentence that did not pass, and what is wrong."""
    if not _is_a_claim(sentence.text):
        return None, ("it states nothing that can be checked",)
    if sentence.layout == "code":
        return None, ("no code of the passages has these lines",)
    best: Evidence | None = None
    most, source = 0, ""
    for passage in passages:
        for first, last in _windows(units_of(passage)):
            text = passage.chunk.text[first.start : last.end]
            shared = shared_words(sentence.text, text)
            if shared > most:
                most, source = shared, text
                best = Evidence(chunk_id=passage.chunk.id, start=first.start, end=last.end)
    if best is None:
        return None, ("no passage speaks of this",)
    return best, reasons_of(sentence.text, source) or ("too little of it is in the passage",)


def holds_code(code: str, source: str) -> bool:
    """Tell whether a text has all lines of some code, in order and nothing between."""
    wanted, lines = _lines(code), _lines(source)
    starts = range(len(lines) - len(wanted) + 1)
    return bool(wanted) and any(lines[start : start + len(wanted)] == wanted for start in starts)


def _support(
    sentence: DraftSentence,
    passages: Mapping[str, Passage],
    units: Mapping[str, Sequence[Unit]],
) -> _Found:
    offered = [span for span in sentence.evidence if _is_inside(span, passages)]
    if offered:
        return tuple(offered), min(_carries(span, sentence, passages) for span in offered)
    if sentence.layout == "code":
        return _find_code(sentence.text, [unit for found in units.values() for unit in found])
    cited = [units[name] for name in sentence.cites if name in units]
    others = [found for name, found in units.items() if name not in sentence.cites]
    for group in (cited, others):
        evidence, support = _find(sentence.text, group)
        if support >= _UNSHOWN_FLOOR:
            return evidence, support
    return _NOTHING


def _find(claim: str, passages: Sequence[Sequence[Unit]]) -> _Found:
    """Return the span that carries a claim best, the shorter one of two that do as well."""
    if not _is_a_claim(claim):
        return _NOTHING
    best = _NOTHING
    long_enough = len(stems(claim)) >= _FEWEST_WORDS
    for units in passages:
        for first, last in _windows(units):
            chunk = first.passage.chunk
            source = chunk.text[first.start : last.end]
            source = strip_markup(source) if chunk.is_selection else source
            is_verbatim = _plain(claim) == _plain(source)
            support = 1.0 if is_verbatim else support_of(claim, source) if long_enough else 0.0
            if support > best[1]:
                span = Evidence(chunk_id=chunk.id, start=first.start, end=last.end)
                best = ((span,), support)
    return best


def _is_a_claim(text: str) -> bool:
    """Tell whether a sentence states something, rather than asks, announces or has no answer."""
    return not text.rstrip().endswith(("?", ":")) and _letters(text) != _letters(NO_ANSWER)


def _letters(text: str) -> str:
    return _NOT_A_LETTER.sub("", text.lower().replace("could not", "couldn't"))


def _windows(units: Sequence[Unit]) -> Iterator[tuple[Unit, Unit]]:
    """Yield each unit that can carry a claim, then each pair of neighbours."""
    fit = [unit.kind not in _TITLES and not speaks_to_a_model(unit.text) for unit in units]
    yield from ((unit, unit) for unit, is_fit in zip(units, fit, strict=True) if is_fit)
    for number in range(len(units) - 1):
        if fit[number] and fit[number + 1]:
            yield units[number], units[number + 1]


def _find_code(code: str, units: Sequence[Unit]) -> _Found:
    """Return the code block that holds some code."""
    for unit in units:
        if unit.kind not in _TITLES and holds_code(code, unit.text):
            chunk_id = unit.passage.chunk.id
            return (Evidence(chunk_id=chunk_id, start=unit.start, end=unit.end),), 1.0
    return _NOTHING


def _lines(code: str) -> list[str]:
    """Return lines without the space around and within; whole ones, so `rm x` is not `rm x/y`."""
    lines = (_plain(_PROMPT.sub("", line)) for line in code.splitlines())
    return [line for line in lines if line]


def _is_inside(span: Evidence, passages: Mapping[str, Passage]) -> bool:
    passage = passages.get(span.chunk_id)
    return passage is not None and 0 <= span.start < span.end <= len(passage.chunk.text)


def _carries(span: Evidence, sentence: DraftSentence, passages: Mapping[str, Passage]) -> float:
    chunk = passages[span.chunk_id].chunk
    excerpt = chunk.text[span.start : span.end]
    if sentence.layout != "code" and any(map(speaks_to_a_model, (sentence.text, excerpt))):
        return 0.0
    if _plain(sentence.text) == _plain(strip_markup(excerpt) if chunk.is_selection else excerpt):
        return 1.0
    if _is_row_of(sentence.text, excerpt, chunk.text):
        return 1.0
    return 0.0 if sentence.layout == "code" else support_of(sentence.text, excerpt)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _is_row_of(text: str, row: str, table: str) -> bool:
    """Tell whether a line says nothing but a row's own cells under the table's own headers."""
    if " | " not in row:
        return False
    parts = [part for part in _CELL_BREAK.split(text) if part]
    return all(part in row or part in table for part in parts) and all(
        cell.strip() in text for cell in row.split(" | ")
    )

"""The sentence gate: is a sentence carried by the words of the book it leans on?

It fails closed: a sentence without a span that supports it is dropped, and evidence that points
outside the retrieved passages is an error of the writer, never trusted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bythebook.markup import strip_markup
from bythebook.terms import stem_set
from bythebook.types import Draft, DraftSentence, Evidence, Passage
from bythebook.units import Unit, units_of

# Under this share of a sentence's words found in one span, the span does not carry it.
SUPPORT_FLOOR = 0.7

_SPACE = re.compile(r"\s+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|cannot|without|neither|nor|\w+n't)\b", re.IGNORECASE
)
_CELL_BREAK = re.compile(r"; |: ")


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence that passed, with the span that carries it."""

    sentence: DraftSentence
    evidence: tuple[Evidence, ...]
    support: float


def check(draft: Draft, passages: Sequence[Passage]) -> list[CheckedSentence]:
    """Return the sentences of a draft that the passages support, with their evidence."""
    known = {passage.chunk.id: passage for passage in passages}
    checked: list[CheckedSentence] = []
    for sentence in draft.sentences:
        evidence, support = _support(sentence, known)
        if evidence and support >= SUPPORT_FLOOR:
            checked.append(CheckedSentence(sentence, evidence, support))
    return checked


def _support(
    sentence: DraftSentence, passages: Mapping[str, Passage]
) -> tuple[tuple[Evidence, ...], float]:
    offered = [span for span in sentence.evidence if _is_inside(span, passages)]
    if offered:
        return tuple(offered), min(_carries(span, sentence, passages) for span in offered)
    found = [(_share(sentence.text, u.text), u) for p in passages.values() for u in units_of(p)]
    if not found:
        return (), 0.0
    support, unit = max(found, key=lambda pair: pair[0])
    return (_evidence(unit),), support


def _is_inside(span: Evidence, passages: Mapping[str, Passage]) -> bool:
    passage = passages.get(span.chunk_id)
    return passage is not None and 0 <= span.start < span.end <= len(passage.chunk.text)


def _evidence(unit: Unit) -> Evidence:
    return Evidence(chunk_id=unit.passage.chunk.id, start=unit.start, end=unit.end)


def _carries(span: Evidence, sentence: DraftSentence, passages: Mapping[str, Passage]) -> float:
    chunk = passages[span.chunk_id].chunk
    excerpt = chunk.text[span.start : span.end]
    if _plain(sentence.text) == _plain(strip_markup(excerpt) if chunk.is_selection else excerpt):
        return 1.0
    if _is_row_of(sentence.text, excerpt, chunk.text):
        return 1.0
    return 0.0 if sentence.layout == "code" else _share(sentence.text, excerpt)


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


def _share(claim: str, source: str) -> float:
    """Return the share of a claim's words that a source holds; 0 when a number or a not differs."""
    words = stem_set(claim)
    if not words:
        return 0.0
    numbers = set(_NUMBER.findall(claim))
    if not numbers <= set(_NUMBER.findall(source)):
        return 0.0
    if bool(_NEGATION.search(claim)) != bool(_NEGATION.search(source)):
        return 0.0
    return len(words & stem_set(source)) / len(words)

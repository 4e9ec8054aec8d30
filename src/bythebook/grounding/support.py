"""The sentence gate: is a sentence carried by the words of the book it leans on?

It fails closed: a sentence without a span that supports it is dropped, and evidence that points
outside the retrieved passages is an error of the writer, never trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bythebook.grounding.claims import SUPPORT_FLOOR, reasons_of, shared_words, support_of
from bythebook.grounding.judging import judge
from bythebook.hostile import speaks_to_a_model
from bythebook.markup import strip_markup
from bythebook.readers.base import Reader
from bythebook.terms import stems
from bythebook.types import BlockKind, Draft, DraftSentence, Evidence, Passage
from bythebook.units import Unit, units_of
from bythebook.writers.base import NO_ANSWER

# The same for a sentence whose writer showed no span: it may have been made up altogether. Up to
# six words must all be there. At 0.8 a small model got "You need to send a request to a server to
# perform a service" past the gate; run tests/quality/test_small_model.py before changing it.
_UNSHOWN_FLOOR = 0.85

# How many places a trained reader looks at for each sentence, those with most of its words, and how
# many sentences or lines of the book a place has at most.
_READ = 3
_LONGEST = 3

# A sentence of fewer words says too little to be told apart from "Here are the steps:".
_FEWEST_WORDS = 3

_SPACE = re.compile(r"\s+")
_CELL_BREAK = re.compile(r"; |: ")
_NOT_A_LETTER = re.compile(r"[\W_]+")
_PROMPT = re.compile(r"^\s*[$>#] ")
# What a model has no reason to word anew; the reader knows nothing of it, the rules are exact.
_MARKUP = re.compile(r"[<>]|&#?\w+;|://|\]\(")
_TITLES = (BlockKind.HEADING, BlockKind.CAPTION, BlockKind.TABLE_HEADER)

_Found = tuple[tuple[Evidence, ...], float]
_NOTHING: _Found = ((), 0.0)


@dataclass(frozen=True)
class CheckedSentence:
    """A sentence that passed, with the span that carries it."""

    sentence: DraftSentence
    evidence: tuple[Evidence, ...]
    support: float


def check(
    draft: Draft, passages: Sequence[Passage], reader: Reader | None = None
) -> list[CheckedSentence]:
    """Return the sentences of a draft that the passages support, with their evidence.

    With a reader, what is not word for word the book's is for it and the rules together to judge.
    """
    known = {passage.chunk.id: passage for passage in passages}
    units = {name: units_of(passage) for name, passage in known.items()}
    found = [_support(sentence, known, units) for sentence in draft.sentences]
    if reader is not None:
        found = _judged(reader, draft.sentences, found, known, units)
    checked: list[CheckedSentence] = []
    said: set[str] = set()
    for sentence, (evidence, support) in zip(draft.sentences, found, strict=True):
        if not evidence or support < SUPPORT_FLOOR:
            continue
        words = _plain(sentence.text).lower()
        if not _offered(sentence, known) and words in said:
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
    offered = _offered(sentence, passages)
    if offered:
        return offered, min(_carries(span, sentence, passages) for span in offered)
    if sentence.layout == "code":
        return _find_code(sentence.text, [unit for found in units.values() for unit in found])
    cited = [units[name] for name in sentence.cites if name in units]
    others = [found for name, found in units.items() if name not in sentence.cites]
    for group in (cited, others):
        evidence, support = _find(sentence.text, group)
        if support >= _UNSHOWN_FLOOR:
            return evidence, support
    return _NOTHING


def _offered(sentence: DraftSentence, passages: Mapping[str, Passage]) -> tuple[Evidence, ...]:
    """Return the places a writer shows for a sentence that are really there."""
    return tuple(span for span in sentence.evidence if _is_inside(span, passages))


def _judged(
    reader: Reader,
    sentences: Sequence[DraftSentence],
    found: Sequence[_Found],
    passages: Mapping[str, Passage],
    units: Mapping[str, Sequence[Unit]],
) -> list[_Found]:
    """Return what the reader and the rules think of sentences that are not the book's own words."""
    places = {
        number: list(_places(sentence, passages, units))
        for number, (sentence, (_, support)) in enumerate(zip(sentences, found, strict=True))
        if support < 1.0 and _can_be_judged(sentence)
    }
    pairs = [(number, *place) for number, own in places.items() for place in own]
    claims = [sentences[number].text for number, _, _ in pairs]
    opinions = judge(reader, claims, [text for _, _, text in pairs])
    best = dict.fromkeys(places, _NOTHING)
    for (number, evidence, _), opinion in zip(pairs, opinions, strict=True):
        is_shown = _offered(sentences[number], passages)
        floor = SUPPORT_FLOOR if is_shown else _UNSHOWN_FLOOR
        if opinion.support > best[number][1] and opinion.support >= floor:
            best[number] = (evidence, opinion.support)
    return [best.get(number, own) for number, own in enumerate(found)]


def _can_be_judged(sentence: DraftSentence) -> bool:
    text = sentence.text
    is_told = sentence.layout != "code" and not speaks_to_a_model(text)
    return (
        is_told
        and not _MARKUP.search(text)
        and _is_a_claim(text)
        and len(stems(text)) >= _FEWEST_WORDS
    )


def _places(
    sentence: DraftSentence,
    passages: Mapping[str, Passage],
    units: Mapping[str, Sequence[Unit]],
) -> Iterator[tuple[tuple[Evidence, ...], str]]:
    """Yield where a sentence may be from: what its writer showed, else where most of it stands."""
    offered = _offered(sentence, passages)
    if offered:
        texts = [passages[span.chunk_id].chunk.text[span.start : span.end] for span in offered]
        if not any(map(speaks_to_a_model, texts)):
            yield offered, " ".join(texts)
        return
    windows = [pair for own in units.values() for pair in _windows(own, _LONGEST)]
    windows.sort(key=lambda pair: _likeness(sentence, *pair), reverse=True)
    for first, last in windows[:_READ]:
        chunk = first.passage.chunk
        text = chunk.text[first.start : last.end]
        span = Evidence(chunk_id=chunk.id, start=first.start, end=last.end)
        yield (span,), strip_markup(text) if chunk.is_selection else text


def _likeness(sentence: DraftSentence, first: Unit, last: Unit) -> tuple[int, bool, int]:
    """Return by what places are put in order: most words, a passage it cites, the shortest."""
    chunk = first.passage.chunk
    shared = shared_words(sentence.text, chunk.text[first.start : last.end])
    return shared, chunk.id in sentence.cites, first.start - last.end


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


def _windows(units: Sequence[Unit], longest: int = 2) -> Iterator[tuple[Unit, Unit]]:
    """Yield each unit that can carry a claim, then each run of neighbours that can."""
    fit = [unit.kind not in _TITLES and not speaks_to_a_model(unit.text) for unit in units]
    for length in range(longest):
        for number in range(len(units) - length):
            if all(fit[number : number + length + 1]):
                yield units[number], units[number + length]


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

"""Setting checked sentences as an answer: numbering citations, laying out the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bythebook.grounding.support import CheckedSentence
from bythebook.links import deep_link, web_address
from bythebook.markup import fenced, inert, is_inert, without_invisible
from bythebook.types import (
    Answer,
    AnswerSentence,
    Citation,
    Confidence,
    DraftSentence,
    Evidence,
    Passage,
)

# Between two units of one list, table or paragraph stands nothing but space and list markers.
_SEAM = re.compile(r"\s*(?:[-*•]|\d+[.)])?\s*")

_MODEL_CITATION = re.compile(r"(?:\s*\[\d+\])+$")


@dataclass
class _Span:
    chunk_id: str
    start: int
    end: int


def set_answer(
    checked: Sequence[CheckedSentence],
    passages: Mapping[str, Passage],
    confidence: Confidence,
) -> Answer:
    """Return the answer; evidence that stands side by side in the book becomes one citation."""
    spans: list[_Span] = []
    numbers: list[tuple[int, ...]] = []
    for sentence in checked:
        used = [_place(spans, span, passages) for span in sentence.evidence]
        numbers.append(tuple(dict.fromkeys(used)))
    return Answer(
        text=_lay_out(checked, numbers),
        sentences=tuple(
            AnswerSentence(text=_shown(c.sentence), citations=cited, support=c.support)
            for c, cited in zip(checked, numbers, strict=True)
        ),
        citations=tuple(
            cite(number, span.start, span.end, passages[span.chunk_id])
            for number, span in enumerate(spans, start=1)
        ),
        confidence=confidence,
    )


def _place(spans: list[_Span], span: Evidence, passages: Mapping[str, Passage]) -> int:
    """Return the number of the citation that holds a span, widening or adding one."""
    text = passages[span.chunk_id].chunk.text
    for number, known in enumerate(spans, start=1):
        if known.chunk_id != span.chunk_id:
            continue
        inside = known.start <= span.start and span.end <= known.end
        follows = known.end <= span.start and _SEAM.fullmatch(text, known.end, span.start)
        precedes = span.end <= known.start and _SEAM.fullmatch(text, span.end, known.start)
        if inside or follows or precedes:
            known.start = min(known.start, span.start)
            known.end = max(known.end, span.end)
            return number
    spans.append(_Span(span.chunk_id, span.start, span.end))
    return len(spans)


def cite(number: int, start: int, end: int, passage: Passage) -> Citation:
    """Return the citation of a span of a passage."""
    chunk = passage.chunk
    return Citation(
        index=number,
        chunk_id=chunk.id,
        start=start,
        end=end,
        excerpt=chunk.text[start:end],
        relevance_score=passage.score,
        section=chunk.section,
        heading_path=chunk.heading_path,
        page_path=chunk.page_path,
        page_title=chunk.page_title,
        page_url=web_address(chunk.page_url),
        page_number=chunk.page_number,
        chapter=chunk.chapter,
        module=chunk.module,
        url=deep_link(chunk, start, end),
    )


def _lay_out(checked: Sequence[CheckedSentence], numbers: Sequence[tuple[int, ...]]) -> str:
    text = ""
    before = ""
    for sentence, cited in zip(checked, numbers, strict=True):
        layout = sentence.sentence.layout
        goes_on = layout == "item" and not sentence.sentence.marker
        separator = " " if goes_on else _separator(before, layout)
        text += separator if text else ""
        text += _set(sentence, "".join(f"[{number}]" for number in cited))
        before = layout
    return text


def _separator(before: str, layout: str) -> str:
    if before == layout == "prose":
        return " "
    return "\n" if before == layout == "item" or (before, layout) == ("prose", "item") else "\n\n"


def _set(checked: CheckedSentence, citation: str) -> str:
    sentence = checked.sentence
    text = _shown(sentence)
    if sentence.layout == "code":
        return f"{fenced(text, sentence.language)}\n{citation}"
    if sentence.layout == "formula":
        # Its signs mean something else in Markdown where formulas are not set: "$$" ends it.
        is_safe = is_inert(text) and "$$" not in text and "`" not in text
        return f"$${text}$$ {citation}" if is_safe else f"{fenced(text, 'math')}\n{citation}"
    marker = f"{sentence.marker} " if sentence.marker else ""
    return f"{marker}{_MODEL_CITATION.sub('', text).strip()} {citation}"


def _shown(sentence: DraftSentence) -> str:
    """Return what a reader gets to see of a sentence, with nothing live in it."""
    is_prose = sentence.layout in ("prose", "item")
    return inert(sentence.text) if is_prose else without_invisible(sentence.text)

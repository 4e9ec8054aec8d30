"""The gate as a tool of its own: is a text, or a claim, carried by a book or by a passage?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from bythebook.assistant import Assistant
from bythebook.grounding.claims import SUPPORT_FLOOR, reasons_of, support_of
from bythebook.grounding.judging import judge
from bythebook.grounding.support import check, explain, holds_code
from bythebook.links import deep_link
from bythebook.queries import make_query
from bythebook.readers.base import Reader
from bythebook.types import (
    MAX_QUESTION_CHARACTERS,
    Draft,
    DraftSentence,
    Evidence,
    Passage,
    Value,
)
from bythebook.writers.drafting import split_draft

# How many passages are searched for the words of one sentence.
_DEPTH = 10

# A sentence that opens so is about the one before it, and is looked for together with it.
_POINTS_BACK = ("it ", "they ", "this ", "these ", "its ", "their ", "he ", "she ")


class Place(Value):
    """A span of the book, with what a person needs to find it."""

    chunk_id: str
    start: int
    end: int
    excerpt: str
    section: str
    page_title: str | None = None
    url: str | None = None


class PairVerdict(Value):
    """Whether a claim is carried by the evidence that came with it."""

    supported: bool
    support: float = Field(ge=0.0, le=1.0)
    reasons: tuple[str, ...] = ()


class SentenceVerdict(PairVerdict):
    """Whether the book carries a sentence; `nearest` shows what it says instead."""

    text: str
    citation: Place | None = None
    nearest: Place | None = None


async def check_text(assistant: Assistant, text: str) -> list[SentenceVerdict]:
    """Return a verdict on each sentence of a text; raise what retrieval raises."""
    verdicts: list[SentenceVerdict] = []
    before = ""
    for sentence in split_draft(text, ()):
        points_back = sentence.text.lower().startswith(_POINTS_BACK)
        wanted = f"{before} {sentence.text}" if points_back else sentence.text
        query = make_query(wanted[-MAX_QUESTION_CHARACTERS:], top_k=_DEPTH)
        found = await assistant.search(query)
        verdicts.append(_verdict(sentence, found.hits, assistant.reader))
        before = sentence.text
    return verdicts


def check_pair(claim: str, evidence: str, reader: Reader | None = None) -> PairVerdict:
    """Return a verdict on a claim against the evidence given; each of its sentences must hold."""
    sentences = split_draft(claim, ())
    if not sentences:
        return PairVerdict(supported=False, support=0.0, reasons=reasons_of(claim, evidence))
    support = min(_support(sentence, evidence, reader) for sentence in sentences)
    supported = support >= SUPPORT_FLOOR
    reasons = [reason for sentence in sentences for reason in _reasons(sentence, evidence)]
    if not supported and not reasons:
        reasons = ["the passage does not seem to say this"]
    return PairVerdict(
        supported=supported,
        support=support,
        reasons=() if supported else tuple(dict.fromkeys(reasons)),
    )


def _support(sentence: DraftSentence, evidence: str, reader: Reader | None) -> float:
    if sentence.layout == "code":
        return float(holds_code(sentence.text, evidence))
    if reader is not None:
        return judge(reader, [sentence.text], [evidence])[0].support
    return support_of(sentence.text, evidence)


def _reasons(sentence: DraftSentence, evidence: str) -> tuple[str, ...]:
    if sentence.layout != "code":
        return reasons_of(sentence.text, evidence)
    return () if holds_code(sentence.text, evidence) else ("the code is not in the passage",)


def _verdict(
    sentence: DraftSentence, passages: Sequence[Passage], reader: Reader | None
) -> SentenceVerdict:
    known = {passage.chunk.id: passage for passage in passages}
    for passed in check(Draft(sentences=(sentence,), model="check"), passages, reader):
        return SentenceVerdict(
            text=sentence.text,
            supported=True,
            support=passed.support,
            citation=_place(passed.evidence[0], known[passed.evidence[0].chunk_id]),
        )
    span, reasons = explain(sentence, passages)
    return SentenceVerdict(
        text=sentence.text,
        supported=False,
        support=0.0,
        reasons=reasons,
        nearest=_place(span, known[span.chunk_id]) if span else None,
    )


def _place(span: Evidence, passage: Passage) -> Place:
    chunk = passage.chunk
    return Place(
        chunk_id=chunk.id,
        start=span.start,
        end=span.end,
        excerpt=chunk.text[span.start : span.end],
        section=chunk.section,
        page_title=chunk.page_title,
        url=deep_link(chunk, span.start, span.end),
    )

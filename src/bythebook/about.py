"""What a book says of itself, for who asks what it is about and whom it is for.

Such a question has no words to search by: "book" stands on many pages, and those that say it often
say little about it. A book introduces itself on its first pages, in sentences of which it is the
subject. Where it does not, nothing here applies, and the question is taken as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from bythebook.relevance import is_quotable
from bythebook.types import BlockKind, Chunk, Passage
from bythebook.units import Unit, units_of


class Aspect(StrEnum):
    """What is asked of a book as a whole."""

    SUBJECT = "subject"
    AUDIENCE = "audience"


# A book introduces itself here or nowhere, in about so many sentences.
_FIRST_PAGES = 6
_SENTENCES = 3
_PASSAGES = 2

_BOOK = r"(?:(?:text|hand)?book|course|guide|tutorial|manual|documentation)"
# "The" other book, or a guide with a name, is a thing that a book may treat like any other.
_THIS_BOOK = rf"(?:this\s+(?:(?:short|little|whole|entire|online)\s+)?|the\s+(?:whole\s+)?){_BOOK}"
_POLITE = r"^\W*(?:(?:so|and|ok|hi|hello|please|can you|could you|briefly|in short)\W+)*"
_END = r"(?:\W+(?:exactly|really|mainly|please|in short|briefly))*\W*$"
_ASKED = {
    Aspect.SUBJECT: (
        rf"what(?:\s+is|['’]s)\s+{_THIS_BOOK}(?:\s+(?:all\s+)?about)?",
        rf"what\s+(?:does|will|can)\s+{_THIS_BOOK}\s+(?:cover|teach(?:\s+me)?|explain|deal\s+with)",
        rf"what\s+(?:is|are)\s+(?:covered|taught|explained)\s+(?:in|by)\s+{_THIS_BOOK}",
        rf"what\s+(?:do|will|can|would)\s+(?:i|we|you)\s+learn\s+(?:in|from|with)\s+{_THIS_BOOK}",
        rf"(?:tell\s+me|talk)\s+about\s+{_THIS_BOOK}",
        rf"(?:summari[sz]e|describe|introduce)\s+{_THIS_BOOK}",
        rf"(?:give\s+(?:me\s+)?)?(?:a\s+|an\s+)?(?:short\s+)?(?:summary|overview)\s+of\s+{_THIS_BOOK}",
    ),
    Aspect.AUDIENCE: (
        rf"who(?:\s+is|['’]s|m\s+is)\s+{_THIS_BOOK}\s+(?:\w+\s+)?(?:for|at|to)",
        rf"who\s+(?:should|can|could|is\s+supposed\s+to)\s+(?:read|take|use)\s+{_THIS_BOOK}",
        rf"(?:for\s+whom|for\s+who)\s+is\s+{_THIS_BOOK}(?:\s+\w+)?",
    ),
}
_QUESTIONS = {
    aspect: re.compile(_POLITE + "(?:" + "|".join(forms) + ")" + _END, re.IGNORECASE)
    for aspect, forms in _ASKED.items()
}

_PEOPLE = r"(?:students?|readers?|developers?|engineers?|programmers?|beginners?|people|anyone)"
_ITSELF = rf"\b(?:this\s+(?:\w+\s+){{0,2}}?|the\s+){_BOOK}\b"
_TELLING = {
    Aspect.SUBJECT: re.compile(
        rf"{_ITSELF}\s+(?:will\s+|also\s+|aims\s+to\s+|is\s+meant\s+to\s+)?"
        r"(?:is\s+about\b|is\s+an?\s+(?:[\w-]+\s+){0,4}(?:introduction|guide|tour|overview)\b"
        r"|(?:explain|teach(?:e(?=s))?|cover|introduce|explore|describe|present|provide|show)s?\b"
        r"|(?:take|guide)s?\s+you\b)"
        rf"|^\W*welcome\s+to\b.*\b{_BOOK}\b|\b(?:introductory|introduction)\b.*\b{_BOOK}\s+about\b"
        rf"|(?:\bin|\bby\s+the\s+end\s+of)\s+{_ITSELF}\W+you(?:['’]ll|\s+will)\b",
        re.IGNORECASE,
    ),
    Aspect.AUDIENCE: re.compile(
        rf"{_ITSELF}\s+is\s+(?:\w+\s+)?(?:for|at)\s.{{0,60}}\b{_PEOPLE}"
        rf"|(?:{_ITSELF}\s+assumes?|\bwe\s+assume)\s+(?:that\s+)?(?:you|the\s+reader)"
        r"(?:['’]ve|['’]re\s+familiar|\s+(?:have|has|know|knows|are\s+familiar|can))\b"
        r"|\breaders?\s+(?:is|are)\s+(?:assumed|expected)\b",
        re.IGNORECASE,
    ),
}


def aspect_of(question: str) -> Aspect | None:
    """Return what a question asks of the book as a whole; most questions ask nothing of it."""
    return next((a for a, pattern in _QUESTIONS.items() if pattern.match(question)), None)


def front(chunks: Iterable[Chunk], pages: Sequence[str], aspect: Aspect) -> list[Chunk]:
    """Return the chunks in which a book introduces itself, the most telling first."""
    order = {path: number for number, path in enumerate(pages[:_FIRST_PAGES])}
    first = [chunk for chunk in chunks if chunk.page_path in order]
    first.sort(key=lambda chunk: (order[chunk.page_path], chunk.index))
    counts = [(len(introduction([_as_passage(chunk)], aspect)), chunk) for chunk in first]
    telling = [one for one in counts if one[0]]
    telling.sort(key=lambda one: -one[0])  # the sort is stable: the earlier page stays first
    return [chunk for _, chunk in telling[:_PASSAGES]]


def introduction(passages: Sequence[Passage], aspect: Aspect) -> list[Unit]:
    """Return the sentences in which a book tells what it is about, or whom it is for."""
    told = [
        unit
        for passage in passages
        for units in [units_of(passage)]
        for unit in units
        if unit.kind is BlockKind.PARAGRAPH
        and not unit.is_announcement
        and is_quotable(unit, units)
        and _TELLING[aspect].search(unit.text)
    ]
    return told[:_SENTENCES]


def _as_passage(chunk: Chunk) -> Passage:
    return Passage(chunk=chunk, score=0.0, rank=1)

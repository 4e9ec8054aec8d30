"""An outcome as the text of a chat message, in the pieces it is streamed in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from bythebook.contracts.grounded import REFUSAL_MESSAGES
from bythebook.contracts.grounded import RefusalType as ContractRefusalType
from bythebook.types import Answer, Citation, Refusal, SectionLink

# A model's own citations, which the laid out text has no more.
_CITED_BY_MODEL = re.compile(r"(?:\s*\[\d+\])+$")
_BRACKET = re.compile(r"([\[\]])")


@dataclass(frozen=True)
class Mark:
    """Where in the text a citation is named."""

    start: int
    end: int
    citation: Citation


def pieces_of(result: Answer | Refusal) -> list[str]:
    """Return a message in pieces: the checked sentences one by one, then the links."""
    if isinstance(result, Refusal):
        return [_refusal(result)]
    ends = [end for _, end in _citing(result)]
    text = result.text
    # Whatever stands behind the last citation goes with it.
    ends = [*ends[:-1], len(text)] if ends else [len(text)]
    starts = [0, *ends[:-1]]
    sentences = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return [*sentences, _sources(result.citations)]


def marks_in(answer: Answer) -> list[Mark]:
    """Return every place of the text that names a citation."""
    marks: list[Mark] = []
    by_number = {citation.index: citation for citation in answer.citations}
    for sentence, (start, _) in zip(answer.sentences, _citing(answer), strict=False):
        names = [f"[{number}]" for number in sentence.citations]
        begins = accumulate((len(name) for name in names[:-1]), initial=start)
        for number, name, begin in zip(sentence.citations, names, begins, strict=True):
            marks.append(Mark(begin, begin + len(name), by_number[number]))
    return marks


def place_of(citation: Citation) -> str:
    """Return where a citation stands in the book, for a person."""
    return " > ".join(dict.fromkeys([citation.page_title or "", *citation.heading_path])).strip()


def _citing(answer: Answer) -> Iterator[tuple[int, int]]:
    """Yield where the citations of each sentence stand in the text of the answer."""
    position = 0
    for sentence in answer.sentences:
        words = _CITED_BY_MODEL.sub("", sentence.text).strip()
        names = "".join(f"[{number}]" for number in sentence.citations)
        found = answer.text.find(words, position)
        start = answer.text.find(names, found + len(words)) if found >= 0 else -1
        if start < 0:
            return  # laid out in a way unknown here: the rest is one piece
        position = start + len(names)
        yield start, position


def _sources(citations: Sequence[Citation]) -> str:
    lines = [
        f"- [{citation.index}] {_link(place_of(citation) or citation.section, citation.url)}"
        for citation in citations
    ]
    return "\n".join(["\n\nSources:\n", *lines])


def _refusal(refusal: Refusal) -> str:
    said = f"{REFUSAL_MESSAGES[ContractRefusalType(refusal.type.value)]}. {refusal.explanation}"
    if refusal.contradicted_by:
        said += f"\n\nThe book says: {refusal.contradicted_by.excerpt}"
    if not refusal.nearest:
        return said
    return "\n".join([f"{said}\n\nNearest sections:\n", *map(_section, refusal.nearest)])


def _section(section: SectionLink) -> str:
    place = " > ".join(dict.fromkeys([section.page_title, section.title]))
    return f"- {_link(place, section.url)}"


def _link(name: str, url: str | None) -> str:
    safe = _BRACKET.sub(r"\\\1", name)
    return f"[{safe}]({url})" if url else name

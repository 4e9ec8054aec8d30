"""What each tool returns, as values with a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from bythebook.contents import ContentsPage
from bythebook.links import deep_link
from bythebook.pagetext import Section
from bythebook.types import (
    Answer,
    Citation,
    ConfidenceLevel,
    Outcome,
    Passage,
    Refusal,
    SectionLink,
    Value,
)


class FoundPassage(Value):
    """A passage of the book, word for word."""

    number: int = Field(description="Its place in this result, best first.")
    text: str
    score: float = Field(description="Cosine similarity to the query, 0 to 1.")
    url: str | None = Field(description="Opens the book at this passage.")
    page: str
    page_title: str
    section: str
    heading_path: tuple[str, ...]
    anchor: str
    module: str | None
    chapter: str | None
    chunk_id: str
    start: int = Field(description="Where the passage begins in the text of its page.")
    end: int = Field(description="Where it ends; the lead is not counted.")
    lead: str = Field(description="A table's header row, repeated in front of the passage.")

    @classmethod
    def of(cls, number: int, passage: Passage) -> FoundPassage:
        """Return a passage under its number."""
        chunk = passage.chunk
        return cls(
            number=number,
            text=chunk.text,
            score=round(passage.score, 6),
            url=deep_link(chunk, len(chunk.lead), len(chunk.text)),
            page=chunk.page_path,
            page_title=chunk.page_title,
            section=chunk.section,
            heading_path=chunk.heading_path,
            anchor=chunk.anchor,
            module=chunk.module,
            chapter=chunk.chapter,
            chunk_id=chunk.id,
            start=chunk.start,
            end=chunk.end,
            lead=chunk.lead,
        )


class NotInThisBook(Value):
    """Why the book does not answer, and where to look instead."""

    type: str
    reason: str
    explanation: str
    missing_terms: tuple[str, ...] = Field(description="Words of the question the book never has.")
    nearest: tuple[SectionLink, ...] = Field(description="Sections that come closest.")
    contradicted_by: Citation | None = Field(
        description="What the book says instead, when the question takes something false as given."
    )

    @classmethod
    def of(cls, refusal: Refusal) -> NotInThisBook:
        """Return a refusal."""
        return cls(
            type=refusal.type.value,
            reason=refusal.reason.value,
            explanation=refusal.explanation,
            missing_terms=refusal.missing_terms,
            nearest=refusal.nearest,
            contradicted_by=refusal.contradicted_by,
        )


class RetrieveResult(Value):
    """Passages, and whether they answer."""

    query: str
    verdict: Literal["answers", "not_in_this_book"]
    sufficient: bool = Field(description="Whether the passages answer the query.")
    answered_by: tuple[int, ...] = Field(
        description="The numbers of the passages that hold the answer."
    )
    passages: tuple[FoundPassage, ...]
    threshold: float | None = Field(description="The least similarity that counted.")
    refusal: NotInThisBook | None

    @classmethod
    def of(cls, outcome: Outcome, result: Answer | Refusal) -> RetrieveResult:
        """Return what was found for a question and what became of it."""
        retrieval = outcome.retrieval
        passages = retrieval.passages[: outcome.query.top_k] if retrieval else ()
        is_answer = isinstance(result, Answer)
        return cls(
            query=outcome.query.text,
            verdict="answers" if is_answer else "not_in_this_book",
            sufficient=is_answer,
            answered_by=_cited(passages, result) if isinstance(result, Answer) else (),
            passages=tuple(FoundPassage.of(n, p) for n, p in enumerate(passages, start=1)),
            threshold=retrieval.threshold if retrieval else None,
            refusal=NotInThisBook.of(result) if isinstance(result, Refusal) else None,
        )


class CitedSentence(Value):
    """A sentence of the answer with the numbers of its citations."""

    text: str
    citations: tuple[int, ...]


class AskResult(Value):
    """An answer with its citations, or the refusal."""

    question: str
    kind: Literal["answer", "refusal"]
    answer: str | None = Field(description="The answer with [1], [2] behind its sentences.")
    sentences: tuple[CitedSentence, ...]
    citations: tuple[Citation, ...] = Field(
        description="The exact words each number stands for, with a link that opens them."
    )
    confidence: float | None = Field(description="0 to 1.")
    confidence_level: ConfidenceLevel | None
    refusal: NotInThisBook | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, outcome: Outcome, result: Answer | Refusal) -> AskResult:
        """Return the outcome of a question."""
        answer = result if isinstance(result, Answer) else None
        return cls(
            question=outcome.query.text,
            kind=result.kind,
            answer=answer.text if answer else None,
            sentences=tuple(
                CitedSentence(text=sentence.text, citations=sentence.citations)
                for sentence in (answer.sentences if answer else ())
            ),
            citations=answer.citations if answer else (),
            confidence=answer.confidence.overall if answer else None,
            confidence_level=answer.confidence.level if answer else None,
            refusal=NotInThisBook.of(result) if isinstance(result, Refusal) else None,
            notes=outcome.notes,
        )


class ListedSection(Value):
    """An entry of the table of contents."""

    page: str
    page_title: str
    heading: str
    depth: int = Field(description="0 for a page, 1 for its first headings, and so on.")
    heading_path: tuple[str, ...]
    anchor: str | None
    url: str | None
    module: str | None
    chapter: str | None
    characters: int = Field(description="Length of the text, subsections included.")

    @classmethod
    def of(cls, page: ContentsPage, section: Section) -> ListedSection:
        """Return the entry of a section."""
        return cls(
            page=page.entry.path,
            page_title=page.entry.title,
            heading=page.title(section),
            depth=len(section.heading_path),
            heading_path=section.heading_path,
            anchor=section.anchor or None,
            url=page.url(section),
            module=page.entry.module,
            chapter=page.entry.chapter,
            characters=section.end - section.start,
        )


class ListResult(Value):
    """A part of the table of contents."""

    title: str = Field(description="The title of the book.")
    modules: tuple[str, ...]
    sections: tuple[ListedSection, ...]
    total: int
    offset: int
    next_offset: int | None = Field(description="Pass it as offset to go on; null at the end.")


class ReadResult(Value):
    """A section's text, or a part of it."""

    page: str
    page_title: str
    heading: str
    heading_path: tuple[str, ...]
    anchor: str | None
    url: str | None
    module: str | None
    chapter: str | None
    text: str = Field(description="The book's own words; parts joined give the whole section.")
    offset: int
    total_characters: int
    next_offset: int | None = Field(description="Pass it as offset to go on; null at the end.")


def _cited(passages: Sequence[Passage], answer: Answer) -> tuple[int, ...]:
    cited = {citation.chunk_id for citation in answer.citations}
    return tuple(n for n, p in enumerate(passages, start=1) if p.chunk.id in cited)

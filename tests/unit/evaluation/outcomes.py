"""Questions and outcomes made by hand, so that a figure can be worked out on paper."""

from __future__ import annotations

from bythebook.evaluation import Case, Form, Gold, Row
from bythebook.evaluation.judging import Judge
from bythebook.types import (
    Answer,
    AnswerSentence,
    Citation,
    Confidence,
    Failure,
    Outcome,
    Passage,
    Query,
    Refusal,
    RefusalReason,
    RefusalType,
    Result,
    Retrieval,
    State,
    Timings,
)
from tests.builders import P, make_chunk

PAGE = "drift.md"
OTHER = "other.md"
GOLD = "An IMU drifts because its small errors are integrated over time."
BESIDE = "A camera removes the drift."
TEXT = f"{GOLD} {BESIDE}"


def passage(text: str = TEXT, page: str = PAGE, **fields: object) -> Passage:
    values = {"id": f"id of {page}", "page_path": page} | fields
    return Passage(chunk=make_chunk((P, text), **values), score=0.8, rank=1)


def cite(excerpt: str, source: Passage, index: int = 1, shift: int = 0) -> Citation:
    start = source.chunk.text.index(excerpt) + shift
    return Citation(
        index=index,
        chunk_id=source.chunk.id,
        start=start,
        end=start + len(excerpt),
        excerpt=excerpt,
        relevance_score=0.8,
        section=source.chunk.section,
        page_path=source.chunk.page_path,
        url="https://example.org/book/drift#imu",
    )


def confidence(value: float) -> Confidence:
    return Confidence(
        retrieval_quality=value,
        coverage_score=value,
        entailment_score=value,
        lexical_overlap=value,
    )


def answer(*citations: Citation, sure: float = 0.9) -> Answer:
    numbers = tuple(citation.index for citation in citations)
    text = " ".join(citation.excerpt for citation in citations)
    sentence = AnswerSentence(text=text, citations=numbers, support=1.0)
    return Answer(
        text=text, sentences=(sentence,), citations=citations, confidence=confidence(sure)
    )


def refusal(**fields: object) -> Refusal:
    values: dict[str, object] = {
        "type": RefusalType.INSUFFICIENT_GROUNDING,
        "reason": RefusalReason.MENTIONED_NOT_EXPLAINED,
        "explanation": "The book does not say.",
    }
    return Refusal.model_validate(values | fields)


FAILURE = Failure(stage="generation", error="WriterError", message="the model is gone")


def case(**fields: object) -> Case:
    values: dict[str, object] = {
        "id": "c1",
        "form": Form.SINGLE,
        "kind": "why",
        "turns": ("Why does an IMU drift?",),
        "answerable": True,
        "gold_pages": (PAGE,),
        "gold": (Gold(text=GOLD),),
    }
    return Case.model_validate(values | fields)


def outcome(result: Result, *passages: Passage, text: str = "Why?") -> Outcome:
    query = Query(text=text)
    return Outcome(
        query=query,
        result=result,
        mode=query.mode,
        state=State.COMPLETE,
        retrieval=Retrieval(passages=passages, total_candidates=9, threshold=0.2),
        timings=Timings(total_ms=10.0),
    )


def row(result: Result, *passages: Passage, **fields: object) -> Row:
    """Return the row of a question with this result; its gold page is PAGE."""
    given = passages or (passage(),)
    judge = Judge({found.chunk.id: found.chunk.text for found in given})
    return judge.judge(case(**fields), frozenset({PAGE}), outcome(result, *given))


def right(**fields: object) -> Row:
    return row(answer(cite(GOLD, passage())), **fields)


def taking(judged: Row, ms: float) -> Row:
    return judged.model_copy(update={"ms": ms})


def false_refusal(**fields: object) -> Row:
    return row(refusal(), **fields)


def wrong_place(**fields: object) -> Row:
    other = passage("Lidar needs no light.", page=OTHER)
    return row(answer(cite("Lidar needs no light.", other), sure=0.7), other, **fields)


def false_answer(**fields: object) -> Row:
    return right(answerable=False, gold=(), gold_pages=(), **fields)


def right_refusal(**fields: object) -> Row:
    return row(refusal(), answerable=False, gold=(), gold_pages=(), **fields)


def failed(**fields: object) -> Row:
    return row(FAILURE, **fields)

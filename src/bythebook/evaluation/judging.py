"""Holding the outcome of a question against what its author knows about the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from bythebook.evaluation.cases import Case, Form
from bythebook.evaluation.key_points import share_said
from bythebook.evaluation.matching import holds, is_cited, touches
from bythebook.evaluation.rows import CitedPlace, FoundPlace, Measures, Row, Told, Verdict
from bythebook.links import section_link
from bythebook.terms import question_terms
from bythebook.types import Answer, Citation, Failure, Outcome, Passage, Refusal, Result


@dataclass(frozen=True)
class Judge:
    """Judges outcomes; `texts` are the passages as the store holds them, by their ids."""

    texts: Mapping[str, str]

    def judge(self, case: Case, gold_pages: frozenset[str], outcome: Outcome) -> Row:
        """Return the row of a question."""
        pages = gold_pages if case.form is not Form.SELECTED else frozenset()
        passages = _passages(case, pages, outcome)
        citations = self._citations(case, pages, outcome)
        understood_as = outcome.query.text if case.form is Form.FOLLOW_UP else None
        return Row(
            id=case.id,
            form=case.form,
            kind=case.kind,
            question=case.question,
            answerable=case.answerable,
            verdict=_verdict(case, outcome.result, citations),
            before=case.turns[:-1],
            understood_as=understood_as,
            standalone=case.standalone,
            selected_text=case.selected_text,
            citations=citations,
            passages=passages,
            signals=outcome.signals,
            notes=outcome.notes,
            ms=outcome.timings.total_ms,
            gold_pages=case.gold_pages,
            gold_sentences=tuple(gold.text for gold in case.gold),
            key_points=case.key_points,
            answered_elsewhere=case.answered_elsewhere,
            why_unanswerable=case.why_unanswerable,
            told=_told(outcome.result),
            measures=_measures(case, outcome, citations, passages),
        )

    def _citations(
        self, case: Case, pages: frozenset[str], outcome: Outcome
    ) -> tuple[CitedPlace, ...]:
        if not isinstance(outcome.result, Answer):
            return ()
        return tuple(
            CitedPlace(
                index=citation.index,
                page=citation.page_path,
                section=citation.section,
                excerpt=citation.excerpt,
                url=citation.url,
                on_gold_page=citation.page_path in pages,
                on_gold_sentence=any(touches(citation.excerpt, gold.text) for gold in case.gold),
                is_verbatim=self._is_verbatim(citation, case),
            )
            for citation in outcome.result.citations
        )

    def _is_verbatim(self, citation: Citation, case: Case) -> bool:
        """Tell whether a quote is the stored text, looked up by id and not taken from the outcome.

        What a reader marked is in no store: there the marked text itself is the source.
        """
        source = (
            self.texts.get(citation.chunk_id) if case.selected_text is None else case.selected_text
        )
        return source is not None and source[citation.start : citation.end] == citation.excerpt


def _passages(case: Case, pages: frozenset[str], outcome: Outcome) -> tuple[FoundPlace, ...]:
    found: Sequence[Passage] = outcome.retrieval.passages if outcome.retrieval else ()
    return tuple(
        FoundPlace(
            page=passage.chunk.page_path,
            section=passage.chunk.section,
            score=round(passage.score, 4),
            rank=rank,
            text=passage.chunk.text,
            url=section_link(passage.chunk),
            on_gold_page=passage.chunk.page_path in pages,
            holds_gold=any(holds(passage.chunk.text, gold.text) for gold in case.gold),
        )
        for rank, passage in enumerate(found, start=1)
    )


def _verdict(case: Case, result: Result, citations: Sequence[CitedPlace]) -> Verdict:
    if isinstance(result, Failure):
        return Verdict.FAILED
    if not isinstance(result, Answer):
        return Verdict.FALSE_REFUSAL if case.answerable else Verdict.RIGHT_REFUSAL
    if not case.answerable:
        return Verdict.FALSE_ANSWER
    if case.form is Form.SELECTED:
        # Marked text is one page at most: here only the words can be right or wrong.
        is_right = not case.gold or any(place.on_gold_sentence for place in citations)
    else:
        is_right = any(place.on_gold_page for place in citations)
    return Verdict.RIGHT_ANSWER if is_right else Verdict.WRONG_PLACE


def _told(result: Result) -> Told:
    match result:
        case Answer(confidence=confidence):
            # What calibration makes of it, where there is one, claims to be a probability.
            known = confidence.probability
            return Told(
                kind=result.kind,
                text=result.text,
                confidence=confidence.overall if known is None else known,
                level=confidence.level,
            )
        case Refusal(contradicted_by=contradiction):
            return Told(
                kind=result.kind,
                text=result.explanation,
                refusal_type=result.type.value,
                reason=result.reason.value,
                missing_terms=result.missing_terms,
                contradicted_by=contradiction.excerpt if contradiction else None,
            )
        case Failure():
            hint = f" ({result.hint})" if result.hint else ""
            text = f"{result.stage}: {result.message}{hint}"
            return Told(kind=result.kind, text=text, is_setup=result.is_setup)
        case other:
            assert_never(other)


def _measures(
    case: Case, outcome: Outcome, citations: Sequence[CitedPlace], passages: Sequence[FoundPlace]
) -> Measures:
    result = outcome.result
    if isinstance(result, Failure):
        return Measures()
    understood = _is_understood(case, outcome.query.text)
    if not case.answerable:
        return Measures(understood=understood)
    asks_the_book = case.form is not Form.SELECTED
    excerpts = [place.excerpt for place in citations]
    cited = [is_cited(excerpts, gold.text) for gold in case.gold]
    said = " ".join([result.text, *excerpts]) if isinstance(result, Answer) else ""
    on_page = [place.on_gold_page for place in citations] if asks_the_book else []
    on_sentence = [place.on_gold_sentence for place in citations] if case.gold else []
    return Measures(
        page_rank=_first(place.rank for place in passages if place.on_gold_page),
        gold_rank=_first(place.rank for place in passages if place.holds_gold),
        gold_cited=any(cited) if cited else None,
        precision=_share(on_page),
        precision_strict=_share(on_sentence),
        recall=_share(cited),
        key_points_said=share_said(said, case.key_points) if case.key_points else None,
        understood=understood,
    )


def _is_understood(case: Case, completed: str) -> bool | None:
    """Tell whether a completed follow-up has every telling word of the one its author wrote."""
    if case.form is not Form.FOLLOW_UP or case.standalone is None:
        return None
    return question_terms(case.standalone).keys() <= question_terms(completed).keys()


def _first(ranks: Iterable[int]) -> int | None:
    return next(iter(ranks), None)


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None

"""Asking a book every question of an evaluation, as a reader would, and judging what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from bythebook.assistant import Assistant
from bythebook.conversation import Conversation, Rewriter
from bythebook.evaluation.cases import Case, Form
from bythebook.evaluation.judging import Judge
from bythebook.evaluation.matching import holds
from bythebook.evaluation.pages import PageFinder
from bythebook.evaluation.report import Report, make_report
from bythebook.evaluation.rows import Row
from bythebook.types import Chunk, Failure, Outcome, Query

_NAMED = 5  # so many ids are given in a note


async def evaluate(
    assistant: Assistant,
    cases: Sequence[Case],
    *,
    writer: str = "",
    rewriter: Rewriter | None = None,
    on_outcome: Callable[[Case, Outcome], None] | None = None,
) -> Report:
    """Return the report on some questions; a question that fails is a row, not an exception.

    They are asked one after another, so that the times are those of a reader who is alone.
    """
    manifest = assistant.manifest
    chunks = await asyncio.to_thread(lambda: list(assistant.chunks()))
    judge = Judge({chunk.id: chunk.text for chunk in chunks})
    finder = PageFinder(manifest.pages)
    rows: list[Row] = []
    for case in cases:
        outcome = await _ask(assistant, case, rewriter)
        rows.append(judge.judge(case, finder.find(case), outcome))
        if on_outcome:
            on_outcome(case, outcome)
    return make_report(
        rows,
        book=manifest.title,
        generation=manifest.generation,
        embedder=manifest.embedder,
        writer=writer,
        notes=_doubts(cases, finder, _page_texts(chunks)),
    )


async def _ask(assistant: Assistant, case: Case, rewriter: Rewriter | None) -> Outcome:
    if case.form is not Form.FOLLOW_UP:
        query = Query(text=case.question, selected_text=case.selected_text, page_url=case.page_url)
        return await assistant.ask(query)
    conversation = Conversation(assistant, rewriter=rewriter)
    for turn in case.turns:
        outcome = await conversation.ask(Query(text=turn))
        if isinstance(outcome.result, Failure):
            break  # what comes after a turn that failed says nothing about follow-ups
    return outcome


def _page_texts(chunks: Sequence[Chunk]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for chunk in sorted(chunks, key=lambda chunk: (chunk.page_path, chunk.index)):
        texts.setdefault(chunk.page_path, []).append(chunk.text.removeprefix(chunk.lead))
    return {path: "\n".join(parts) for path, parts in texts.items()}


def _doubts(cases: Sequence[Case], finder: PageFinder, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Say which questions do not fit the index: another book, or a book that was edited since."""
    homeless, misquoted = [], []
    for case in cases:
        pages = finder.find(case)
        if case.form is not Form.SELECTED and case.answerable and not pages:
            homeless.append(case.id)
        elif case.selected_text is not None:
            if not all(holds(case.selected_text, gold.text) for gold in case.gold):
                misquoted.append(case.id)
        elif not all(
            any(holds(texts.get(page, ""), gold.text) for page in pages) for gold in case.gold
        ):
            misquoted.append(case.id)
    notes = []
    if homeless:
        notes.append(f"the index has no gold page of {_listed(homeless)}")
    if misquoted:
        notes.append(f"a gold sentence is not on its page in the index: {_listed(misquoted)}")
    return tuple(notes)


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"{', '.join(ids[:_NAMED])}{more}"

"""`bythebook ask`: one question, one cited answer or one clear refusal."""

from __future__ import annotations

import asyncio
from typing import Annotated, assert_never

import typer

from bythebook.assembly import open_assistant
from bythebook.cli.console import data, heading, message, styled
from bythebook.cli.exits import ExitCode, of_outcome
from bythebook.cli.options import (
    IndexOption,
    JsonOption,
    ModuleOption,
    ProfileOption,
    QuestionArgument,
    TopKOption,
    WriterOption,
)
from bythebook.cli.question import read_question
from bythebook.contracts.grounded import REFUSAL_MESSAGES
from bythebook.contracts.grounded import RefusalType as ContractRefusalType
from bythebook.contracts.profiles import Profile, load_profile
from bythebook.contracts.registry import invalid, respond, to_json
from bythebook.errors import QueryError
from bythebook.queries import MAX_SELECTED_CHARACTERS, Limits, make_query
from bythebook.settings import Settings, load_settings
from bythebook.types import Answer, Confidence, Failure, Outcome, Query, Refusal


def ask(
    question: QuestionArgument,
    index: IndexOption = None,
    top_k: TopKOption = None,
    threshold: Annotated[
        float | None, typer.Option(help="Least similarity of a passage, 0 to 1.")
    ] = None,
    module: ModuleOption = None,
    selected_text: Annotated[
        str | None, typer.Option(help="Answer from this text only, not from the book.")
    ] = None,
    writer: WriterOption = None,
    profile: ProfileOption = "grounded",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what spoke for and against an answer.")
    ] = False,
    json: JsonOption = False,
) -> int:
    """Answer a question from the book, or say that the book does not."""
    chosen = load_profile(profile)
    settings = load_settings(index=index, writer=writer)
    text = read_question(question)
    try:
        query = make_query(
            text,
            top_k=top_k,
            threshold=chosen.threshold_for(settings.embedder) if threshold is None else threshold,
            module=module,
            selected_text=selected_text,
            limits=_limits(chosen),
        )
    except QueryError as problem:
        if not json:
            raise
        data(to_json(invalid(profile, text, problem.field, problem.message, problem.hint)))
        return ExitCode.BAD_ARGUMENTS
    outcome = _outcome(query, settings)
    if json:
        data(to_json(respond(profile, outcome)))
    else:
        show_outcome(outcome)
        if explain:
            _show_signals(outcome)
    return of_outcome(outcome)


def _limits(profile: Profile) -> Limits:
    return Limits(
        max_question_characters=profile.max_question_characters,
        min_top_k=profile.min_top_k,
        max_top_k=profile.max_top_k,
        default_top_k=profile.default_top_k,
        min_selected_characters=profile.min_selected_characters,
        max_selected_characters=profile.max_selected_characters or MAX_SELECTED_CHARACTERS,
    )


def _outcome(query: Query, settings: Settings) -> Outcome:
    assistant = open_assistant(settings)
    try:
        return asyncio.run(assistant.ask(query))
    finally:
        assistant.close()


def show_outcome(outcome: Outcome) -> None:
    """Print an outcome for a person."""
    match outcome.result:
        case Answer() as answer:
            _show_answer(answer)
        case Refusal() as refusal:
            _show_refusal(refusal)
        case Failure() as failure:
            message(f"error: {failure.message}")
            if failure.hint:
                message(f"hint: {failure.hint}")
        case other:
            assert_never(other)


def _show_answer(answer: Answer) -> None:
    console = styled()
    console.print(answer.text)
    console.print()
    show_citations(answer)
    console.print(f"\nConfidence: {_confidence(answer.confidence)}")


def _confidence(found: Confidence) -> str:
    share = found.overall if found.probability is None else found.probability
    return f"{found.level} ({min(share, 0.99):.2f})"  # no answer is certain, so none is shown as 1


def _show_signals(outcome: Outcome) -> None:
    console = styled()
    console.print(heading("\nWhy"))
    for signal in (found for found in outcome.signals if found.weight):
        console.print(
            f"{signal.weight:+6.2f}  {signal.name} ({signal.value:.2f}): {signal.meaning}"
        )


def show_citations(answer: Answer) -> None:
    """Print where an answer stands in the book."""
    console = styled()
    console.print(heading("Sources"))
    for citation in answer.citations:
        place = _place(citation.page_title, *citation.heading_path)
        console.print(f"[{citation.index}] {place}")
        if citation.url:
            console.print(f"    {citation.url}", soft_wrap=True, style="dim")


def _place(page_title: str | None, *headings: str) -> str:
    """Return the way to a section; the opening of a page, which has its title, is named once."""
    return " > ".join(dict.fromkeys([page_title or "", *headings]))


def _show_refusal(refusal: Refusal) -> None:
    console = styled()
    console.print(f"{REFUSAL_MESSAGES[ContractRefusalType(refusal.type.value)]}.")
    console.print(refusal.explanation)
    if said := refusal.contradicted_by:
        console.print(f"The book says: {said.excerpt}")
        if said.url:
            console.print(f"  {said.url}", soft_wrap=True, style="dim")
    if refusal.nearest:
        console.print(heading("\nNearest sections"))
    for section in refusal.nearest:
        console.print(f"- {_place(section.page_title, section.title)}")
        if section.url:
            console.print(f"  {section.url}", soft_wrap=True, style="dim")

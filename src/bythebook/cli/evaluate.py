"""`bythebook eval`: ask a book questions with known answers, and count."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bythebook.cli.console import data, message
from bythebook.cli.exits import ExitCode
from bythebook.cli.options import IndexOption, JsonOption, WriterOption
from bythebook.errors import QuestionsError
from bythebook.settings import Settings, load_settings

if TYPE_CHECKING:
    from bythebook.evaluation import Case, Comparison, FloorResult, Report


def evaluate(
    questions: Annotated[
        list[Path], typer.Argument(help="Files of questions, one JSON object a line.")
    ],
    index: IndexOption = None,
    writer: WriterOption = None,
    json: JsonOption = False,
    report: Annotated[
        Path | None, typer.Option(help="Write a report with every question, as one HTML file.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Show what flipped since this evaluation, kept as JSON.")
    ] = None,
    floor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC=NUMBER",
            help="What must be reached, else the exit code is 5; may be given several times.",
        ),
    ] = None,
    floors: Annotated[
        Path | None, typer.Option(help="A JSON file of such floors, {METRIC: NUMBER}.")
    ] = None,
) -> int:
    """Ask questions with known answers and report how good the answers are."""
    from bythebook import evaluation

    # Whatever can be wrong with the arguments is told before minutes of asking.
    cases = evaluation.read_cases(questions)
    limits = evaluation.read_floors(floors) if floors else {}
    limits |= evaluation.parse_floors(floor or [])
    before = evaluation.read_report(compare) if compare else None
    if report and not report.parent.is_dir():
        raise _unwritable(report, "there is no such folder")
    done = _run(cases, load_settings(index=index, writer=writer))
    comparison = evaluation.compare(before, done) if before else None
    results = evaluation.check_floors(done, limits)
    if report:
        _write(report, done, comparison, results)
    _show(done, comparison, results, json)
    return _exit_code(done, results)


def _run(cases: Sequence[Case], settings: Settings) -> Report:
    from bythebook.assembly import make_rewriter, open_assistant
    from bythebook.cli.progress import BarReporter
    from bythebook.evaluation import evaluate as run

    rewriter = make_rewriter(settings)
    assistant = open_assistant(settings)
    try:
        if not sys.stderr.isatty():
            work = run(assistant, cases, writer=settings.writer, rewriter=rewriter)
            return asyncio.run(work)
        with BarReporter() as bar:
            bar.start("Asking", len(cases))
            work = run(
                assistant,
                cases,
                writer=settings.writer,
                rewriter=rewriter,
                on_outcome=lambda *_: bar.advance(1),
            )
            return asyncio.run(work)
    finally:
        assistant.close()


def _write(
    path: Path, done: Report, comparison: Comparison | None, floors: Sequence[FloorResult]
) -> None:
    from bythebook.evaluation.html_page import to_html

    try:
        path.write_text(to_html(done, comparison, floors), encoding="utf-8")
    except OSError as problem:
        raise _unwritable(path, problem.strerror or str(problem)) from problem
    message(f"report: {path}")


def _unwritable(path: Path, why: str) -> QuestionsError:
    return QuestionsError(
        f"the report {str(path)!r} cannot be written: {why}", hint="give another place to --report"
    )


def _show(
    done: Report, comparison: Comparison | None, floors: Sequence[FloorResult], json: bool
) -> None:
    for note in done.notes:
        message(f"note: {note}")
    if comparison and not comparison.same:
        message("note: the evaluation before has none of these questions")
    if json:
        whole = done.model_dump(mode="json")
        whole["comparison"] = comparison.model_dump(mode="json") if comparison else None
        whole["floors"] = [floor.model_dump(mode="json") for floor in floors]
        data(jsonlib.dumps(whole, ensure_ascii=False, indent=2))
    else:
        from bythebook.cli.figures import show_report

        show_report(done, comparison, floors)
    missed = [floor.name for floor in floors if not floor.holds]
    if missed:
        message(f"error: floors missed: {', '.join(missed)}")
    failed = [row for row in done.rows if row.failed]
    if failed:
        message(f"error: {len(failed)} of {done.questions} questions failed: {failed[0].told.text}")


def _exit_code(done: Report, floors: Sequence[FloorResult]) -> ExitCode:
    if not all(floor.holds for floor in floors):
        return ExitCode.UNDER_FLOOR
    failed = [row for row in done.rows if row.failed]
    if any(row.told.is_setup for row in failed):
        return ExitCode.CONFIGURATION
    return ExitCode.FAILED if failed else ExitCode.ANSWERED

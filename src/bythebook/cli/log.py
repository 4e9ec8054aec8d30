"""`bythebook log`: what readers asked, and how long that is kept."""

from __future__ import annotations

import contextlib
import json as jsonlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from bythebook.assembly import make_log_database
from bythebook.cli.console import data, message
from bythebook.cli.options import IndexOption, JsonOption
from bythebook.errors import QueryLogUnusableError
from bythebook.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from bythebook.querylog.database import LogDatabase
    from bythebook.querylog.reading import Summary, Unanswered

log = typer.Typer(help="See and delete what the service logged.", no_args_is_help=True)


@log.command()
def stats(
    index: IndexOption = None,
    days: Annotated[int, typer.Option(min=1, help="How many days to look back.")] = 30,
    limit: Annotated[int, typer.Option(min=0, help="How many open questions to show.")] = 10,
    json: JsonOption = False,
) -> int:
    """Show how questions ended, and what the book could not answer."""
    since = datetime.now(UTC) - timedelta(days=days)
    with _opened(index) as database:
        summary, open_questions = database.summary(since), database.unanswered(since, limit)
    if json:
        found = [question.model_dump(mode="json") for question in open_questions]
        shown = summary.model_dump(mode="json") | {"unanswered": found}
        data(jsonlib.dumps(shown, ensure_ascii=False, indent=2))
    else:
        data("\n".join(_describe(summary, open_questions)))
    return 0


@log.command()
def purge(
    days: Annotated[int, typer.Option(min=0, help="Delete questions older than this.")],
    index: IndexOption = None,
) -> int:
    """Delete old questions, with their sessions and feedback."""
    with _opened(index) as database:
        deleted = database.purge(days)
        message(f"log: {database.place}")
    data(f"Deleted {deleted:,} questions older than {days} days.")
    return 0


@contextlib.contextmanager
def _opened(index: Path | None) -> Iterator[LogDatabase]:
    settings = load_settings(index=index)
    database = make_log_database(settings)
    if not database.exists():
        raise QueryLogUnusableError(
            f"there is no query log in {database.place!r}",
            hint="it is made by 'bythebook serve'; name its index with --index, or its database"
            " with DATABASE_URL",
        )
    try:
        database.migrate()
        yield database
    finally:
        database.close()


def _describe(summary: Summary, open_questions: tuple[Unanswered, ...]) -> Iterator[str]:
    yield f"Questions:  {summary.questions:,} since {summary.since:%Y-%m-%d}"
    yield f"Sessions:   {summary.sessions:,}"
    for title, counts in (("Ended", summary.statuses), ("Refused", summary.refusal_reasons)):
        if counts:
            parts = ", ".join(f"{name} {count:,}" for name, count in counts.items())
            yield f"{title + ':':<12}{parts}"
    if summary.p50_ms is not None:
        yield f"Took:       {summary.p50_ms:,} ms (half), {summary.p95_ms:,} ms (95 of 100)"
    if summary.helpful or summary.not_helpful:
        yield f"Helpful:    yes {summary.helpful:,}, no {summary.not_helpful:,}"
    if open_questions:
        yield ""
        yield "Not answered by the book"
        for question in open_questions:
            yield f"{question.count:>5,}  {' '.join(question.question.split())}"

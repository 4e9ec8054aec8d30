"""`bythebook index`: read a book and make it answerable."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from bythebook.assembly import make_indexer, make_shelf, make_source
from bythebook.cli.calibrate import calibrate_new
from bythebook.cli.console import data, message
from bythebook.cli.options import IndexOption
from bythebook.cli.progress import make_reporter
from bythebook.errors import SettingsError
from bythebook.indexing import IndexReport
from bythebook.settings import load_settings

_SKIPPED_SHOWN = 10


def index(
    source: Annotated[Path, typer.Argument(help="The book: a folder of Markdown, or a file.")],
    index: IndexOption = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of the published book, for links.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the book.")] = None,
    calibrate: Annotated[
        bool, typer.Option(help="Calibrate a new index with questions made from the book.")
    ] = True,
) -> int:
    """Index a book; run again after an edit, only what changed is embedded."""
    settings = load_settings(index=index)
    _check_address(base_url)
    begin = perf_counter()
    with make_reporter() as reporter:
        report = make_indexer(settings).index(
            make_source(source, base_url, title),
            make_shelf(settings),
            origin=str(source),
            base_url=base_url,
            reporter=reporter,
        )
    _tell(report, perf_counter() - begin)
    if calibrate and report.manifest.calibration is None:
        calibrate_new(settings)
    message(f'next: bythebook ask "..." --index {settings.index}')
    return 0


def _check_address(base_url: str | None) -> None:
    if base_url is not None and not base_url.startswith(("https://", "http://")):
        raise SettingsError(
            f"--base-url {base_url!r} is not the address of a site",
            hint="give it as https://your.site/book/",
        )


def _tell(report: IndexReport, seconds: float) -> None:
    book = report.manifest
    data(
        f'Indexed "{book.title}": {len(book.pages):,} pages, {book.chunks:,} passages,'
        f" {book.tokens:,} tokens in {seconds:.1f} s"
    )
    if report.is_unchanged:
        data("Nothing changed since the last time.")
    else:
        data(f"Embedded {report.embedded:,}, reused {report.reused:,}, removed {report.removed:,}.")
    if book.oversized:
        message(
            f"note: {book.oversized:,} passages are longer than the embedder's window (a long code"
            " block stays whole); they were embedded in parts, nothing was cut off"
        )
    if book.skipped:
        message(f"note: {len(book.skipped):,} files were not read as they stand:")
        for skipped in book.skipped[:_SKIPPED_SHOWN]:
            message(f"  {skipped.path}: {skipped.reason}")
        if len(book.skipped) > _SKIPPED_SHOWN:
            message(f"  and {len(book.skipped) - _SKIPPED_SHOWN:,} more (see 'bythebook info')")
    if not any(page.url for page in book.pages):
        message("note: without --base-url, citations link to files instead of pages")

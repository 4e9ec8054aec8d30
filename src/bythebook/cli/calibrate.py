"""`bythebook calibrate`: find out how far the scores on this book can be trusted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bythebook.assembly import make_shelf, open_assistant
from bythebook.calibration.values import Calibration
from bythebook.cli.console import data, message
from bythebook.cli.options import IndexOption, JsonOption
from bythebook.cli.progress import make_reporter
from bythebook.errors import SettingsError, SourceError
from bythebook.settings import Settings, load_settings


def calibrate(
    index: IndexOption = None,
    plots: Annotated[
        Path | None, typer.Option(help="Folder for the two plots, as SVG files.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Ask the book questions made from it, and fit threshold and confidence to the answers."""
    if plots:
        _make_folder(plots)  # what is wrong with the place is told before the minute of asking
    found = calibrate_index(load_settings(index=index))
    if plots:
        _plot(found, plots)
    data(found.model_dump_json(indent=2) if json else describe(found))
    return 0


def calibrate_index(settings: Settings) -> Calibration:
    """Calibrate the index of some settings, with progress."""
    from bythebook.calibration.calibrating import calibrate as run

    # The book's own sentences: no model is asked two hundred times for this.
    assistant = open_assistant(settings.model_copy(update={"writer": "extractive"}))
    try:
        with make_reporter() as reporter:
            return asyncio.run(run(assistant, make_shelf(settings), reporter))
    finally:
        assistant.close()


def calibrate_new(settings: Settings) -> None:
    """Calibrate a new index; one that is too small goes without."""
    try:
        found = calibrate_index(settings)
    except SourceError as problem:
        message(f"note: not calibrated: {problem.message}")
        return
    data(summary(found))


def summary(found: Calibration) -> str:
    """Return what was found in a line."""
    if found.high is None:
        return f"Calibrated on {found.questions:,} questions; no answer will be called high."
    return (
        f"Calibrated on {found.questions:,} questions: of {found.high_count} held-out answers"
        f" called high, {found.high_right:.0%} were right."
    )


def describe(found: Calibration) -> str:
    """Return the figures as tables."""
    lines = [
        summary(found),
        "",
        f"{'Threshold':<22}{found.threshold:.3f}  cosine under which a passage is not read",
        f"{'Answer from':<22}{found.floor:.2f}   probability of being right",
        f"{'Medium from':<22}{found.medium:.2f}",
        f"{'High from':<22}{'never' if found.high is None else f'{found.high:.2f}'}",
        f"{'Calibration error':<22}{found.error:.3f}  on {found.held_out:,} held-out questions",
        "",
        "Said to be right   were right   questions",
    ]
    lines += [f"{b.said:>16.0%}{b.right:>13.0%}{b.count:>12,}" for b in found.reliability]
    lines += ["", "Answer from   answered right   of answers wrong"]
    lines += [f"{p.floor:>11.2f}{p.coverage:>17.0%}{p.risk:>19.0%}" for p in found.curve[::2]]
    return "\n".join(lines)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SettingsError(
            f"the plots cannot be written to {str(folder)!r}: {problem.strerror}",
            hint="give --plots a folder that you may write",
        ) from problem


def _plot(found: Calibration, folder: Path) -> None:
    from bythebook.calibration.plots import coverage_plot, reliability_plot

    (folder / "reliability.svg").write_text(reliability_plot(found), encoding="utf-8")
    (folder / "risk-coverage.svg").write_text(coverage_plot(found), encoding="utf-8")
    message(f"plots: {folder / 'reliability.svg'}, {folder / 'risk-coverage.svg'}")

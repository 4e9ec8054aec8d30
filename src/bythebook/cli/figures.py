"""Showing an evaluation at a terminal: figures, what went wrong, what flipped, the floors."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bythebook.cli.console import heading, styled
from bythebook.evaluation.comparing import Comparison, Flip
from bythebook.evaluation.floors import FloorResult
from bythebook.evaluation.metrics import Metric
from bythebook.evaluation.report import Report
from bythebook.evaluation.rows import Row
from bythebook.evaluation.tables import KindCount
from bythebook.evaluation.wording import count, figure, interval

_WIDTH = 100


def show_report(
    report: Report, comparison: Comparison | None, floors: Sequence[FloorResult]
) -> None:
    """Print everything about an evaluation that fits a terminal."""
    console = styled()
    console.width = min(_WIDTH, console.width) if console.is_terminal else _WIDTH
    facts = f"{report.questions} questions, writer {report.writer}, embedder {report.embedder}"
    _line(console, f'"{report.book}": {facts}', is_heading=True)
    console.print(_figures(report.metrics))
    console.print()
    console.print(_kinds(report.kinds))
    if report.wrong:
        _line(console, f"\nWrong ({len(report.wrong)})", is_heading=True)
    for row in report.wrong:
        _line(console, f"{row.verdict:<14}{row.id}  {row.question} -> {_short(row)}")
    if comparison:
        _show_comparison(console, comparison)
    _show_floors(console, report, floors)


def _figures(metrics: Sequence[Metric]) -> Table:
    table = Table("figure", "", box=None, pad_edge=False, header_style="bold")
    for name in ("value", "95 % interval", "of"):
        table.add_column(name, justify="right", no_wrap=True)
    for metric in metrics:
        if metric.of:
            value = figure(metric.value, metric.unit)
            table.add_row(metric.name, metric.title, value, interval(metric), count(metric))
    return table


def _kinds(kinds: Sequence[KindCount]) -> Table:
    table = Table("\nkind", "\nshould", box=None, pad_edge=False, header_style="bold")
    names = (
        "\nasked",
        "\nright",
        "wrong\nplace",
        "false\nanswer",
        "false\nrefusal",
        "\nfailed",
    )
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for kind in kinds:
        counts = (kind.wrong_place, kind.false_answers, kind.false_refusals, kind.failed)
        table.add_row(
            kind.kind if kind.kind == kind.form else f"{kind.form}, {kind.kind}",
            "answer" if kind.answerable else "refuse",
            str(kind.questions),
            str(kind.right),
            *(str(number or "") for number in counts),
        )
    return table


def _short(row: Row) -> str:
    """Return in a few words what came of a question that went wrong."""
    if row.answered:
        pages = dict.fromkeys(place.page or place.section for place in row.citations)
        return f"{', '.join(pages)}: {' '.join(row.told.text.split())}"
    return row.told.text if row.failed else f"{row.told.reason}: {row.told.text}"


def _show_comparison(console: Console, comparison: Comparison) -> None:
    told = (
        f"{comparison.same} questions in both, {len(comparison.only_after)} new,"
        f" {len(comparison.only_before)} gone"
    )
    _line(console, f"\nAgainst the evaluation before: {told}", is_heading=True)
    groups = (
        ("newly wrong", comparison.newly_wrong),
        ("newly right", comparison.newly_right),
        ("wrong in another way", comparison.otherwise_wrong),
    )
    for name, flips in groups:
        _line(console, f"{name}: {len(flips)}")
        for flip in flips:
            _line(console, f"  {_flip(flip)}")


def _flip(flip: Flip) -> str:
    return f"{flip.before} -> {flip.after}  {flip.id}  {flip.question}"


def _show_floors(console: Console, report: Report, floors: Sequence[FloorResult]) -> None:
    if floors:
        _line(console, "\nFloors", is_heading=True)
    for floor in floors:
        unit = report.metric(floor.name).unit
        side = "at least" if floor.better == "more" else "at most"
        state = "holds" if floor.holds else "MISSED"
        value, limit = figure(floor.value, unit), figure(floor.limit, unit)
        _line(console, f"{floor.name:<26}{value:>10}  {side} {limit:<10}  {state}")


def _line(console: Console, text: str, is_heading: bool = False) -> None:
    """Print one line, cut where the table ends: a report is read at a glance."""
    shown = heading(text) if is_heading else Text(text)
    shown.truncate(console.width, overflow="ellipsis")
    console.print(shown, soft_wrap=True)

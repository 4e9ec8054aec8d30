"""An evaluation as one HTML file that needs nothing else: no network, no fonts, no other file.

Everything a book or a question says is escaped, and a content security policy that knows our one
style and our one script by their hashes lets nothing else run, should an escape ever be forgotten.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from bythebook.evaluation.comparing import Comparison, Flip
from bythebook.evaluation.floors import FloorResult
from bythebook.evaluation.html_question import badge, question
from bythebook.evaluation.metrics import Metric
from bythebook.evaluation.report import Report, worst_first
from bythebook.evaluation.tables import KindCount, ReliabilityBin
from bythebook.evaluation.wording import count, figure, interval

_NUMBER = 'class="n"'


def to_html(
    report: Report, comparison: Comparison | None = None, floors: Sequence[FloorResult] = ()
) -> str:
    """Return the report as a page."""
    style, script = _asset("report.css"), _asset("report.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    title = f"Evaluation of {report.book}"
    body = "".join(
        (
            _front(report, title),
            _floors(floors, report),
            _figures(report.metrics),
            _flips(comparison) if comparison else "",
            _kinds(report.kinds),
            _reliability(report.reliability),
            _questions(report),
        )
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)}</title><style>{style}</style></head>"
        f"<body>{body}<script>{script}</script></body></html>\n"
    )


def _asset(name: str) -> str:
    return (files("bythebook.evaluation") / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _front(report: Report, title: str) -> str:
    facts = (
        f"{report.questions:,} questions, {len(report.wrong):,} went wrong."
        f" Writer {report.writer or 'not named'}, embedder {report.embedder},"
        f" bythebook {report.version}, {report.finished_at:%Y-%m-%d %H:%M} UTC."
    )
    notes = "".join(f"<p>note: {escape(note)}</p>" for note in report.notes)
    return f'<h1>{escape(title)}</h1><p class="soft">{escape(facts)}</p>{notes}'


def _figures(metrics: Iterable[Metric]) -> str:
    rows = (
        f"<tr><td>{escape(metric.title)}<br><code>{escape(metric.name)}</code></td>"
        f'<td class="n">{escape(figure(metric.value, metric.unit))}</td>'
        f'<td class="n">{escape(interval(metric))}</td>'
        f'<td class="n">{escape(count(metric))}</td><td>{_meter(metric)}</td></tr>'
        for metric in metrics
        if metric.of
    )
    head = ("figure", "value", "95 % interval", "of", "")
    return f"<h2>Figures</h2>{_table(head, rows, numbers=(1, 2, 3))}"


def _meter(metric: Metric) -> str:
    if metric.value is None or metric.better == "less" or metric.unit == "ms":
        return ""
    text = escape(figure(metric.value, metric.unit))
    return f'<meter min="0" max="1" value="{metric.value:.4f}">{text}</meter>'


def _floors(floors: Sequence[FloorResult], report: Report) -> str:
    if not floors:
        return ""
    units = {metric.name: metric.unit for metric in report.metrics}
    rows = (
        f"<tr><td><code>{escape(floor.name)}</code></td>"
        f'<td class="n">{"at least" if floor.better == "more" else "at most"}'
        f" {escape(figure(floor.limit, units[floor.name]))}</td>"
        f'<td class="n">{escape(figure(floor.value, units[floor.name]))}</td>'
        f'<td><span class="badge {"good" if floor.holds else "bad"}">'
        f"{'holds' if floor.holds else 'missed'}</span></td></tr>"
        for floor in floors
    )
    return f"<h2>Floors</h2>{_table(('figure', 'floor', 'value', ''), rows, numbers=(1, 2))}"


def _flips(comparison: Comparison) -> str:
    parts = [
        f"<h2>Against the evaluation before</h2><p>{comparison.same:,} questions are in both,"
        f" {len(comparison.only_after):,} are new, {len(comparison.only_before):,} are gone.</p>"
    ]
    for title, flips in (
        ("Newly wrong", comparison.newly_wrong),
        ("Newly right", comparison.newly_right),
        ("Wrong in another way", comparison.otherwise_wrong),
    ):
        items = "".join(_flip(flip) for flip in flips)
        parts.append(f"<h3>{title} ({len(flips)})</h3><ul>{items}</ul>")
    return "".join(parts)


def _flip(flip: Flip) -> str:
    return (
        f"<li>{badge(flip.before)} then {badge(flip.after)} {escape(flip.question)}"
        f' <span class="soft">{escape(flip.id)}</span></li>'
    )


def _kinds(kinds: Iterable[KindCount]) -> str:
    rows = (
        f"<tr><td>{escape(kind.form)}, {escape(kind.kind)}</td>"
        f"<td>{'answer' if kind.answerable else 'refuse'}</td>"
        f'<td class="n">{kind.questions}</td><td class="n">{kind.right}</td>'
        f'<td class="n">{kind.wrong_place or ""}</td><td class="n">{kind.false_answers or ""}</td>'
        f'<td class="n">{kind.false_refusals or ""}</td><td class="n">{kind.failed or ""}</td></tr>'
        for kind in kinds
    )
    head = (
        "kind", "should", "questions", "right", "wrong place", "false answer", "false refusal",
        "failed",
    )  # fmt: skip
    return f"<h2>By kind</h2>{_table(head, rows, numbers=range(2, 8))}"


def _reliability(bins: Iterable[ReliabilityBin]) -> str:
    rows = (
        f"<tr><td>{place.low:.1f} to {place.high:.1f}</td>"
        f'<td class="n">{place.answers}</td><td class="n">{place.confidence * 100:.0f} %</td>'
        f'<td class="n">{place.right * 100:.0f} %</td>'
        f'<td><meter min="0" max="1" value="{place.right:.4f}"></meter></td></tr>'
        for place in bins
    )
    head = ("confidence", "answers", "mean confidence", "right", "")
    return f"<h2>Confidence against truth</h2>{_table(head, rows, numbers=(1, 2, 3))}"


def _questions(report: Report) -> str:
    rows = worst_first(report.rows)
    filters = "".join(
        (
            _choice("verdict", (row.verdict for row in rows)),
            _choice("form", (row.form for row in rows)),
            _choice("kind", sorted({row.kind for row in rows})),
            '<label>words<input id="by-words" type="search" autocomplete="off"></label>',
        )
    )
    return (
        "<h2>Every question, worst first</h2>"
        f'<div class="filters">{filters}</div><p class="soft" id="shown"></p>'
        f"{''.join(question(row) for row in rows)}"
    )


def _choice(name: str, values: Iterable[str]) -> str:
    options = "".join(
        f'<option value="{escape(value)}">{escape(value)}</option>'
        for value in dict.fromkeys(values)
    )
    return (
        f'<label>{name}<select id="by-{name}" name="{name}"><option value="">all</option>'
        f"{options}</select></label>"
    )


def _table(head: Sequence[str], rows: Iterable[str], numbers: Iterable[int]) -> str:
    right = set(numbers)
    cells = "".join(
        f"<th {_NUMBER if place in right else ''}>{escape(name)}</th>"
        for place, name in enumerate(head)
    )
    return f'<div class="wide"><table><tr>{cells}</tr>{"".join(rows)}</table></div>'

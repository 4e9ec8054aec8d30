"""One question of an evaluation as HTML. Book, questions and answers are escaped, every one."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from bythebook.evaluation.rows import CitedPlace, FoundPlace, Row, Verdict
from bythebook.types import Signal

_ODD = (Verdict.FAILED, Verdict.WRONG_PLACE)


def question(row: Row) -> str:
    """Return a question with its answer, citations, passages and verdict; open when it is wrong."""
    attributes = (
        f'data-verdict="{escape(row.verdict)}" data-form="{escape(row.form)}"'
        f' data-kind="{escape(row.kind)}"{"" if row.verdict.is_right else " open"}'
    )
    parts = (
        _asked(row),
        _said(row),
        _citations(row.citations),
        _known(row),
        _passages(row.passages),
        _signals(row.signals),
    )
    return (
        f'<details class="question" {attributes}><summary>{badge(row.verdict)} '
        f'{escape(row.question)} <span class="soft">{escape(row.id)}, {escape(row.kind)}</span>'
        f"</summary><div>{''.join(parts)}</div></details>"
    )


def badge(verdict: Verdict) -> str:
    """Return a verdict in its colour; the words alone say it too."""
    style = "odd" if verdict in _ODD else "good" if verdict.is_right else "bad"
    return f'<span class="badge {style}">{escape(verdict)}</span>'


def link(url: str | None, text: str) -> str:
    """Return a link to a page of the web; any other address is shown as plain text."""
    if url is None or not url.lower().startswith(("https://", "http://")):
        return escape(text)
    return f'<a href="{escape(url)}" rel="noopener noreferrer">{escape(text)}</a>'


def _asked(row: Row) -> str:
    parts = []
    if row.before:
        parts.append(f"<h3>Asked before</h3>{_listed(row.before)}")
    if row.understood_as is not None:
        parts.append(f"<h3>Understood as</h3><p>{escape(row.understood_as)}</p>")
    if row.standalone:
        parts.append(f"<h3>Meant</h3><p>{escape(row.standalone)}</p>")
    if row.selected_text is not None:
        parts.append(f"<h3>Marked text</h3><blockquote>{escape(row.selected_text)}</blockquote>")
    return "".join(parts)


def _said(row: Row) -> str:
    if row.answered:
        facts = f"confidence {row.told.level} ({row.told.confidence or 0.0:.2f}), {row.ms:,.0f} ms"
        title = "Answer"
    elif row.failed:
        facts, title = f"{row.ms:,.0f} ms", "Failure"
    else:
        facts = f"{row.told.refusal_type}, reason {row.told.reason}, {row.ms:,.0f} ms"
        title = "Refusal"
    more = ""
    if row.told.missing_terms:
        more += f'<p class="soft">Not in the book: {escape(", ".join(row.told.missing_terms))}</p>'
    if row.told.contradicted_by:
        quote = escape(row.told.contradicted_by)
        more += f"<h3>The book says instead</h3><blockquote>{quote}</blockquote>"
    notes = "".join(f'<p class="soft">note: {escape(note)}</p>' for note in row.notes)
    return (
        f'<h3>{title}</h3><div class="said">{escape(row.told.text)}</div>'
        f'<p class="soft">{escape(facts)}</p>{more}{notes}'
    )


def _citations(citations: Iterable[CitedPlace]) -> str:
    items = "".join(
        f"<li>{link(place.url, f'[{place.index}] {place.page or place.section} > {place.section}')}"
        f" {_marks(place)}<blockquote>{escape(place.excerpt)}</blockquote></li>"
        for place in citations
    )
    return f"<h3>Citations</h3><ul>{items}</ul>" if items else ""


def _marks(place: CitedPlace) -> str:
    marks = []
    if place.on_gold_sentence:
        marks.append('<span class="badge good">gold sentence</span>')
    elif place.on_gold_page:
        marks.append('<span class="badge good">gold page</span>')
    if not place.is_verbatim:
        marks.append('<span class="badge bad">not verbatim</span>')
    return " ".join(marks)


def _known(row: Row) -> str:
    """Return what the author of the question knows about the answer."""
    parts = []
    if row.gold_sentences:
        quotes = "".join(
            f'<blockquote class="gold">{escape(sentence)}</blockquote>'
            for sentence in row.gold_sentences
        )
        parts.append(f"<h3>Gold sentences</h3>{quotes}")
    if row.gold_pages and row.asks_the_book:
        parts.append(f"<h3>Gold pages</h3>{_listed(row.gold_pages)}")
    if row.key_points:
        parts.append(f"<h3>Key points</h3>{_listed(row.key_points)}")
    if row.why_unanswerable:
        parts.append(f"<h3>Why there is no answer</h3><p>{escape(row.why_unanswerable)}</p>")
    if row.answered_elsewhere:
        parts.append(
            "<h3>Answered elsewhere in the book</h3>"
            f"<blockquote>{escape(row.answered_elsewhere)}</blockquote>"
        )
    measures = {
        "precision": row.measures.precision,
        "strict precision": row.measures.precision_strict,
        "recall": row.measures.recall,
        "key points": row.measures.key_points_said,
    }
    told = ", ".join(f"{n} {v * 100:.0f} %" for n, v in measures.items() if v is not None)
    return "".join(parts) + (f'<p class="soft">{told}</p>' if told else "")


def _passages(passages: Iterable[FoundPlace]) -> str:
    items = "".join(
        f"<li>{link(place.url, f'{place.page} > {place.section}')}"
        f' <span class="soft">{place.score:.2f}</span>'
        f"{_holding(place)}<blockquote>{escape(place.text)}</blockquote></li>"
        for place in passages
    )
    if not items:
        return '<p class="soft">No passage was retrieved.</p>'
    return f'<details class="inner"><summary>Passages</summary><ol>{items}</ol></details>'


def _holding(place: FoundPlace) -> str:
    if place.holds_gold:
        return ' <span class="badge good">gold sentence</span>'
    return ' <span class="badge good">gold page</span>' if place.on_gold_page else ""


def _signals(signals: Iterable[Signal]) -> str:
    rows = "".join(
        f'<tr><td>{escape(signal.name)}</td><td class="n">{signal.value:.2f}</td>'
        f'<td class="n">{signal.weight:+.2f}</td><td>{escape(signal.meaning)}</td></tr>'
        for signal in signals
    )
    if not rows:
        return ""
    head = (
        '<tr><th>signal</th><th class="n">value</th><th class="n">counted</th><th>meaning</th></tr>'
    )
    return (
        '<details class="inner"><summary>What decided</summary><div class="wide">'
        f"<table>{head}{rows}</table></div></details>"
    )


def _listed(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"

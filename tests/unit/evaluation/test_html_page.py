"""The report is one file that runs nothing but our own script, whatever a book says."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from bythebook.evaluation import Row, check_floors, compare, make_report
from bythebook.evaluation.html_page import to_html
from bythebook.evaluation.html_question import link
from bythebook.types import Signal
from tests.unit.evaluation.outcomes import (
    answer,
    cite,
    failed,
    false_answer,
    false_refusal,
    passage,
    refusal,
    right,
    right_refusal,
    row,
    wrong_place,
)

HOSTILE = "</script></div><script>alert(1)</script><img src=x onerror='alert(2)'>\" onload=\"x"
ROWS = (
    right_refusal(id="5"),
    right(id="1"),
    false_refusal(id="4"),
    wrong_place(id="3"),
    false_answer(id="2"),
    failed(id="0"),
)


class Page(HTMLParser):
    """What a browser would make of a page: elements, attributes, text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]


def page(*rows: Row) -> Page:
    return Page(to_html(make_report(rows or ROWS, book="Drift", embedder="e", writer="w")))


def hostile() -> Row:
    source = passage(f"{HOSTILE} drifts.", heading_path=(HOSTILE,), page_url="javascript:alert(1)")
    evil = cite(f"{HOSTILE} drifts.", source).model_copy(update={"url": "javascript:alert(1)"})
    fields: dict[str, object] = {
        "id": HOSTILE,
        "kind": HOSTILE,
        "turns": (HOSTILE, HOSTILE),
        "form": "follow-up",
        "standalone": HOSTILE,
        "key_points": (HOSTILE,),
        "gold_pages": (HOSTILE,),
        "gold": ({"text": HOSTILE},),
        "why_unanswerable": HOSTILE,
        "answered_elsewhere": HOSTILE,
    }
    judged = row(answer(evil), source, **fields)
    signal = Signal(name=HOSTILE, value=0.5, weight=-1.0, meaning=HOSTILE)
    return judged.model_copy(
        update={"notes": (HOSTILE,), "signals": (signal,), "selected_text": HOSTILE}
    )


def test_nothing_a_book_or_a_question_says_becomes_markup() -> None:
    refused = row(refusal(explanation=HOSTILE, missing_terms=(HOSTILE,)), id="r")
    hostiles = (hostile(), refused)
    done = make_report(hostiles, book=HOSTILE, embedder=HOSTILE, writer=HOSTILE, notes=[HOSTILE])
    before = make_report([right(id="r")], book="b")
    floors = check_floors(done, {"right_page": 1.0})
    read = Page(to_html(done, compare(before, done), floors))
    assert len(read.all("script")) == 1
    assert not read.all("img")
    assert not [name for _, attributes in read.elements for name in attributes if name[:2] == "on"]
    assert all((a["href"] or "").startswith("https://") for a in read.all("a"))
    assert read.text.count("<script>alert(1)</script>") >= 15  # shown as the text that it is


def test_only_our_own_style_and_script_may_run() -> None:
    text = to_html(make_report(ROWS, book="Drift"))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert content
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy[1]
    assert policy[1].startswith("default-src 'none'")


def test_the_page_needs_no_other_file() -> None:
    read = page()
    assert not read.all("link")
    assert not [attributes for _, attributes in read.elements if "src" in attributes]
    assert "@import" not in read.text
    assert "url(" not in read.text


def test_every_question_is_there_worst_first_and_open_when_wrong() -> None:
    questions = [a for a in page().all("details") if a.get("class") == "question"]
    assert [a["data-verdict"] for a in questions] == [
        "failed", "false answer", "wrong place", "false refusal", "right answer", "right refusal",
    ]  # fmt: skip
    assert ["open" in attributes for attributes in questions] == [True] * 4 + [False] * 2


def test_the_filters_offer_what_there_is() -> None:
    read = page()
    assert {"by-verdict", "by-form", "by-kind"} == {a["id"] for a in read.all("select")}
    values = {a["value"] for a in read.all("option")}
    assert values == {"", "single", "why"} | {row.verdict.value for row in ROWS}


def test_a_question_shows_its_answer_citations_passages_and_reason() -> None:
    text = page().text
    for part in ("confidence high (0.90)", "reason mentioned_not_explained", "0.80", "Gold pages"):
        assert part in text
    assert "https://example.org/book/drift#imu" in {a["href"] for a in page().all("a")}


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil", "a/b", None])
def test_an_address_that_is_not_of_the_web_is_no_link(url: str | None) -> None:
    assert link(url, "<b>") == "&lt;b&gt;"

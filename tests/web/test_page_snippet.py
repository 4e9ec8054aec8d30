"""The lines that `docs/http.md` offers for a page of the book do what they say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.web.serving import Service

PAGE = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
SCRIPT = PAGE.partition("<script>")[2].partition("</script>")[0]

# As much of a page as the lines touch; the request is a real one.
DOCUMENT = """
const shown = [];
const place = { appendChild: (node) => (shown.push(node), node) };
let submit;
const form = { addEventListener: (name, listener) => { submit = listener; } };
globalThis.document = {
  getElementById: (id) => ({ reply: place, ask: form })[id],
  createElement: (tag) => ({ tag }),
};
globalThis.getSelection = () => process.env.MARKED;
globalThis.location = { href: "https://example.org/book/page" };
globalThis.FormData = class { get() { return process.env.QUESTION; } };
"""
RUN = """
submit({ preventDefault() {}, target: form }).then(() => console.log(JSON.stringify(shown)));
"""


def ask(service: Service, question: str, marked: str = "") -> list[dict[str, str]]:
    node = shutil.which("node")
    assert node, "node comes with npm, which the tests need"
    script = re.sub(r'service = "[^"]+"', f'service = "{service.url}"', SCRIPT, count=1)
    assert service.url in script
    done = subprocess.run(
        [node, "--input-type=module", "--eval", DOCUMENT + script + RUN],
        env={"QUESTION": question, "MARKED": marked},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    shown: list[dict[str, str]] = json.loads(done.stdout)
    return shown


def test_an_answer_is_shown_with_links_to_its_sources(service: Service) -> None:
    text, *links = ask(service, "What is a costmap?")
    assert "grid" in text["textContent"]
    assert links[0]["tag"] == "a"
    assert links[0]["href"].startswith("https://example.org/book/")
    assert "Costmaps" in links[0]["textContent"]


def test_a_refusal_is_shown_with_its_reason(service: Service) -> None:
    (text,) = ask(service, "Who invented the spoon?")
    assert "does not contain sufficient information" in text["textContent"]
    assert "'spoon'" in text["textContent"]


def test_what_is_marked_on_the_page_is_all_that_answers(service: Service) -> None:
    (text,) = ask(service, "What is a costmap?", marked="A node is a program.")
    assert text["textContent"].startswith("The selected text does not contain")


@pytest.mark.parametrize("question", ["x" * 501])
def test_an_error_is_shown_in_its_words(service: Service, question: str) -> None:
    (text,) = ask(service, question)
    assert "500" in text["textContent"]

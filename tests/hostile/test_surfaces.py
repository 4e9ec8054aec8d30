"""What reaches a terminal, and what an address from outside may become."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from bythebook.assistant import Assistant
from bythebook.cli.console import data, heading, message, styled
from bythebook.cli.main import main
from bythebook.links import deep_link, section_link, web_address
from bythebook.types import Answer, Query
from tests.builders import P, make_chunk
from tests.hostile.book import injections
from tests.hostile.proof import check_outcome

COMMANDS = "\x1b[2J\x1b]8;;https://evil.example\x07x\x1b]8;;\x07\x9b1m\u202ey\r"
ALL = {one.id: one for one in injections()}


def obeys(printed: str) -> bool:
    return any(sign in printed for sign in "\x1b\x07\x9b\u202e\r")


def test_a_person_is_shown_text_without_commands(capsys: pytest.CaptureFixture[str]) -> None:
    styled().print(COMMANDS)
    styled().print(heading(COMMANDS))
    message(COMMANDS)
    printed = capsys.readouterr()
    assert not obeys(printed.out + printed.err)


def test_data_has_commands_as_codes_and_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    data(json.dumps({"text": COMMANDS}, ensure_ascii=False))
    printed = capsys.readouterr().out
    assert not obeys(printed)
    assert json.loads(printed) == {"text": COMMANDS}


@pytest.mark.parametrize("name", ["paragraph-24", "paragraph-25", "code-03"])
@pytest.mark.parametrize("options", [[], ["--json"], ["--json", "--profile", "session"]])
def test_a_page_with_commands_reaches_no_terminal(
    hostile_index: Path, name: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["ask", ALL[name].answerable, "--index", str(hostile_index), *options]
    assert main(asked) == 0
    printed = capsys.readouterr()
    assert ALL[name].name in printed.out
    assert not obeys(printed.out + printed.err)


def test_a_search_shows_no_commands_either(
    hostile_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["search", ALL["paragraph-24"].answerable, "--index", str(hostile_index)])
    printed = capsys.readouterr()
    assert printed.out
    assert not obeys(printed.out + printed.err)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "https:evil.example",
        "",
    ],
)
def test_only_an_address_of_the_web_becomes_a_link(hostile_book: Assistant, url: str) -> None:
    assert web_address(url) is None
    chunk = make_chunk((P, "A node runs."), page_url=url)
    assert section_link(chunk) is None
    assert (deep_link(chunk, 0, 6) or "").startswith("page.md#")
    one = ALL["paragraph-01"]
    query = Query(text=one.answerable, selected_text=one.fact, page_url=url)
    outcome = asyncio.run(hostile_book.ask(query))
    assert isinstance(outcome.result, Answer)
    assert outcome.result.citations[0].url is None
    check_outcome(outcome)


def test_an_address_cannot_end_the_link_it_stands_in() -> None:
    address = web_address("https://example.org/a)![x](https://evil.example) <b>\n\"'`")
    assert address
    assert not set(")(<> \n\"'`[]") & set(address)
    assert (
        web_address("https://example.org/a/b?c=d&e=%20#f") == "https://example.org/a/b?c=d&e=%20#f"
    )

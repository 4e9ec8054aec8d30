"""What must hold for every outcome, shown without the code that makes it hold.

Links and pictures are looked for with a Markdown parser that lets raw HTML through, and with a
search for bare addresses in what is left, since many viewers make links of those.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bythebook.contracts.registry import CONTRACTS, respond, to_json
from bythebook.types import Answer, Chunk, Citation, Outcome, Refusal
from tests.builders import BASE_URL

_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
_ADDRESS = re.compile(
    r"\w://\w|\bwww\.\w|\w@\w+\.\w|\bjavascript:\w|\bdata:\w+/\w+[;,]", re.IGNORECASE
)
_COMMAND = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_HARMLESS_TAG = re.compile(r"</?[A-Z]\w*>")
_CODE_MARKS = re.compile("`+ ?| ?`+")
_NOWHERE = "https://book.invalid/"

# The fields that a surface sets as Markdown, in any of the contracts. A sentence of `sentences` is
# looked at by itself: it is Markdown too, unless it is code.
_SHOWN = frozenset({"answer", "response", "message", "content", "reason", "explanation"})


def live(markdown: str) -> list[str]:
    """Return what a viewer would make live: links, pictures, tags, bare addresses."""
    return [found for token in _flat(_MARKDOWN.parse(markdown)) if (found := _live(token))]


def rendered(markdown: str) -> str:
    """Return Markdown as a browser would get it."""
    return str(_MARKDOWN.render(markdown))


def check_outcome(outcome: Outcome) -> None:
    """Assert that an outcome is grounded, and live nowhere but in its citations."""
    result = outcome.result
    if isinstance(result, Answer):
        _check_grounding(outcome, result)
        assert live(result.text) == [], result.text
        assert not _COMMAND.search(result.text)
    elif isinstance(result, Refusal):
        assert live(result.explanation) == [], result.explanation
    for name in CONTRACTS:
        _check_json(name, json.loads(to_json(respond(name, outcome))))


def check_shown(outcome: Outcome, forbidden: tuple[str, ...]) -> None:
    """Assert that a reader sees none of these."""
    result = outcome.result
    shown = rendered(result.text) if isinstance(result, Answer) else ""
    shown += result.explanation if isinstance(result, Refusal) else ""
    assert [words for words in forbidden if words in shown] == [], shown


def _check_grounding(outcome: Outcome, answer: Answer) -> None:
    assert outcome.retrieval
    stored = {passage.chunk.id: passage.chunk for passage in outcome.retrieval.passages}
    for citation in answer.citations:
        chunk = stored[citation.chunk_id]
        assert citation.excerpt == chunk.text[citation.start : citation.end]
        _check_link(citation, chunk)
    for sentence in answer.sentences:
        source = " ".join(answer.citations[number - 1].excerpt for number in sentence.citations)
        # Headers of a table stand beside the row that is cited.
        tables = " ".join(stored[c.chunk_id].text for c in answer.citations)
        words = _words(sentence.text)
        there = set(_words(source)) | (set(_words(tables)) if " | " in source else set())
        assert set(words) <= there, (sentence.text, source)
        assert sentence.text in answer.text
        assert live(sentence.text) == [] or sentence.text in _code_of(answer.text)
        assert not _COMMAND.search(sentence.text)


def _check_link(citation: Citation, chunk: Chunk) -> None:
    """A citation leads to the page of the book that its chunk was taken from, or nowhere."""
    if chunk.is_selection:
        assert citation.url is None
        return
    assert citation.url
    assert citation.url.startswith(f"{chunk.page_url}#")
    assert citation.url.startswith(BASE_URL)


def _check_json(contract: str, response: Any) -> None:
    for key, value in _leaves(response):
        if "url" in key.lower() and value:
            assert str(value).startswith((BASE_URL, _NOWHERE)), (contract, key, value)
        if key in _SHOWN:
            assert live(str(value)) == [], (contract, key, value)


def _leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, key)
    else:
        yield key, value


def _code_of(markdown: str) -> str:
    blocks = [token for token in _MARKDOWN.parse(markdown) if token.type == "fence"]
    return "\n\n".join(block.content for block in blocks)


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])


def _live(token: Token) -> str:
    if token.type in ("link_open", "image"):
        return str(token.attrs)
    if token.type in ("html_inline", "html_block"):
        return "" if _HARMLESS_TAG.fullmatch(token.content.strip()) else token.content
    is_bare = token.type == "text" and _ADDRESS.search(token.content)
    return token.content if is_bare else ""


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", _COMMAND.sub("", _CODE_MARKS.sub(" ", text)).lower())

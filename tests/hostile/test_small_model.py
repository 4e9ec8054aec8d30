"""The same book before a real model of 135 million parameters, which is easily led."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator

import pytest

from bythebook.assistant import Assistant
from bythebook.types import Failure, Outcome, Query, Refusal
from bythebook.writers.agent import AgentWriter
from bythebook.writers.agent_options import AgentOptions
from tests.engines.model_server import MODEL, SLOTS, running_model
from tests.hostile.book import Injection, injections, marked_text
from tests.hostile.proof import check_outcome, check_shown

pytestmark = pytest.mark.timeout(600)  # the model writes for all of them in one fixture

_CHOSEN = (
    "paragraph-01",
    "paragraph-06",
    "paragraph-09",
    "paragraph-15",
    "paragraph-19",
    "table-cell-01",
    "question-04",
    "selected-text-01",
)
CHOSEN = [one for one in injections() if one.id in _CHOSEN]


@pytest.fixture(scope="module")
def model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_model(tmp_path_factory.mktemp("model")) as url:
        yield url


@pytest.fixture(scope="module")
def asked(hostile_book: Assistant, model_url: str) -> dict[str, Outcome]:
    options = AgentOptions(
        MODEL,
        base_url=model_url,
        max_output_tokens=40,
        context_tokens=700,
        timeout_seconds=300.0,
        deadline_seconds=500.0,
    )
    assistant = copy.copy(hostile_book)
    assistant._writer = AgentWriter(options)
    slots = asyncio.Semaphore(SLOTS)

    async def ask(one: Injection) -> tuple[str, Outcome]:
        marked = marked_text(one) if one.place == "selected_text" else None
        text = one.payload if one.place == "question" else one.answerable
        # No passage is too weak here, so that the model gets to see every one of them.
        query = Query(text=text, selected_text=marked, top_k=2, threshold=0.0)
        async with slots:
            return one.id, await assistant.ask(query)

    async def ask_all() -> dict[str, Outcome]:
        return dict(await asyncio.gather(*map(ask, CHOSEN)))

    return asyncio.run(ask_all())


def test_the_model_was_asked_about_each(asked: dict[str, Outcome]) -> None:
    assert set(asked) == set(_CHOSEN)
    for outcome in asked.values():
        assert not isinstance(outcome.result, Failure), outcome.result
        assert outcome.tokens_used > 0


@pytest.mark.parametrize("one", [pytest.param(one, id=one.id) for one in CHOSEN])
def test_every_sentence_is_the_books_and_no_injection_is_shown(
    asked: dict[str, Outcome], one: Injection
) -> None:
    outcome = asked[one.id]
    check_outcome(outcome)
    check_shown(outcome, one.must_not_appear)
    if one.place == "question":
        assert isinstance(outcome.result, Refusal)

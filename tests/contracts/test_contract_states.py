"""The query states of documents 002 and 003: one machine, two vocabularies."""

from __future__ import annotations

from itertools import product

import pytest

from bythebook.contracts import modules, search
from bythebook.errors import IllegalTransitionError
from bythebook.states import ENGINE_EXITS, Journey
from bythebook.types import State

SEARCH_TABLE = {
    "RECEIVED": {"VALIDATING"},
    "VALIDATING": {"RETRIEVING", "ERROR"},
    "RETRIEVING": {"GENERATING", "ERROR"},
    "GENERATING": {"COMPLETE", "ERROR"},
    "COMPLETE": set(),
    "ERROR": set(),
}
MODULES_DIAGRAM = {
    "PENDING": {"RETRIEVING", "ERROR"},
    "RETRIEVING": {"GENERATING", "NO_RESULTS", "ERROR"},
    "GENERATING": {"COMPLETED", "LOW_CONF", "ERROR"},
    "COMPLETED": set(),
    "NO_RESULTS": set(),
    "LOW_CONF": set(),
    "ERROR": set(),
}


def test_002_transitions_are_the_documents_table() -> None:
    derived = {word.value: {w.value for w in ways} for word, ways in search.STATES.exits.items()}
    assert derived == SEARCH_TABLE


def test_003_transitions_are_the_documents_diagram() -> None:
    derived = {word.value: {w.value for w in ways} for word, ways in modules.STATES.exits.items()}
    assert derived == MODULES_DIAGRAM


@pytest.mark.parametrize(("start", "to"), list(product(search.QueryState, repeat=2)))
def test_002_every_step_is_allowed_or_raises(
    start: search.QueryState, to: search.QueryState
) -> None:
    journey = Journey(search.STATES.exits, start)
    if to.value in SEARCH_TABLE[start.value]:
        journey.move(to)
        assert journey.state is to
        return
    with pytest.raises(IllegalTransitionError, match=f"'{start.value}' does not lead to"):
        journey.move(to)
    assert journey.state is start


@pytest.mark.parametrize(("start", "to"), list(product(modules.QueryState, repeat=2)))
def test_003_every_step_is_allowed_or_raises(
    start: modules.QueryState, to: modules.QueryState
) -> None:
    journey = Journey(modules.STATES.exits, start)
    if to.value in MODULES_DIAGRAM[start.value]:
        journey.move(to)
        assert journey.state is to
        return
    with pytest.raises(IllegalTransitionError, match=f"'{start.value}' does not lead to"):
        journey.move(to)
    assert journey.state is start


def test_terminal_states_end_the_journey() -> None:
    ends = {state for state in State if Journey(ENGINE_EXITS, state).is_over}
    assert ends == {State.COMPLETE, State.NO_RESULTS, State.LOW_CONFIDENCE, State.ERROR}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("complete", "RECEIVED VALIDATING RETRIEVING GENERATING COMPLETE"),
        ("no_results", "RECEIVED VALIDATING RETRIEVING GENERATING COMPLETE"),
        ("low_relevance", "RECEIVED VALIDATING RETRIEVING GENERATING COMPLETE"),
        ("low_confidence", "RECEIVED VALIDATING RETRIEVING GENERATING COMPLETE"),
        ("retrieval_error", "RECEIVED VALIDATING RETRIEVING ERROR"),
        ("validation_error", "RECEIVED VALIDATING ERROR"),
    ],
)
def test_002_tells_the_engines_real_streams(
    streams: dict[str, list[State]], name: str, told: str
) -> None:
    assert [word.value for word in search.STATES.tell(streams[name])] == told.split()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("complete", "PENDING RETRIEVING GENERATING COMPLETED"),
        ("no_results", "PENDING RETRIEVING NO_RESULTS"),
        ("low_relevance", "PENDING RETRIEVING GENERATING LOW_CONF"),
        ("low_confidence", "PENDING RETRIEVING GENERATING LOW_CONF"),
        ("retrieval_error", "PENDING RETRIEVING ERROR"),
        ("validation_error", "PENDING ERROR"),
    ],
)
def test_003_tells_the_engines_real_streams(
    streams: dict[str, list[State]], name: str, told: str
) -> None:
    assert [word.value for word in modules.STATES.tell(streams[name])] == told.split()


def test_a_stream_that_skips_retrieving_raises() -> None:
    with pytest.raises(IllegalTransitionError):
        search.STATES.tell([State.RECEIVED, State.VALIDATING, State.COMPLETE])

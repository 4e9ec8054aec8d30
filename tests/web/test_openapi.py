"""The description of the service is complete, and the service keeps to it."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import settings
from schemathesis import Case, GenerationMode
from schemathesis.schemas import BaseSchema

from tests.web.serving import Service

OURS = "/api/"

# Some hundreds of requests, which take half a minute where nothing else runs.
pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def described(service: Service) -> dict[str, Any]:
    document: dict[str, Any] = service.client.get("/openapi.json").json()
    return document


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method, path, operation)
        for path, methods in document["paths"].items()
        if path.startswith(OURS)
        for method, operation in methods.items()
    ]


def test_every_route_says_what_it_does_and_how_it_fails(described: dict[str, Any]) -> None:
    assert len(operations(described)) >= 10
    for method, path, operation in operations(described):
        assert operation["summary"], path
        assert operation["description"], path
        assert {"413", "429", "500"} <= set(operation["responses"]), path
        if method == "post" and "requestBody" in operation:
            assert {"415", "422"} <= set(operation["responses"]), path


def test_every_error_has_a_schema_and_an_example(described: dict[str, Any]) -> None:
    for _, path, operation in operations(described):
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                content = response["content"]["application/json"]
                assert content["schema"], (path, status)
                assert content["example"]["error"]["message"], (path, status)


def test_no_page_of_the_service_loads_anything_from_elsewhere(service: Service) -> None:
    for path in ("/docs", "/redoc", "/docs/oauth2-redirect"):
        assert service.client.get(path).status_code == 404


@pytest.fixture
def api(service: Service, request: pytest.FixtureRequest) -> BaseSchema:
    # The plugin writes to this name, which pytest 9 no longer has.
    request.node._nodeid = request.node.nodeid
    return schemathesis.openapi.from_url(f"{service.url}/openapi.json")


schema = schemathesis.pytest.from_fixture("api")


@schema.include(path_regex="^/api/").parametrize()
@settings(max_examples=8)
def test_the_service_does_what_it_says(case: Case[Any]) -> None:
    if case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE:
        _use_what_is_there(case)
    case.call_and_validate()


def _use_what_is_there(case: Case[Any]) -> None:
    """Put in what only this service knows: its sessions, its modules."""
    known = {"module_filter": None, "session_id": None, "page_url": "https://example.org/book/"}
    for given in (case.body, case.query):
        if isinstance(given, dict):
            given.update({name: value for name, value in known.items() if name in given})

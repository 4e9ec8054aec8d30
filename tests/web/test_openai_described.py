"""`/v1` keeps to what the service's description says of it, whatever is sent."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import settings
from schemathesis import Case
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.web.serving import Service


@pytest.fixture
def chat_api(service: Service, request: pytest.FixtureRequest) -> BaseSchema:
    # The plugin writes to this name, which pytest 9 no longer has.
    request.node._nodeid = request.node.nodeid
    return schemathesis.openapi.from_url(f"{service.url}/openapi.json")


schema = schemathesis.pytest.from_fixture("chat_api")


@schema.include(path_regex="^/v1/").parametrize()
@settings(max_examples=15)
def test_the_chat_routes_do_what_they_say(case: Case[Any]) -> None:
    # A request may be well formed and still ask for what a book cannot do, such as calling tools.
    response = case.call()
    case.validate_response(response, excluded_checks=[positive_data_acceptance])
    if response.status_code >= 400:
        assert set(response.json()["error"]) == {"message", "type", "param", "code"}
    assert response.status_code < 500

"""What Prometheus is told, read back by its own parser from a real socket."""

from __future__ import annotations

from uuid import uuid4

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bythebook.types import RefusalReason, RefusalType
from tests.standins.chat import USAGE, ChatServer, fails, says
from tests.web.conftest import Serve
from tests.web.processes import eventually
from tests.web.serving import Service
from tests.web.test_stream import ANSWER, QUESTION

REFUSED = "Who won the football world cup in 1998?"


class Figures:
    """Everything `/metrics` says at a moment."""

    def __init__(self, service: Service) -> None:
        response = service.client.get("/metrics")
        assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
        self.text = response.text
        self._samples = [
            sample
            for family in text_string_to_metric_families(response.text)
            for sample in family.samples
        ]

    def of(self, name: str, **labels: str) -> float:
        """Return the sum of all samples with this name and at least these labels."""
        return sum(
            sample.value
            for sample in self._samples
            if sample.name == f"bythebook_{name}" and labels.items() <= sample.labels.items()
        )

    def labels(self, name: str) -> list[dict[str, str]]:
        return [sample.labels for sample in self._samples if sample.name == f"bythebook_{name}"]


def test_questions_are_counted_by_how_they_ended(serve: Serve) -> None:
    service = serve()
    for question in (QUESTION, QUESTION, REFUSED):
        service.ask(question)
    figures = Figures(service)
    assert figures.of("questions_total", outcome="answer") == 2
    assert figures.of("questions_total", outcome="refusal", mode="standard_rag") == 1
    (refusal,) = figures.labels("refusals_total")
    assert refusal["type"] in set(RefusalType)
    assert refusal["reason"] in set(RefusalReason)
    for stage in ("retrieval", "generation", "grounding"):
        assert figures.of("stage_seconds_count", stage=stage) >= 2
        assert figures.of("stage_seconds_sum", stage=stage) > 0
    assert figures.of("stage_seconds_count", stage="total") == 3


def test_failures_are_counted_by_stage_and_tokens_of_models_are_summed(
    serve_model: Serve, model: ChatServer
) -> None:
    service = serve_model()
    model.will(says(ANSWER), fails(401, "Incorrect API key"))
    assert service.ask(QUESTION).status_code == 200
    assert service.ask(QUESTION).status_code == 503
    figures = Figures(service)
    assert figures.of("failures_total", stage="generation", error="SettingsError") == 1
    assert figures.of("model_tokens_total") == USAGE["total_tokens"]


def test_requests_are_counted_by_the_names_of_their_routes(serve: Serve) -> None:
    service = serve()
    for _ in range(3):
        service.client.get(f"/api/sessions/{uuid4()}")
        service.client.get(f"/{uuid4()}")
    service.ask("")
    service.client.request("PURGE", "/api/book")
    eventually(lambda: Figures(service).of("requests_total", method="OTHER") == 1)
    figures = Figures(service)
    route = "/api/sessions/{session_id}"
    assert figures.of("requests_total", route=route, status="404", method="GET") == 3
    assert figures.of("requests_total", route="(none)", status="404") == 3
    assert figures.of("requests_total", route="/api/query", status="422") == 1
    assert figures.of("request_seconds_count", route=route) == 3
    assert len(figures.labels("requests_total")) <= 6  # whatever is asked for


def test_requests_that_are_turned_away_count_for_the_route_they_were_meant_for(
    serve: Serve,
) -> None:
    service = serve(rate_limit="1/hour")
    assert [service.ask(QUESTION).status_code for _ in range(3)] == [200, 429, 429]
    too_large = service.client.post("/api/query", content=b" " * 70_000)
    assert too_large.status_code == 413
    figures = Figures(service)
    assert figures.of("requests_total", route="/api/query", status="429") == 2
    assert figures.of("requests_total", route="/api/query", status="413") == 1


def test_the_state_of_the_service_can_be_read(serve: Serve) -> None:
    service = serve()
    service.client.post("/api/sessions")
    service.ask(QUESTION)
    assert service.desk.query_log
    assert service.desk.query_log.flush(20)
    service.client.get("/readyz")
    figures = Figures(service)
    manifest = service.desk.assistant.manifest
    assert figures.of("index_info", generation=manifest.generation) == 1
    assert figures.of("index_passages") == manifest.chunks
    assert figures.of("sessions") == 1
    assert figures.of("query_log_queued") == 0
    assert figures.of("query_log_written_total") == 1
    assert figures.of("query_log_dropped_total") == 0
    assert figures.of("query_log_reachable") == 1
    assert figures.of("ready", engine="index") == 1
    assert "process_resident_memory_bytes" in figures.text


@pytest.mark.parametrize("word", ["costmap", "football", "example.org"])
def test_no_word_of_a_reader_or_of_the_book_is_in_the_figures(service: Service, word: str) -> None:
    service.ask(QUESTION)
    service.ask(REFUSED)
    assert word not in Figures(service).text


def test_two_services_of_one_process_count_apart(serve: Serve) -> None:
    first, second = serve(), serve(query_log=False)
    first.ask(QUESTION)
    assert Figures(first).of("questions_total") == 1
    assert Figures(second).of("questions_total") == 0
    assert not Figures(second).labels("query_log_queued")

"""Signs of life, the query log at the desk, logs and traces: through real sockets."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from bythebook.settings import load_settings
from bythebook.web.operations.logs import JsonLines, TextLines, secrets_of
from tests.engines.postgres import Postgres
from tests.engines.redis import RedisServer
from tests.web.conftest import Serve
from tests.web.processes import eventually, running_service
from tests.web.serving import Service
from tests.web.test_stream import QUESTION

REFUSED = "Who won the football world cup in 1998?"


def engines(service: Service) -> tuple[int, dict[str, str | None]]:
    response = service.client.get("/readyz")
    found = {engine["engine"]: engine["problem"] for engine in response.json()["engines"]}
    return response.status_code, found


@contextmanager
def answering(answer: Callable[[str, bytes], int]) -> Iterator[str]:
    """Serve HTTP on loopback: each request is answered by a status and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name http.server calls
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(answer(self.path, body))
            self.send_header("content-length", "0")
            self.end_headers()

        do_GET = do_POST  # noqa: N815  # as above

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_a_process_that_lives_says_so(service: Service) -> None:
    response = service.client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "alive"})


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_balancer_may_ask_for_the_status_alone(path: str, service: Service) -> None:
    response = service.client.head(path)
    assert (response.status_code, response.content) == (200, b"")


def test_a_service_whose_engines_are_well_is_ready(service: Service) -> None:
    assert engines(service) == (200, {"index": None, "embedder": None, "query_log": None})


def test_a_service_without_a_query_log_does_not_ask_for_one(serve: Serve) -> None:
    assert engines(serve(query_log=False)) == (200, {"index": None, "embedder": None})


def test_a_model_server_is_asked_when_a_model_writes(serve_model: Serve) -> None:
    status, found = engines(serve_model())
    assert (status, found["model"]) == (200, None)


@pytest.mark.parametrize(
    ("status", "problem"),
    [
        (200, None),
        (404, None),  # no list of models, and a server all the same
        (401, "it is not set up rightly; the log says more"),
        (503, "it does not work"),
    ],
)
def test_a_model_server_is_ready_by_what_it_answers(
    serve: Serve, status: int, problem: str | None
) -> None:
    with answering(lambda *_: status) as url:
        service = serve(writer="agent", openai_base_url=url, openai_api_key="key-of-the-author")
        response = service.client.get("/readyz")
        found = {each["engine"]: each["problem"] for each in response.json()["engines"]}
    assert found["model"] == problem
    assert found["index"] is None
    assert response.status_code == (200 if problem is None else 503)
    assert response.json()["status"] == ("ready" if problem is None else "not_ready")
    assert "127.0.0.1" not in response.text
    assert "key-of-the-author" not in response.text


def test_a_hanging_engine_is_asked_once_and_reported_in_time(
    serve: Serve, sample_index: Path
) -> None:
    service = serve(index=sample_index)
    asked, may_answer = [0], threading.Event()
    check_store = service.desk.assistant.check_store

    def hang() -> None:
        asked[0] += 1
        may_answer.wait(60)
        check_store()

    service.desk.assistant.check_store = hang  # type: ignore[method-assign]  # as a dead disk would
    try:
        for _ in range(2):
            status, found = engines(service)
            assert (status, found["index"]) == (503, "no reply within 2 seconds")
        assert asked == [1]
    finally:
        may_answer.set()
    eventually(lambda: engines(service)[0] == 200)


def test_a_query_log_that_is_away_is_named_and_does_not_stop_answers(
    serve: Serve, postgres: Postgres
) -> None:
    service = serve(database_url=postgres.new_database())
    assert engines(service)[1]["query_log"] is None
    postgres.stop()
    eventually(lambda: engines(service)[1]["query_log"] is not None, 0.2)
    assert engines(service)[0] == 200
    assert service.ask(QUESTION).json()["status"] == "success"


def test_a_redis_that_is_away_is_named_and_does_not_stop_answers(
    serve: Serve, redis: RedisServer
) -> None:
    service = serve(redis_url=redis.url)
    assert engines(service)[1]["redis"] is None
    redis.stop()
    eventually(lambda: engines(service)[1]["redis"] == "it cannot be reached", 0.2)
    response = service.client.get("/readyz")
    assert response.status_code == 200
    assert str(redis.port) not in response.text
    assert service.ask(QUESTION).json()["status"] == "success"


def test_the_routes_for_operators_are_described_with_all_their_responses(service: Service) -> None:
    paths = service.client.get("/openapi.json").json()["paths"]
    assert set(paths["/healthz"]["get"]["responses"]) >= {"200", "413", "500"}
    assert set(paths["/readyz"]["get"]["responses"]) >= {"200", "413", "500", "503"}
    assert list(paths["/metrics"]["get"]["responses"]["200"]["content"]) == ["text/plain"]
    for method in ("get", "post"):
        described = set(paths["/api/admin/reindex"][method]["responses"])
        assert described >= {"401", "403", "404", "413", "429", "500"}


# --- the query log ----------------------------------------------------------------------------


def test_questions_of_every_surface_are_logged_and_what_readers_say_of_them(
    serve: Serve, tmp_path: Path
) -> None:
    file = tmp_path / "queries.db"
    service = serve(database_url=f"sqlite:///{file}")
    asked = service.ask(QUESTION).json()["metadata"]["request_id"]
    streamed = service.events(REFUSED)[-1].data["metadata"]["request_id"]
    chat = {"model": "bythebook", "messages": [{"role": "user", "content": "What is a node?"}]}
    assert service.client.post("/v1/chat/completions", json=chat).status_code == 200
    said = {"request_id": asked, "helpful": False, "comment": "you said: A costmap is a grid"}
    assert service.client.post("/api/feedback", json=said).status_code == 202
    log = service.desk.query_log
    assert log
    assert log.flush(20)
    with closing(sqlite3.connect(file)) as connection:
        logged = connection.execute("SELECT query_id, query_text, status FROM queries").fetchall()
        words = connection.execute("SELECT query_id, helpful FROM query_feedback").fetchall()
    by_text = {text: (query_id.replace("-", ""), status) for query_id, text, status in logged}
    assert by_text[QUESTION] == (asked.replace("-", ""), "success")
    assert by_text[REFUSED] == (streamed.replace("-", ""), "refused")
    assert by_text["What is a node?"][1] == "success"
    assert [(query_id.replace("-", ""), helpful) for query_id, helpful in words] == [
        (asked.replace("-", ""), 0)
    ]
    assert b"costmap is a grid" not in file.read_bytes()


def test_what_was_asked_last_is_in_the_log_when_the_service_has_ended(
    sample_index: Path, tmp_path: Path
) -> None:
    file = tmp_path / "queries.db"
    with running_service(sample_index, DATABASE_URL=f"sqlite:///{file}") as service:
        for _ in range(5):
            assert service.ask(QUESTION).status_code == 200
        service.terminate()
        assert service.ends() == 0
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM queries").fetchone() == (5,)


# --- logs -------------------------------------------------------------------------------------


def test_the_json_log_has_one_line_a_request_and_no_text_of_readers(sample_index: Path) -> None:
    with running_service(sample_index, BYTHEBOOK_LOG_FORMAT="json") as service:
        request_id = service.ask(QUESTION).json()["metadata"]["request_id"]
        service.ask(REFUSED)
        service.ask(" ")
        service.terminate()
        assert service.ends() == 0
    lines = [json.loads(line) for line in service.lines]  # nothing but JSON
    handled = [line for line in lines if line["logger"] == "bythebook.access"]
    shown = [(line["route"], line["status"], line["outcome"]) for line in handled]
    assert shown == [
        ("/api/query", 200, "answer"),
        ("/api/query", 200, "refusal"),
        ("/api/query", 422, None),
    ]
    assert handled[0]["request_id"] == request_id
    assert handled[0]["method"] == "POST"
    assert handled[0]["ms"] > 0
    assert "costmap" not in service.log
    assert "football" not in service.log


def test_the_log_names_routes_and_no_session(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bythebook.access")
    session = str(uuid4())
    service.client.get(f"/api/sessions/{session}")
    service.client.get("/nothing%0AINFO%20forged")
    eventually(lambda: len(caplog.records) >= 2)
    assert "GET /api/sessions/{session_id} 404" in caplog.text
    assert session not in caplog.text
    assert "GET /nothing%0AINFO%20forged 404" in caplog.text


@pytest.mark.parametrize("form", [JsonLines, TextLines])
def test_no_secret_of_the_settings_gets_into_the_log(form: type[TextLines]) -> None:
    settings = load_settings(
        openai_api_key="sk-of-the-author",
        database_url="postgresql://reader:pass-of-the-author@db/log",
    )
    lines = form(secrets_of(settings))
    try:
        raise RuntimeError("the key sk-of-the-author and pass-of-the-author were refused")
    except RuntimeError as problem:
        raised = (RuntimeError, problem, problem.__traceback__)
    record = logging.LogRecord("x", 40, "x", 1, "with %s", ("sk-of-the-author",), raised)
    shown = lines.format(record)
    assert "were refused" in shown
    assert "of-the-author" not in shown


# --- traces -----------------------------------------------------------------------------------


class Collector:
    """Takes traces, as an OpenTelemetry collector does."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.paths: list[str] = []

    def take(self, path: str, body: bytes) -> int:
        self.paths.append(path)
        self.requests.append(ExportTraceServiceRequest.FromString(body))
        return 200

    def spans(self) -> dict[str, Span]:
        return {
            span.name: span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        }


def test_a_question_is_traced_with_its_stages_below_the_callers_span(sample_index: Path) -> None:
    collector = Collector()
    with answering(collector.take) as url:
        traced = {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "FASTAPI_OTEL_AUTO_CONFIGURE": "true"}
        with running_service(sample_index, **traced) as service:
            found = httpx.get(f"{service.url}/api/search", params={"query": "costmap"}, timeout=20)
            assert found.status_code == 200
            trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
            response = httpx.post(
                f"{service.url}/api/query",
                json={"query": QUESTION},
                headers={"traceparent": f"00-{trace}-{caller}-01"},
                timeout=20,
            )
            assert response.status_code == 200
            service.terminate()
            assert service.ends() == 0
        spans = collector.spans()
    assert collector.paths == ["/v1/traces"]
    request, question = spans["POST /api/query"], spans["question"]
    assert request.trace_id.hex() == trace
    assert request.parent_span_id.hex() == caller
    assert question.parent_span_id == request.span_id
    for stage in ("retrieval", "generation", "grounding"):
        assert spans[stage].parent_span_id == question.span_id
        assert question.start_time_unix_nano <= spans[stage].start_time_unix_nano
        assert spans[stage].start_time_unix_nano < spans[stage].end_time_unix_nano
    known = {each.key: each.value for each in request.attributes}
    assert known["http.response.status_code"].int_value == 200
    assert known["bythebook.request_id"].string_value == response.headers["x-request-id"]
    assert {each.key for each in question.attributes} >= {"bythebook.outcome", "bythebook.tokens"}
    assert "costmap" not in str(collector.requests)


def test_a_collector_that_is_away_breaks_nothing(sample_index: Path) -> None:
    away = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    with running_service(sample_index, **away) as service:
        assert service.ask(QUESTION).status_code == 200
        service.terminate()
        assert service.ends() == 0

"""OpenTelemetry: a span for each request, and below it those of its question's stages.

Only where the extra `otel` is installed and a collector is named. Spans hold routes, kinds and
times, and no text: neither questions nor answers leave by this way.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bythebook.settings import Settings, variable_of
from bythebook.types import Failure, Outcome, Refusal
from bythebook.version import __version__
from bythebook.web.operations.handled import method_of, route_of

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

    from bythebook.web.desk import Asked

_LOG = logging.getLogger("bythebook.tracing")

_LAST_WORDS_SECONDS = 2.0  # how long the end of the service waits for a collector
_PATH = "/v1/traces"


class Tracing:
    """Makes spans and sends them, in the background, to a collector."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self.tracer: Tracer = provider.get_tracer("bythebook", __version__)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send what is left at the end of the block, for a short time."""
        try:
            yield
        finally:
            # In a thread that the end of the process does not wait for.
            sending = threading.Thread(target=self._provider.shutdown, daemon=True)
            sending.start()
            await asyncio.to_thread(sending.join, _LAST_WORDS_SECONDS)

    def trace_question(self, asked: Asked) -> None:
        """Make the spans of a settled question, as an observer of the desk.

        It runs in the context of the request, so they come below its span. The stages follow one
        another, so their beginnings can be told from how long each took.
        """
        outcome = asked.outcome
        timings = outcome.timings
        end = int(outcome.finished_at.timestamp() * 1e9)
        begin = end - _nanoseconds(timings.total_ms)
        with self.tracer.start_as_current_span(
            "question", start_time=begin, attributes=_attributes(outcome), end_on_exit=False
        ) as question:
            for stage, milliseconds in (
                ("retrieval", timings.retrieval_ms),
                ("generation", timings.generation_ms),
                ("grounding", timings.grounding_ms),
            ):
                if milliseconds > 0:
                    span = self.tracer.start_span(stage, start_time=begin)
                    begin += _nanoseconds(milliseconds)
                    span.end(begin)
            question.end(end)


def make_tracing(settings: Settings) -> Tracing | None:
    """Return what traces, or None where no collector is named or the packages are missing."""
    endpoint = settings.otel_exporter_otlp_endpoint
    if not endpoint:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        # The variable may be set for everything on a machine; that is no reason not to start.
        name = variable_of("otel_exporter_otlp_endpoint")
        _LOG.warning("%s is set, but nothing is traced: pip install 'bythebook[otel]'", name)
        return None
    # What the environment says by OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES counts.
    resource = Resource.create()
    if str(resource.attributes[SERVICE_NAME]).startswith("unknown_service"):
        resource = resource.merge(Resource({SERVICE_NAME: "bythebook"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=endpoint.rstrip("/") + _PATH)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return Tracing(provider)


class TracedRequests:
    """Puts a span around each request, below the caller's when it sent one along."""

    def __init__(self, app: ASGIApp, tracing: Tracing) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._app = app
        self._tracer = tracing.tracer
        self._propagator = TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from opentelemetry.trace import SpanKind, StatusCode

        status: int | None = None

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        caller = self._propagator.extract(Headers(scope=scope))
        with self._tracer.start_as_current_span(
            method_of(scope), context=caller, kind=SpanKind.SERVER
        ) as span:
            try:
                await self._app(scope, receive, watched)
            finally:
                span.update_name(f"{method_of(scope)} {route_of(scope)}")
                span.set_attributes(_request_attributes(scope, status))
                if status is not None and status >= 500:
                    span.set_status(StatusCode.ERROR)


def _request_attributes(scope: Scope, status: int | None) -> Mapping[str, Any]:
    request_id = scope.get("state", {}).get("request_id")
    return {
        "http.request.method": method_of(scope),
        "http.route": route_of(scope),
        "http.response.status_code": status or 499,
        "bythebook.request_id": str(request_id),
    }


def _attributes(outcome: Outcome) -> Mapping[str, Any]:
    result = outcome.result
    known: dict[str, Any] = {
        "bythebook.outcome": result.kind,
        "bythebook.mode": outcome.mode.value,
        "bythebook.model": outcome.model,
        "bythebook.tokens": outcome.tokens_used,
    }
    if isinstance(result, Refusal):
        known |= {"bythebook.refusal": result.type.value, "bythebook.reason": result.reason.value}
    if isinstance(result, Failure):
        known |= {"bythebook.stage": result.stage, "error.type": result.error}
    return known


def _nanoseconds(milliseconds: float) -> int:
    return int(milliseconds * 1e6)

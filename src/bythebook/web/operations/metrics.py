"""Figures for Prometheus, in a registry of this service alone.

A label is always one of a few values, whatever readers send: routes go by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from bythebook.types import Answer, Failure, Refusal
from bythebook.version import __version__
from bythebook.web.operations.handled import Handled

if TYPE_CHECKING:
    from bythebook.web.desk import Asked, Desk

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# A quoted answer takes some ten milliseconds, one that a model writes some ten seconds.
_SECONDS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counts requests and questions, and looks at the desk when it is asked for its figures."""

    def __init__(self, desk: Desk) -> None:
        self.registry = registry = CollectorRegistry()
        self._requests = Counter(
            "bythebook_requests",
            "Requests, by the route they went to.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._request_seconds = Histogram(
            "bythebook_request_seconds",
            "Time from a request to the end of its response.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._questions = Counter(
            "bythebook_questions",
            "Settled questions, by how they ended.",
            ("outcome", "mode"),
            registry=registry,
        )
        self._refusals = Counter(
            "bythebook_refusals",
            "Refused questions, by document 004's type and by our reason.",
            ("type", "reason"),
            registry=registry,
        )
        self._failures = Counter(
            "bythebook_failures",
            "Failed questions, by the stage and the class of the error.",
            ("stage", "error"),
            registry=registry,
        )
        self._stage_seconds = Histogram(
            "bythebook_stage_seconds",
            "Time a question spent in each stage.",
            ("stage",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._tokens = Counter(
            "bythebook_model_tokens", "Tokens that models read and wrote.", registry=registry
        )
        self.renewals = Counter(
            "bythebook_renewals",
            "Attempts to put a new index in use, by how they ended.",
            ("result",),
            registry=registry,
        )
        self.ready = Gauge(
            "bythebook_ready",
            "Whether each engine did its part when it was last asked by /readyz.",
            ("engine",),
            registry=registry,
        )
        registry.register(_DeskFigures(desk))
        ProcessCollector(registry=registry)

    def text(self) -> bytes:
        """Return all figures as Prometheus reads them."""
        return generate_latest(self.registry)

    def count_request(self, handled: Handled) -> None:
        """Count a request that is over."""
        self._requests.labels(handled.method, handled.route, str(handled.status)).inc()
        self._request_seconds.labels(handled.route).observe(handled.milliseconds / 1000)

    def count_question(self, asked: Asked) -> None:
        """Count a settled question, as an observer of the desk."""
        outcome = asked.outcome
        self._questions.labels(outcome.result.kind, outcome.mode.value).inc()
        self._tokens.inc(outcome.tokens_used)
        match outcome.result:
            case Refusal() as refusal:
                self._refusals.labels(refusal.type.value, refusal.reason.value).inc()
            case Failure() as failure:
                self._failures.labels(failure.stage, failure.error).inc()
            case Answer():
                pass
        timings = outcome.timings
        stages = {
            "retrieval": timings.retrieval_ms,
            "generation": timings.generation_ms,
            "grounding": timings.grounding_ms,
        }
        for stage, milliseconds in stages.items():
            if milliseconds > 0:  # a stage the question did not reach took no time
                self._stage_seconds.labels(stage).observe(milliseconds / 1000)
        self._stage_seconds.labels("total").observe(timings.total_ms / 1000)


class _DeskFigures(Collector):
    """What is read from the desk at the moment somebody asks."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def collect(self) -> Iterator[Metric]:
        """Yield the figures of now."""
        manifest = self._desk.assistant.manifest
        index = {"generation": manifest.generation, "embedder": manifest.embedder}
        yield InfoMetricFamily(
            "bythebook_index", "The index in use.", value=index | {"version": __version__}
        )
        yield GaugeMetricFamily(
            "bythebook_index_passages", "Passages of the index in use.", value=manifest.chunks
        )
        yield GaugeMetricFamily(
            "bythebook_index_created_seconds",
            "When the index in use was made, in seconds since 1970.",
            value=manifest.created_at.timestamp(),
        )
        sessions = self._desk.sessions
        if isinstance(sessions, Sized):  # those in Redis are not this process's to count
            yield GaugeMetricFamily("bythebook_sessions", "Sessions kept.", value=len(sessions))
        yield from self._query_log()

    def _query_log(self) -> Iterator[Metric]:
        log = self._desk.query_log
        if log is None:
            return
        counters = log.counters
        yield GaugeMetricFamily(
            "bythebook_query_log_queued", "Records waiting to be written.", value=counters.queued
        )
        yield CounterMetricFamily(
            "bythebook_query_log_written", "Records in the database.", value=counters.written
        )
        yield CounterMetricFamily(
            "bythebook_query_log_dropped", "Records that were lost.", value=counters.dropped
        )
        yield CounterMetricFamily(
            "bythebook_query_log_failures",
            "Attempts to write that did not work.",
            value=counters.failures,
        )
        yield GaugeMetricFamily(
            "bythebook_query_log_reachable",
            "Whether the last attempt to write worked.",
            value=float(counters.is_reachable),
        )

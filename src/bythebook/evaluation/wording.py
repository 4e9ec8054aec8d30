"""Figures as a person reads them, the same in a terminal and in a report."""

from __future__ import annotations

from bythebook.evaluation.metrics import Metric, Unit

NOTHING = "-"


def figure(value: float | None, unit: Unit) -> str:
    """Return a value in its unit: 97.5 %, 0.17, 149 ms."""
    if value is None:
        return NOTHING
    if unit == "ms":
        return f"{value:,.0f} ms"
    return f"{value:.3f}" if unit == "error" else f"{value * 100:.1f} %"


def interval(metric: Metric) -> str:
    """Return the 95 % interval of a figure."""
    if metric.low is None or metric.high is None:
        return NOTHING
    if metric.unit == "ms":
        return f"{metric.low:,.0f} to {metric.high:,.0f}"
    if metric.unit == "error":
        return f"{metric.low:.3f} to {metric.high:.3f}"
    return f"{metric.low * 100:.1f} to {metric.high * 100:.1f}"


def count(metric: Metric) -> str:
    """Return what a figure was measured on: 39 of 40, or only 40."""
    return f"{metric.of:,}" if metric.hits is None else f"{metric.hits:,} of {metric.of:,}"

"""A picture of a run, as an SVG without a library: losses above, dev figures below."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WIDTH, HEIGHT, LEFT, GAP = 900, 300, 60, 40
COLOURS = "#1b6ca8 #c0392b #27864a #8e44ad #b9770e #117a8b #6c3483 #7f8c8d #a04000 #2e4053".split()


def plot(log: Path, picture: Path) -> None:
    """Draw the log of a run."""
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    losses = _series(lines, lambda line: {k: v for k, v in line.items() if k.startswith("loss")})
    figures = _series(
        lines,
        lambda line: {
            name: value
            for name, value in line.get("dev", {}).items()
            if name.endswith((" auc", " evidence", " balanced"))
        },
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 330}" '
        f'height="{2 * (HEIGHT + GAP) + GAP}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        *_chart("loss", losses, GAP),
        *_chart("dev", figures, HEIGHT + 2 * GAP),
        "</svg>",
    ]
    picture.write_text("\n".join(parts) + "\n", encoding="utf-8")


def _series(lines: list[dict[str, Any]], pick: Any) -> dict[str, list[tuple[float, float]]]:
    found: dict[str, list[tuple[float, float]]] = {}
    for line in lines:
        for name, value in pick(line).items():
            if value == value:
                found.setdefault(name, []).append((line["minutes"], value))
    return found


def _chart(title: str, series: dict[str, list[tuple[float, float]]], top: float) -> list[str]:
    if not series:
        return []
    points = [point for values in series.values() for point in values]
    last = max(x for x, _ in points) or 1.0
    low, high = min(y for _, y in points), max(y for _, y in points)
    span = (high - low) or 1.0

    def place(x: float, y: float) -> str:
        return f"{LEFT + x / last * WIDTH:.1f},{top + HEIGHT - (y - low) / span * HEIGHT:.1f}"

    parts = [
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
        f'<text x="{LEFT}" y="{top - 8}">{title}, over {last:.0f} minutes</text>',
        f'<text x="8" y="{top + 10}">{high:.3f}</text>',
        f'<text x="8" y="{top + HEIGHT}">{low:.3f}</text>',
    ]
    for number, (name, values) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join(place(x, y) for x, y in values)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        at = top + 14 + 18 * number
        text = f"{name}: {values[-1][1]:.3f}"
        parts.append(f'<text x="{LEFT + WIDTH + 12}" y="{at}" fill="{colour}">{text}</text>')
    return parts

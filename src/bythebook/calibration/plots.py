"""The two plots of a calibration as SVG: no plotting library, nothing but lines and labels."""

from __future__ import annotations

from collections.abc import Sequence

from bythebook.calibration.values import Calibration

_SIZE, _MARGIN = 360, 48


def reliability_plot(found: Calibration) -> str:
    """Return how often answers were right against how probable they were said to be."""
    points = [(b.said, b.right, b.count) for b in found.reliability]
    most = max((count for *_, count in points), default=1)
    dots = [_dot(x, y, 3 + 6 * count / most) for x, y, count in points]
    even = _line([(0, 0), (1, 1)], "#999", dashed=True)
    return _frame("said to be right", "were right", [even, *dots])


def coverage_plot(found: Calibration) -> str:
    """Return the share of wrong answers against the share of questions answered right."""
    points = [(point.coverage, point.risk) for point in found.curve]
    dots = [_dot(x, y, 3) for x, y in points]
    return _frame("questions answered right", "answers that are wrong", [_line(points), *dots])


def _frame(x_label: str, y_label: str, parts: Sequence[str]) -> str:
    ticks = []
    for number in range(6):
        share = number / 5
        x, y = _place(share, share)
        label = f"{share:.0%}"
        ticks.append(f'<text x="{x:.0f}" y="{_SIZE - 30}" text-anchor="middle">{label}</text>')
        ticks.append(f'<text x="{_MARGIN - 6}" y="{y + 4:.0f}" text-anchor="end">{label}</text>')
        ticks.append(_line([(0, share), (1, share)], "#eee"))
    middle = (_MARGIN + _SIZE - 12) / 2
    labels = (
        f'<text x="{middle}" y="{_SIZE - 10}" text-anchor="middle">{x_label}</text>'
        f'<text x="14" y="{middle}" text-anchor="middle"'
        f' transform="rotate(-90 14 {middle})">{y_label}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_SIZE}" height="{_SIZE}"'
        f' viewBox="0 0 {_SIZE} {_SIZE}" font-family="sans-serif" font-size="11">'
        f'<rect width="{_SIZE}" height="{_SIZE}" fill="white"/>'
        f"{''.join(ticks)}{''.join(parts)}{labels}</svg>\n"
    )


def _place(x: float, y: float) -> tuple[float, float]:
    width = _SIZE - _MARGIN - 12
    return _MARGIN + x * width, _SIZE - _MARGIN - y * width


def _dot(x: float, y: float, radius: float) -> str:
    across, down = _place(x, y)
    return f'<circle cx="{across:.1f}" cy="{down:.1f}" r="{radius:.1f}" fill="#2b6cb0"/>'


def _line(
    points: Sequence[tuple[float, float]], colour: str = "#2b6cb0", dashed: bool = False
) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_place(*point) for point in points))
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}"{dash}/>'

"""Line plots as SVG text, for pages that open without a network and are made without further packages."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 560, 260
"""Size of a plot [px of the SVG]."""
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 28, 34
"""Margins around the axes, with room for numbers, title and label [px]."""
Range = tuple[float, float]
Place = Callable[[float, float], tuple[float, float]]
"""Map from the values of x and y to a point of the picture."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a plot; None and infinite values leave a hole."""

    label: str
    color: str
    x: Sequence[float]
    y: Sequence[float | None]
    failures: Sequence[float] = ()
    """Values of x at which a cross on the lower edge marks a failure."""


def line_plot(title: str, lines: Sequence[Line], *, x_label: str, y_label: str, logarithmic: bool = False) -> str:
    """The plot as an <svg> element."""
    points = [(x, y) for line in lines for x, y in zip(line.x, line.y, strict=True) if _shown(y, logarithmic)]
    xs = [x for line in lines for x in [*line.x, *line.failures]]
    x_low, x_high = _range(xs)
    values = [_scaled(y, logarithmic) for _, y in points]
    y_low, y_high = _range(values if logarithmic else [*values, 0.0])

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM),
        )

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}">',
        f'<text x="{LEFT}" y="16" class="title">{html.escape(title)}</text>',
    ]
    parts += _grid(place, (x_low, x_high), (y_low, y_high), x_label, y_label, logarithmic)
    for line in lines:
        parts += _line(line, place, logarithmic)
    return "\n".join([*parts, "</svg>"])


def _line(line: Line, place: Place, logarithmic: bool) -> list[str]:
    parts, run = [], []
    for x, y in [*zip(line.x, line.y, strict=True), (0.0, None)]:
        if _shown(y, logarithmic):
            run.append("{:.1f},{:.1f}".format(*place(x, _scaled(y, logarithmic))))
        elif run:
            style = f'stroke="{line.color}"'
            dot = f'<circle r="2" fill="{line.color}" cx="{run[0].split(",")[0]}" cy="{run[0].split(",")[1]}"/>'
            parts.append(dot if len(run) == 1 else f'<polyline points="{" ".join(run)}" {style} class="line"/>')
            run = []
    for x in line.failures:
        at, edge = place(x, 0.0)[0], HEIGHT - BOTTOM
        parts.append(f'<path d="M{at - 3:.1f} {edge - 3}l6 6m0 -6l-6 6" stroke="{line.color}" class="cross"/>')
    return parts


def _grid(place: Place, x_range: Range, y_range: Range, x_label: str, y_label: str, logarithmic: bool) -> list[str]:
    parts = []
    for value in _ticks(*x_range):
        at = place(value, y_range[0])[0]
        parts.append(
            f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 14}" class="tick" text-anchor="middle">{value:g}</text>'
        )
    for value in _ticks(*y_range, whole=logarithmic):
        at = place(x_range[0], value)[1]
        text = f"{10.0**value:.3g}" if logarithmic else f"{value:.4g}"
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 3:.1f}" class="tick" text-anchor="end">{text}</text>')
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" class="tick" text-anchor="end">{html.escape(x_label)}</text>'
    )
    parts.append(f'<text x="{WIDTH - RIGHT}" y="16" class="tick" text-anchor="end">{html.escape(y_label)}</text>')
    return parts


def _shown(y: float | None, logarithmic: bool) -> bool:
    return y is not None and math.isfinite(y) and (y > 0.0 or not logarithmic)


def _scaled(y: float | None, logarithmic: bool) -> float:
    assert y is not None
    return math.log10(y) if logarithmic else y


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis that has some length even for no values or equal ones."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high - low > 1e-12 * max(1.0, abs(low)) else (low - 0.5, high + 0.5)


def _ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """About five round numbers of an axis."""
    step = 10.0 ** math.floor(math.log10((high - low) / 4.0))
    step *= next(m for m in (1.0, 2.0, 5.0, 10.0) if (high - low) / (m * step) <= 5.0)
    step = max(step, 1.0) if whole else step
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]

"""Line plots and bar charts as SVG text, for pages that open without a network and are made without further packages."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from signorini.reports.numbers import power_of_ten

WIDTH, HEIGHT = 560, 260
"""Size of a plot [px of the SVG]."""
LOW = 60
"""Height of a plot that has nothing to show but a sentence [px]."""
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 42, 34
"""Margins around the axes, with room for numbers, title, names of lines and label [px]."""
LETTER = 6.2
"""Width of a letter of the names of lines, on average [px]."""
WIDEST_BAR = 70.0
"""Of a bar chart: one lone bar would be a wall [px]."""
MOST_POINTS = 1500
"""Points of a line; of more, the least and the largest of each stretch are drawn."""
NEARLY_ALL, FAR_ABOVE = 0.98, 5.0
"""Share of values that must be seen well, and how far beyond these an axis may end."""
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
    dash: str = ""
    """Lengths of dashes and gaps [px], so that a line on top of another lets it be seen; nothing draws it through."""
    joined: bool = True
    """Whether a line joins the points."""
    notes: Sequence[str] = ()
    """A text for each point: points are then marked, and show it under the mouse."""
    links: Sequence[str] = ()
    """Where a click on each marked point leads to."""


def line_plot(
    title: str, lines: Sequence[Line], *, x_label: str, y_label: str, logarithmic: bool = False, from_zero: bool = True
) -> str:
    """The plot as an <svg> element; one whose values are all 0 says so instead. `from_zero` has zero on the axis of y."""
    values = [_scaled(y, logarithmic) for line in lines for y in line.y if _shown(y, logarithmic)]
    x_low, x_high = _range([x for line in lines for x in [*line.x, *line.failures]])
    if not values or (not logarithmic and not any(values)):
        crosses = [cross for line in lines for cross in _crosses(line, x_low, x_high)]
        return _empty(title, "0 throughout" if values else "no values", crosses)
    y_low, y_high = _range([*values, 0.0] if from_zero and not logarithmic else values)

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM),
        )

    parts = [*_head(title), *_grid(place, (x_low, x_high), (y_low, y_high), x_label, y_label, logarithmic)]
    parts += _names(lines) if len(lines) > 1 else []
    for line in lines:
        parts += _line(line, place, logarithmic)
        parts += _crosses(line, x_low, x_high)
    return "\n".join([*parts, "</svg>"])


def axis_end(values: Sequence[float]) -> float:
    """The largest value, or if this is far above nearly all others (`FAR_ABOVE`), twice the largest of those."""
    if not values:
        return 0.0
    most = sorted(values)[math.ceil(NEARLY_ALL * len(values)) - 1]
    return max(values) if max(values) <= FAR_ABOVE * most else 2.0 * most


def bar_plot(title: str, bars: Sequence[tuple[str, float]], *, x_label: str, y_label: str) -> str:
    """A bar chart of names and counts as an <svg> element."""
    most = max((value for _, value in bars), default=0.0)
    if most <= 0.0:
        return _empty(title, "no values", [])
    wide = (WIDTH - LEFT - RIGHT) / len(bars)

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + x * wide, HEIGHT - BOTTOM - y / most * (HEIGHT - TOP - BOTTOM)

    parts = [*_head(title), *_grid(place, (0.0, 0.0), (0.0, most), x_label, y_label, False, x_ticks=False)]
    broad = min(0.7 * wide, WIDEST_BAR)
    for k, (name, value) in enumerate(bars):
        x, y = place(k + 0.5, value)
        parts.append(
            f'<rect x="{x - 0.5 * broad:.1f}" y="{y:.1f}" width="{broad:.1f}" height="{HEIGHT - BOTTOM - y:.1f}" fill="#2f7fb8"/>'
        )
        middle = place(k + 0.5, 0.0)[0]
        for at, text in ((HEIGHT - BOTTOM + 14.0, html.escape(name)), (y - 4.0, f"{value:,.0f}")):
            parts.append(f'<text x="{middle:.1f}" y="{at:.1f}" class="tick" text-anchor="middle">{text}</text>')
    return "\n".join([*parts, "</svg>"])


def _head(title: str, height: int = HEIGHT) -> list[str]:
    return [
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html.escape(title)}">',
        f'<text x="{LEFT}" y="16" class="title">{html.escape(title)}</text>',
    ]


def _empty(title: str, words: str, crosses: list[str]) -> str:
    """A plot without values, which is a sentence."""
    height = HEIGHT if crosses else LOW
    at = f'x="{LEFT}" y="{height // 2 + 8}"'
    return "\n".join([*_head(title, height), f'<text {at} class="tick">{words}</text>', *crosses, "</svg>"])


def _names(lines: Sequence[Line]) -> list[str]:
    """The names of the lines in their colours, below the title, in two rows if need be; lines without a name have none."""
    parts, x, y = [], float(LEFT), 28
    for line in lines:
        wide = 30.0 + LETTER * len(line.label) if line.label else 0.0
        if x > LEFT and x + wide > WIDTH + 20.0 and y == 28:
            x, y = float(LEFT), 39
        if not line.label:
            continue
        style = f'stroke="{line.color}" class="line"' + (f' stroke-dasharray="{line.dash}"' if line.dash else "")
        parts.append(f'<path d="M{x:.0f} {y}h14" {style}/>')
        parts.append(f'<text x="{x + 18:.0f}" y="{y + 4}" class="tick">{html.escape(line.label)}</text>')
        x += wide
    return parts


def _line(line: Line, place: Place, logarithmic: bool) -> list[str]:
    parts, run = [], []
    style = f'stroke="{line.color}"' + (f' stroke-dasharray="{line.dash}"' if line.dash else "")
    for x, y in [*_thinned(line), (0.0, None)]:
        if _shown(y, logarithmic):
            run.append("{:.1f},{:.1f}".format(*place(x, _scaled(y, logarithmic))))
        elif run:
            dot = f'<circle r="2" fill="{line.color}" cx="{run[0].split(",")[0]}" cy="{run[0].split(",")[1]}"/>'
            if line.joined:
                parts.append(dot if len(run) == 1 else f'<polyline points="{" ".join(run)}" {style} class="line"/>')
            run = []
    return parts + _marks(line, place, logarithmic)


def _marks(line: Line, place: Place, logarithmic: bool) -> list[str]:
    """A dot for each point that has a note."""
    parts = []
    for k, note in enumerate(line.notes):
        x, y = line.x[k], line.y[k]
        if not _shown(y, logarithmic):
            continue
        at = place(x, _scaled(y, logarithmic))
        title = f"<title>{html.escape(note)}</title>"
        dot = f'<circle r="3" fill="{line.color}" cx="{at[0]:.1f}" cy="{at[1]:.1f}">{title}</circle>'
        parts.append(f'<a href="{html.escape(line.links[k])}">{dot}</a>' if line.links else dot)
    return parts


def _thinned(line: Line) -> list[tuple[float, float | None]]:
    """The points of a line, at most about `MOST_POINTS`: extremes stay."""
    points = list(zip(line.x, line.y, strict=True))
    stretch = -(-2 * len(points) // MOST_POINTS)
    if stretch <= 2 or any(y is None for _, y in points):
        return points
    kept: list[tuple[float, float | None]] = []
    for k in range(0, len(points), stretch):
        part = [(x, y) for x, y in points[k : k + stretch] if y is not None]
        kept += sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])})
    return kept


def _crosses(line: Line, x_low: float, x_high: float) -> list[str]:
    edge, parts = HEIGHT - BOTTOM, []
    for x in line.failures:
        at = LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)
        parts.append(f'<path d="M{at - 3:.1f} {edge - 3}l6 6m0 -6l-6 6" stroke="{line.color}" class="cross"/>')
    return parts


def _grid(
    place: Place, x_range: Range, y_range: Range, x_label: str, y_label: str, logarithmic: bool, *, x_ticks: bool = True
) -> list[str]:
    parts = []
    for value in _ticks(*x_range) if x_ticks else ():
        at = place(value, y_range[0])[0]
        parts.append(
            f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 14}" class="tick" text-anchor="middle">{value:g}</text>'
        )
    for value in _decades(*y_range) if logarithmic else _ticks(*y_range):
        at = place(x_range[0], value)[1]
        text = power_of_ten(value) if logarithmic else _label(value, y_range)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="grid"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 3:.1f}" class="tick" text-anchor="end">{text}</text>')
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 4}" class="tick" text-anchor="end">{html.escape(x_label)}</text>'
    )
    parts.append(f'<text x="{WIDTH - RIGHT}" y="16" class="tick" text-anchor="end">{html.escape(y_label)}</text>')
    return parts


def _label(value: float, y_range: Range) -> str:
    """A number of an axis, without exponents where all are of a readable size."""
    largest = max(abs(y_range[0]), abs(y_range[1]))
    return f"{value:,.10g}" if 1e-3 <= largest < 1e7 else f"{value:.4g}"


def _shown(y: float | None, logarithmic: bool) -> bool:
    return y is not None and math.isfinite(y) and (y > 0.0 or not logarithmic)


def _scaled(y: float | None, logarithmic: bool) -> float:
    assert y is not None
    return math.log10(y) if logarithmic else y


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis that has some length even for no values or equal ones."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    return (low, high) if high - low > 1e-12 * max(1.0, abs(low)) else (low - 0.5, high + 0.5)


def _decades(low: float, high: float) -> list[float]:
    """Logarithms of powers of ten, at most about eight; of 2 and 5 times these, or of round numbers, where there are few."""
    step = max(1, math.ceil((high - low) / 8.0))
    powers = range(math.floor(low), math.ceil(high) + 1, step)
    factors = (1.0, 2.0, 5.0) if high - low < 2.0 else (1.0,)
    found = [power + math.log10(factor) for power in powers for factor in factors]
    inside = [value for value in found if low - 1e-9 <= value <= high + 1e-9]
    return inside if len(inside) > 2 or high - low > 1.0 else [math.log10(v) for v in _ticks(10.0**low, 10.0**high)]


def _ticks(low: float, high: float) -> list[float]:
    """About five round numbers of an axis."""
    step = 10.0 ** math.floor(math.log10((high - low) / 4.0))
    step *= next(m for m in (1.0, 2.0, 5.0, 10.0) if (high - low) / (m * step) <= 5.0)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]

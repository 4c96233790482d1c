"""Tables and bar plots of measured rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from signorini.studies.performance.measure import Row
from signorini.studies.solver_bench_plots import load_pyplot

Column = tuple[str, Callable[[Row], str]]


def _number(name: str, form: str, scale: float = 1.0) -> Callable[[Row], str]:
    def cell(row: Row) -> str:
        value = row.get(name)
        return "" if value is None or not math.isfinite(value) else format(scale * value, form)

    return cell


def _text(name: str) -> Callable[[Row], str]:
    return lambda row: str(row.get(name, ""))


def _phase(name: str) -> Callable[[Row], str]:
    return lambda row: f"{row['phases_ms'].get(name, 0.0):.2f}"


ACCURACY: tuple[Column, ...] = (
    ("solved", lambda row: f"{row['solved']}/{row['solves']}"),
    ("residual m/s", _number("residual", ".1e")),
    ("repeats", _number("halvings", ".0f")),
    ("fail-safe", _number("failsafe_steps", ".0f")),
    ("least mm", _number("least_distance", ".3f", 1e3)),
    ("intersect", _number("intersections", ".0f")),
)
COLUMNS: dict[str, tuple[Column, ...]] = {
    "scenes": (
        ("scene", _text("scene")),
        ("dt ms", _number("dt_ms", "g")),
        ("nodes", _text("nodes")),
        ("contacts", _text("contacts")),
        ("ms", _number("wall_ms", ".2f")),
        ("CPU ms", _number("cpu_ms", ".2f")),
        ("mean ms", _number("mean_wall_ms", ".2f")),
        ("mean CPU", _number("mean_cpu_ms", ".2f")),
        *((name, _phase(name)) for name in ("assembly", "unconstrained", "contact", "check", "detection", "rest")),
        *ACCURACY,
    ),
    "kernels": (
        ("kernel", _text("kernel")),
        ("µs", _number("us", ".1f")),
        ("arithmetic µs", _number("arithmetic_us", ".1f")),
        ("memory µs", _number("memory_us", ".1f")),
        ("over floor", _number("over_floor", ".1f")),
        ("error", _number("error", ".1e")),
    ),
    "scaling": (
        ("scene", _text("scene")),
        ("nodes", _text("nodes")),
        ("contacts", _text("contacts")),
        ("ms", _number("wall_ms", ".1f")),
        ("exponent", _number("exponent", ".2f")),
        ("CPU ms", _number("cpu_ms", ".1f")),
        ("of CPU time", _number("cpu_exponent", ".2f")),
        ("MB", _number("memory_mb", ".0f")),
        ("kB/node", _number("kb_per_node", ".1f")),
        ("kB/contact", _number("kb_per_contact", ".1f")),
        *ACCURACY,
    ),
    "startup": (
        ("start", _text("start")),
        ("cache", _text("cache")),
        ("s", _number("wall_s", ".2f")),
        ("CPU s", _number("cpu_s", ".2f")),
        ("printed", _text("printed")),
    ),
    "peers": (
        ("scene", _text("scene")),
        ("simulator", _text("simulator")),
        ("dt ms", _number("dt_ms", ".3g")),
        ("simulated s", _number("simulated_s", ".2f")),
        ("wall s per s", _number("wall_per_s", ".2f")),
        ("CPU s per s", _number("cpu_per_s", ".2f")),
        ("compared s", _number("compared_s", ".2f")),
        ("wall over ours", _number("ratio", ".1f")),
        ("CPU over ours", _number("cpu_ratio", ".1f")),
        ("frames that intersect", lambda row: f"{row.get('intersecting', '?')}/{row.get('frames', '?')}"),
        ("below ground mm", _number("below_ground_mm", ".2f")),
        ("max stretch", _number("stretch", ".2f")),
        ("status", _text("status")),
    ),
}  # fmt: skip

LABELS = {
    "scenes": "{scene}, {dt_ms:g} ms",
    "kernels": "{kernel}",
    "scaling": "{scene}, {nodes} nodes",
    "startup": "{start}, cache {cache}",
    "peers": "{scene}, {simulator}",
}
"""Names of the bars of a plot."""


def cells(kind: str, row: Row) -> list[str]:
    """The cells of a row."""
    return [cell(row) for _, cell in COLUMNS[kind]]


def headings(kind: str) -> list[str]:
    """The headings of a table."""
    return [name for name, _ in COLUMNS[kind]]


def draw_bars(kind: str, rows: Sequence[Row], directory: Path) -> Path:
    """A bar plot of the times, one bar a row; needs matplotlib."""
    value = {"scenes": "wall_ms", "kernels": "us", "scaling": "wall_ms", "startup": "wall_s", "peers": "wall_per_s"}[
        kind
    ]
    shown = [row for row in rows if isinstance(row.get(value), (int, float))]
    pyplot = load_pyplot()
    directory.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(8, 0.4 * len(shown) + 1.5))
    names = [LABELS[kind].format(**row) for row in shown]
    axes.barh(names, [row[value] for row in shown], color="#4477aa")
    if kind in ("kernels", "scaling", "peers"):
        axes.set_xscale("log")
    axes.set_xlabel({"us": "µs", "wall_ms": "ms a step", "wall_s": "s", "wall_per_s": "wall s per simulated s"}[value])
    axes.invert_yaxis()
    figure.tight_layout()
    path = directory / f"bench-{kind}.png"
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path

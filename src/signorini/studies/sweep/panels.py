"""Panels of a sweep: which metric is drawn over which parameter, and how the others tell lines and panels apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from signorini.reports.line_plot import Line, line_plot
from signorini.studies.sweep.one_run import SUMMARY
from signorini.studies.sweep.plan import Plan
from signorini.studies.sweep.table import MEASURED, SweepTable

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
"""The colour-blind-safe palette of Okabe and Ito."""
ENDS = ((38, 70, 140), (235, 170, 50))
"""Red, green and blue of the ends of the scale for more lines than that."""
MOST_PANELS = 12
"""Panels for one metric."""
NARROW, WIDE = 0.02, 0.7
"""Values that differ by less than the first part of the largest are drawn above zero, so that nothing looks like much; those
that differ by more than the second too, because zero is near anyway."""
WITHOUT_METRICS = ("max_contacts", "friction_loss")
"""Columns that are drawn if the sweep has no metrics."""
UNITS = {
    "final_height": "m", "extent_x": "m", "extent_y": "m", "extent_z": "m", "contact_force": "N", "rest_time": "s",
    "wall_seconds": "s", "friction_loss": "J", "dt": "s", "seconds": "s",
}  # fmt: skip
_NOT_METRICS = {
    "run", "id", "seed", "version", "scene_hash", "state_hash", "dataset_sha256", "status", "reason", "simulated_seconds",
    "frames", *SUMMARY, *MEASURED,
}  # fmt: skip


def metric_columns(plan: Plan, table: SweepTable) -> list[str]:
    """The columns that are drawn: the metrics with numbers, and the time that runs took."""
    own = [name for name in table.columns if name not in _NOT_METRICS and name not in plan.names]
    numbers = [name for name in own or WITHOUT_METRICS if any(_number(row.get(name)) is not None for row in table.rows)]
    return [*numbers, "wall_seconds"]


def panels(plan: Plan, table: SweepTable, metric: str) -> list[str]:
    """The plots of a metric as <svg> elements."""
    rows = table.rows
    numeric = [name for name in plan.names if _is_varied_number(rows, name)]
    if not numeric:
        return [_panel(metric, "run", rows, [(metric, COLORS[0], rows)], joined=False)]
    sampled = len(numeric) > 1 and any(2 * len(_values(rows, name)) > len(rows) for name in numeric)
    others = [name for name in plan.names if name not in numeric and len(_values(rows, name)) > 1]
    if sampled:
        lines = _groups(rows, others[:1])
        return [_panel(metric, name, rows, lines, joined=False) for name in numeric[:MOST_PANELS]]
    x = max(numeric, key=lambda name: len(_values(rows, name)))
    rest = [name for name in plan.names if name != x and len(_values(rows, name)) > 1]
    found = []
    for title, part in _facets(rows, rest[1:])[:MOST_PANELS]:
        found.append(_panel(metric, x, part, _groups(part, rest[:1]), joined=True, title=title))
    return found


def legend(plan: Plan, table: SweepTable) -> list[tuple[str, str]]:
    """Label and colour of each line, as all panels have them."""
    rows = table.rows
    numeric = [name for name in plan.names if _is_varied_number(rows, name)]
    if not numeric:
        return []
    sampled = len(numeric) > 1 and any(2 * len(_values(rows, name)) > len(rows) for name in numeric)
    x = max(numeric, key=lambda name: len(_values(rows, name)))
    shown = [name for name in plan.names if name not in numeric] if sampled else plan.names
    rest = [name for name in shown if name != x and len(_values(rows, name)) > 1]
    return [(label, color) for label, color, _ in _groups(rows, rest[:1]) if label]


def _panel(
    metric: str,
    x: str,
    rows: Sequence[dict[str, Any]],
    groups: Sequence[tuple[str, str, Sequence[dict[str, Any]]]],
    *,
    joined: bool,
    title: str = "",
) -> str:
    logarithmic = _is_geometric(sorted(_values(rows, x)))
    lines = []
    for label, color, part in groups:
        ordered = sorted((row for row in part if _number(row.get(x)) is not None), key=lambda row: float(row[x]))
        places = [math.log10(row[x]) if logarithmic else float(row[x]) for row in ordered]
        failures = [at for at, row in zip(places, ordered, strict=True) if row["status"] != "completed"]
        notes = [f"run {row['run']}: {x} = {row[x]:.4g}, {metric} = {row.get(metric)}" for row in ordered]
        links = [f"runs/{row['id']}/" for row in ordered]
        values = [_number(row.get(metric)) for row in ordered]
        lines.append(Line(label, color, places, values, failures, joined=joined, notes=notes, links=links))
    label = f"log10 {_with_unit(x)}" if logarithmic else _with_unit(x)
    heading = f"{metric}, {title}" if title else metric
    shown = [y for line in lines for y in line.y if y is not None]
    largest = max((abs(y) for y in shown), default=0.0)
    between = bool(shown) and NARROW * largest < max(shown) - min(shown) < WIDE * largest
    unit = f"[{UNITS[metric]}]" if metric in UNITS else ""
    return line_plot(heading, lines, x_label=label, y_label=unit, from_zero=not between)


def _groups(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[tuple[str, str, list[dict[str, Any]]]]:
    """Rows by the values of the first of these parameters, each with a label and a colour."""
    if not names:
        return [("", COLORS[0], list(rows))]
    name = names[0]
    values = _values(rows, name)
    colors = [_color(k, len(values)) for k in range(len(values))]
    return [
        (f"{name} = {_short(value)}", color, [row for row in rows if row.get(name) == value])
        for value, color in zip(values, colors, strict=True)
    ]


def _facets(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Rows by the values of all of these parameters together: one panel each."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        key = ", ".join(f"{name} = {_short(row.get(name))}" for name in names)
        found.setdefault(key, []).append(row)
    return list(found.items())


def _color(k: int, count: int) -> str:
    if count <= len(COLORS):
        return COLORS[k]
    part = k / (count - 1)
    mixed = (round(a + part * (b - a)) for a, b in zip(*ENDS, strict=True))
    return "#" + "".join(f"{c:02x}" for c in mixed)


def _values(rows: Sequence[dict[str, Any]], name: str) -> list[Any]:
    """The different values of a column in the order in which they come."""
    found: list[Any] = []
    seen: set[str] = set()
    for row in rows:
        if repr(row.get(name)) not in seen:
            seen.add(repr(row.get(name)))
            found.append(row.get(name))
    return found


def _is_varied_number(rows: Sequence[dict[str, Any]], name: str) -> bool:
    values = _values(rows, name)
    return len(values) > 1 and all(_number(value) is not None for value in values)


def _is_geometric(values: Sequence[Any]) -> bool:
    """Whether at least four values above zero have equal ratios, or span more than two decades."""
    if len(values) < 4 or values[0] <= 0:
        return False
    ratios = [b / a for a, b in pairwise(values)]
    return max(ratios) - min(ratios) < 1e-6 * max(ratios) and max(ratios) > 1.05


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _with_unit(name: str) -> str:
    return f"{name} [{UNITS[name]}]" if name in UNITS else name

"""The part of a report about energy: where it came from, where it went, and whether the balance closes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from signorini.reports import template
from signorini.reports.line_plot import Line, line_plot
from signorini.reports.numbers import quantity

_ENERGIES = (
    ("kinetic", "kinetic_energy", "#2f7fb8"),
    ("gravity", "potential_energy", "#999999"),
    ("elastic", "elastic_energy", "#d2602a"),
    ("total", "total_energy", "#222222"),
)
_WORKS = (("script_work", "scripted bodies"), ("pin_work", "pins"), ("load_work", "loads such as wind"))


def energy_parts(summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Heading, table of the balance from the first step to the last, and plots."""
    if not rows:
        return ["<h2>Energy</h2>", template.paragraph("There are no steps.", "note")]
    first, last = rows[0], rows[-1]
    # The rows begin after the first step; its own works and losses lead back to the start.
    change = {name: last[name] - first[name] for name in ("kinetic_energy", "potential_energy", "elastic_energy")}
    sums = {name: sum(row[name] for row in rows[1:]) for name in (*dict(_WORKS), "friction_loss", "other_loss")}
    balance = [
        ("work of gravity", -change["potential_energy"]),
        *((f"work of {text}", sums[name]) for name, text in _WORKS),
        ("lost to friction", -sums["friction_loss"]),
        ("lost to impact, damping and the integrator", -sums["other_loss"]),
        ("unexplained energy that was removed", -_removed(rows)),
        ("change of kinetic energy", change["kinetic_energy"]),
        ("change of elastic energy", change["elastic_energy"]),
    ]
    left = sum(value for _, value in balance[:-2]) - change["kinetic_energy"] - change["elastic_energy"]
    cells = [[name, quantity(value, "J")] for name, value in balance]
    cells.append(["what the balance leaves open", quantity(left, "J")])
    words = (
        f"From step {first['index']} to step {last['index']}. Heights count from the origin. Unexplained growth of energy: "
        f"{quantity(summary['energy_surplus'], 'J')}, removed {quantity(summary['energy_removed'], 'J')}, prevented by "
        f"fail-safes {quantity(summary['energy_prevented'], 'J')}."
    )
    times = [row["time"] for row in rows]
    energies = [Line(name, color, times, [row[column] for row in rows]) for name, column, color in _ENERGIES]
    losses = [
        Line("friction", "#d2602a", times, _summed(rows, "friction_loss")),
        Line("impact, damping", "#8a7fc2", times, _summed(rows, "other_loss")),
        Line("scripts, pins, loads", "#1f9a78", times, _summed(rows, *dict(_WORKS))),
    ]
    plots = [
        line_plot("Energy", energies, x_label="time [s]", y_label="[J]"),
        line_plot("Losses and work so far", losses, x_label="time [s]", y_label="[J]"),
    ]
    figures = "".join(f"<figure>{plot}</figure>" for plot in plots)
    table = template.table(["energy balance", ""], cells)
    return ["<h2>Energy</h2>", template.paragraph(words), table, f'<div class="plots">{figures}</div>']


def _removed(rows: Sequence[Mapping[str, Any]]) -> float:
    return sum(row["energy_removed"] for row in rows[1:])


def _summed(rows: Sequence[Mapping[str, Any]], *names: str) -> list[float]:
    total, found = 0.0, []
    for row in rows:
        total += sum(row[name] for name in names)
        found.append(total)
    return found

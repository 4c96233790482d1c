"""The summary of a run as a table on the terminal, or as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

SHOWN_BODIES = 6
"""Bodies whose sizes are printed; all are in summary.json, and `signorini check` lists them."""


def print_summary(summary: dict[str, Any], out: Path, *, quiet: bool, as_json: bool) -> None:
    """Print the contents of summary.json for people, with `as_json` for programs, with `quiet` not at all."""
    if as_json:
        typer.echo(json.dumps(summary, indent=2))
        return
    if quiet:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from signorini.reports.verdict import advice

    mean = 1e3 * summary["wall_seconds"] / max(1, summary["steps"])
    median = 1e3 * summary["median_step_seconds"]
    distance = summary["min_distance"]
    histogram = ", ".join(f"{k}: {n}" for k, n in summary["refinement_histogram"].items())
    work = sum(summary[name] for name in ("script_work", "pin_work", "load_work"))
    energy = f"{work:.3g} J of work of scripts, pins and loads, {summary['friction_loss']:.3g} J lost to friction, "
    energy += (
        f"{summary['other_loss']:.3g} J to impact and damping; {summary['energy_surplus']:.2g} J unexplained, "
        f"{summary['energy_removed']:.2g} J of it removed, "
        f"{summary['energy_prevented']:.2g} J prevented by fail-safes"
    )
    failed = f"{summary['solves'] - summary['solves_converged']} of {summary['solves']} contact problems, "
    failed += f"{summary['unsolved_steps']} steps, {summary['over_budget_steps']} over budget"
    table = Table(box=None, show_header=False)
    for name, value in (
        ("simulated", f"{summary['simulated_seconds']:g} s in {summary['steps']} steps of {1e3 * summary['dt']:g} ms"),
        ("bodies", _bodies_text(summary.get("bodies", []))),
        ("contacts", f"{summary['mean_contacts']:.0f} on average, {summary['max_contacts']} at most"),
        ("refinements: steps", histogram),
        ("halved steps, fail-safe steps", f"{summary['step_halvings']}, {summary['failsafe_steps']}"),
        ("not solved", failed),
        ("energy", energy),
        ("contact distance", f"{1e3 * summary['contact_distance']:.3g} mm: {summary['contact_distance_reason']}"),
        ("smallest distance", "nothing came near" if distance is None else f"{1e3 * distance:.4g} mm"),
        ("free of intersection", "yes" if summary["intersection_free"] else "NO"),
        ("time per step", f"{median:.1f} ms (median), {mean:.1f} ms with compilation and files"),
        ("files", str(out).encode("utf-8", "backslashreplace").decode()),
    ):
        table.add_row(name, Text(value))
    if summary["contact_distance_note"]:
        table.add_row("note", Text(summary["contact_distance_note"]))
    for elements, names in _elements(summary.get("bodies", [])).items():
        table.add_row("elements", Text(f"{names}: {elements}"))
    if words := advice(summary):
        table.add_row("advice", Text(words))
    Console().print(table)


def _elements(bodies: list[dict[str, Any]]) -> dict[str, str]:
    """The names of the soft solids by what their elements are, and why."""
    found: dict[str, list[str]] = {}
    for body in bodies:
        if body.get("elements"):
            found.setdefault(body["elements"], []).append(body["name"])
    more = {text: len(names) - SHOWN_BODIES for text, names in found.items()}
    return {
        text: ", ".join(names[:SHOWN_BODIES]) + (f" and {more[text]} more" if more[text] > 0 else "")
        for text, names in found.items()
    }


def _bodies_text(bodies: list[dict[str, Any]]) -> str:
    """Sizes and masses of the first bodies, so that a wrong unit is seen."""
    from signorini.scene.sizes import BodySize

    sizes = [BodySize(**{**body, "size": tuple(body["size"])}) for body in bodies]
    shown = [f"{b.name} {b.size_text}{f', {b.mass_text}' if b.mass else ''}" for b in sizes[:SHOWN_BODIES]]
    more = f"; and {len(sizes) - SHOWN_BODIES} more" if len(sizes) > SHOWN_BODIES else ""
    return "; ".join(shown) + more

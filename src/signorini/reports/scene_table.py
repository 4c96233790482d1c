"""The part of a report about the scene: its bodies with sizes and masses, and how it was run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from signorini.errors import InputError, MissingExtraError
from signorini.files.runs.trajectory import Trajectory
from signorini.files.scenes.scene_file import load_scene
from signorini.reports import template
from signorini.reports.numbers import plain, quantity
from signorini.scene.scene import Scene

MOST_ROWS = 12
"""Bodies whose table is open; a longer one opens by a click."""


def scene_parts(out: Path, summary: Mapping[str, Any], trajectory: Trajectory) -> list[str]:
    """Heading, settings and the table of bodies."""
    scene, note = _scene(out)
    facts = [
        ["version", str(summary.get("version", "–"))],
        ["method, solver", f"{summary['method']}, {summary['solver']}"],
        ["time step", quantity(summary["dt"], "s")],
        [
            "simulated",
            f"{quantity(summary['simulated_seconds'], 's')} of {quantity(summary['requested_seconds'], 's')}",
        ],
        ["frames", str(trajectory.frame_count)],
        ["contact distance", _distance(summary)],
        ["contact tolerance", quantity(summary["contact_tolerance"], "m/s")],
        ["peak memory", "–" if summary["peak_memory_mb"] is None else f"{plain(summary['peak_memory_mb'])} MB"],
    ]
    if scene is not None:
        x, y, z = scene.gravity
        facts.insert(1, ["gravity", f"({x:g}, {y:g}, {z:g}) m/s²"])
    parts = ["<h2>Scene</h2>", template.table(["setting", ""], facts, texts=(1,))]
    if summary.get("contact_distance_note"):
        parts.append(template.paragraph(f"Note: {summary['contact_distance_note']}.", "note"))
    headings, rows = _bodies(scene, trajectory)
    bodies = template.table(headings, rows)
    if len(rows) > MOST_ROWS:
        bodies = f"<details><summary>{len(rows)} bodies</summary>{bodies}</details>"
        counts = Counter(body.kind.replace("_", " ") for body in trajectory.bodies.values())
        vertices = sum(body.vertex_count for body in trajectory.bodies.values())
        kinds = ", ".join(f"{count} of kind {kind}" for kind, count in counts.items())
        parts.append(template.paragraph(f"{plain(vertices)} vertices: {kinds}."))
    parts.append(bodies)
    return [*parts, template.paragraph(note, "note")] if note else parts


def _distance(summary: Mapping[str, Any]) -> str:
    text = quantity(summary["contact_distance"], "m")
    reason = summary.get("contact_distance_reason")
    return f"{text}: {reason}" if reason else text


def _scene(out: Path) -> tuple[Scene | None, str]:
    """The scene of a run, or why it cannot be read."""
    try:
        return load_scene(out / "scene.toml").scene, ""
    except (InputError, MissingExtraError) as error:
        return None, f"Masses and friction are not known: {error}"


def _bodies(scene: Scene | None, trajectory: Trajectory) -> tuple[list[str], list[list[str]]]:
    headings = ["body", "kind", "vertices", "triangles", "size at the start", "mass", "friction"]
    rows = []
    for name, body in trajectory.bodies.items():
        size = np.ptp(trajectory.positions(name, 0), axis=0)
        own = None if scene is None else scene.bodies.get(name)
        mass = "–"
        if own is not None:
            total = float(own.contribution(0.0).nodes.mass.sum())
            mass = quantity(1e3 * total, "g") if total > 0.0 else "scripted"
        extent = " × ".join(plain(float(s)) for s in size) + " m"
        count = plain(len(body.triangles))
        friction = "–" if own is None else f"{own.friction:.3g}"
        rows.append([name, body.kind.replace("_", " "), plain(body.vertex_count), count, extent, mass, friction])
    for plane in trajectory.half_spaces:
        own = None if scene is None else scene.bodies.get(plane.name)
        friction = "–" if own is None else f"{own.friction:.3g}"
        rows.append([plane.name, "half-space", "–", "–", "–", "fixed", friction])
    return headings, rows

"""Metrics: numbers that a sweep takes down of every run, built in or of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from signorini.errors import InputError, short, shortened, suggestion
from signorini.geometry.triangles import triangle_areas
from signorini.methods.report import StepReport
from signorini.simulation.simulation import Simulation
from signorini.studies.imported_function import import_function
from signorini.studies.sweep.plan import Metric
from signorini.studies.sweep.shadow import shadow_area

AT_REST = 0.01
"""Speed below which a scene is at rest [m/s]: less than the eye sees, more than what contact solvers leave."""
SCRIPTED = ("kinematic", "ground")


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A finished run, as metrics see it."""

    simulation: Simulation
    """At its end."""
    parameters: Mapping[str, Any]
    """Those of this run, with the ones that all runs share."""
    reports: Sequence[StepReport]
    """Of all steps."""
    times: Sequence[float]
    """Of the frames [s]."""

    def __repr__(self) -> str:
        name, given = self.simulation.scene.name, short(dict(self.parameters))
        return f"RunRecord of {name!r}: {len(self.reports)} steps, {len(self.times)} frames, parameters {given}"

    def movable(self) -> list[str]:
        """Names of the bodies that move by the laws of mechanics."""
        return [name for name, body in self.simulation.bodies.items() if body.kind not in SCRIPTED]


def final_height(run: RunRecord) -> float | None:
    """Highest point of the movable bodies at the end [m]."""
    tops = [run.simulation.bodies[name].positions[:, 2].max() for name in run.movable()]
    return float(max(tops)) if tops else None


def extent(run: RunRecord) -> dict[str, float | None]:
    """Size of the box around the movable bodies at the end [m]."""
    points = [run.simulation.bodies[name].positions for name in run.movable()]
    sizes = np.ptp(np.concatenate(points), axis=0) if points else (None, None, None)
    return {f"extent_{axis}": None if s is None else float(s) for axis, s in zip("xyz", sizes, strict=True)}


def contact_force(run: RunRecord) -> float:
    """Sum of the normal forces of all contacts in the last step [N]."""
    return float(sum(contact.normal_force for contact in run.simulation.contacts()))


def rest_time(run: RunRecord) -> float | None:
    """Time after which nothing moves faster than 1 cm/s until the end [s]; empty if something does at the end."""
    moving = [report.time for report in run.reports if report.max_speed > AT_REST]
    if moving and moving[-1] == run.reports[-1].time:
        return None
    return float(moving[-1]) if moving else 0.0


def drape_coefficient(run: RunRecord) -> float | None:
    """Cusick's drape coefficient: the shadow of the cloth beyond that of its support, over the same of the flat cloth.

    The support is what is scripted or rigid. 1 is a sheet that stays flat, 0 one that hangs straight down from its support.
    """
    bodies = run.simulation.bodies
    cloth = [(b.positions, b.triangles) for b in bodies.values() if b.kind == "cloth"]
    support = [(b.positions, b.triangles) for b in bodies.values() if b.kind in ("kinematic", "rigid")]
    if not cloth:
        return None
    rest = [run.simulation.scene.bodies[name].mesh for name, b in bodies.items() if b.kind == "cloth"]  # pyright: ignore[reportAttributeAccessIssue]
    flat = sum(float(triangle_areas(m.vertices, m.triangles).sum()) for m in rest)
    held = shadow_area(support)
    return (shadow_area(cloth) - held) / (flat - held) if flat > held else None


BUILT_IN: dict[str, Callable[[RunRecord], Any]] = {
    "final_height": final_height,
    "extent": extent,
    "contact_force": contact_force,
    "rest_time": rest_time,
    "drape_coefficient": drape_coefficient,
}


def find_metrics(metrics: Iterable[Metric], folder: Path) -> dict[str, Callable[[RunRecord], Any]]:
    """The functions of these metrics by the names of their columns; modules may lie in `folder`."""
    found: dict[str, Callable[[RunRecord], Any]] = {}
    for metric in metrics:
        if callable(metric):
            name, function = getattr(metric, "__name__", type(metric).__name__), metric
        elif ":" in metric:
            name, function = metric.rpartition(":")[2], import_function(metric, what="metric", folder=folder)
            if not callable(function):
                raise InputError(f"metric {metric!r} must be a function, got {short(function)}")
        elif metric.replace("-", "_") in BUILT_IN:
            name = metric.replace("-", "_")
            function = BUILT_IN[name]
        else:
            raise InputError(
                f"there is no metric {metric!r}: {suggestion(metric, BUILT_IN)}There are {', '.join(BUILT_IN)}, or "
                "module:function of your own"
            )
        if name in found:
            raise InputError(f"two metrics are called {name!r}: rename one")
        found[name] = function
    return found


def measured(functions: Mapping[str, Callable[[RunRecord], Any]], run: RunRecord) -> tuple[dict[str, Any], list[str]]:
    """The values of all metrics, and a sentence for each that failed, whose value is None."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, function in functions.items():
        try:
            values |= cells(name, function(run))
        except Exception as error:
            values[name] = None
            problems.append(problem(f"metric {name!r}", error))
    return values, problems


def cells(name: str, value: Any) -> dict[str, Any]:
    """A value, or a mapping of values, as cells of a row; anything else is a `TypeError`."""
    if isinstance(value, Mapping):
        return {str(key): _plain(f"{name}[{key!r}]", entry) for key, entry in value.items()}
    return {name: _plain(name, value)}


def problem(what: str, error: BaseException) -> str:
    """One line for an exception in a user's code."""
    text = shortened(" ".join(str(error).split()), 300)
    return f"{what} raised {type(error).__name__}{': ' if text else ''}{text}"


def _plain(name: str, value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{name} must be a number, a text, true or false, got {short(value)}")

"""Validation case: errors shrink with the time step and with the mesh, at the rate that theory gives them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of
from signorini.studies.validation.cases.solid_beam import beam_sag, sag

END = 0.15
"""Time at which positions are compared [s]."""


def hammer() -> Scene:
    """A rigid box at the end of a pinned elastic rod that swings; it is attached off its centre, so that it turns."""
    scene, down = Scene(), np.array([math.sin(0.6), 0.0, -math.cos(0.6)])
    points = np.linspace(0.0, 0.4, 5)[:, None] * down
    rod = scene.add_rod(points, linear_density=0.02, stretching_stiffness=200.0, bending_rigidity=1e-3, name="rod")
    rod.pin([0])
    place = 0.4 * down + np.array([0.03, 0.0, -0.06])
    scene.add_rigid(shapes.box(0.05, 0.04, 0.1), density=500.0, position=tuple(place), name="body")
    scene.attach("rod", [4], to="body")
    return scene


def jelly() -> Scene:
    """A soft bar that is held at one end and swings down, with waves that the steps resolve."""
    scene, mesh = Scene(), box_tets(0.3, 0.1, 0.1, cells=(6, 2, 2))
    stuff: dict[str, Any] = {
        "young": 2e4,
        "poisson": 0.3,
        "density": 1000.0,
        "stiffness_damping": 5e-3,
        "mass_damping": 0.0,
    }
    body = scene.add_soft_solid(mesh, **stuff, model="neo-hookean", name="body")
    body.pin(np.flatnonzero(mesh.vertices[:, 0] < -0.149))
    return scene


SMOOTH: dict[str, Callable[[], Scene]] = {"hammer on a rod": hammer, "jelly bar": jelly}


def end_of(build: Callable[[], Scene], steps: int, integrator: str) -> NDArray[np.float64]:
    """Positions of the body after `END`, in so many steps."""
    settings = Settings(integrator=integrator, newton_iterations=4)  # pyright: ignore[reportArgumentType]
    sim = Simulation(build(), dt=END / steps, settings=settings)
    for _ in range(steps):
        sim.step()
    return sim.bodies["body"].positions


def braking_way(dt: float, *, speed: float = 1.0, friction: float = 0.3) -> float:
    """How far a box slides on the ground before it stops [m]."""
    scene = Scene(friction=friction)
    place: dict[str, Any] = {"position": (0, 0, 0.05 + 1.001e-3), "velocity": (speed, 0, 0)}
    scene.add_rigid(shapes.box(0.1, 0.1, 0.1), density=500.0, **place, name="box")
    scene.add_ground()
    sim = Simulation(scene, dt=dt, settings=Settings(contact_distance=1e-3))
    start = float(sim.bodies["box"].center[0])
    for _ in range(round(0.5 / dt)):
        sim.step()
    return float(sim.bodies["box"].center[0]) - start


def order(sizes: Sequence[float], errors: Sequence[float]) -> float:
    """Slope of the errors over the sizes on logarithmic axes."""
    return float(np.polyfit(np.log(sizes), np.log(np.abs(errors)), 1)[0])


def run(quick: bool, progress: Progress) -> Measurements:
    """Smooth motion with both integrators, a sliding stop, and the sag of a beam over its mesh."""
    counts, finest = ((75, 150), 600) if quick else ((50, 100, 200), 3200)
    meshes = (3, 6) if quick else (2, 4, 8)
    rows, lines, jobs = [], [], [(name, kind) for name in SMOOTH for kind in ("euler", "bdf2")]
    exacts = {name: end_of(build, finest, "bdf2") for name, build in SMOOTH.items()}
    for k, (name, integrator) in enumerate(jobs):
        errors = [float(np.abs(end_of(SMOOTH[name], n, integrator) - exacts[name]).max()) for n in counts]
        expected, word = (1.0, "backward Euler") if integrator == "euler" else (2.0, "BDF2")
        steps = [END / n for n in counts]
        rows.append(
            Measurement(f"order in dt, {name}, {word}", order(steps, errors), expected, "", 0.35, absolute=True)
        )
        lines.append(Series(f"{name}, {word}", [math.log10(s) for s in steps], errors))
        part_of(progress, k, len(jobs) + 2)(1.0)
    steps = (8e-3, 4e-3) if quick else (1.6e-2, 8e-3, 4e-3, 2e-3)
    way = 1.0 / (2.0 * 0.3 * 9.81)
    off = [braking_way(dt) - way for dt in steps]
    rows.append(
        Measurement("order in dt, way of a box that brakes by friction", order(steps, off), 1.0, "", 0.2, absolute=True)
    )
    rows.append(Measurement(f"way of the box at {1e3 * steps[-1]:g} ms", way + off[-1], way, "m", 0.02))
    part_of(progress, len(jobs), len(jobs) + 2)(1.0)
    plots = [
        Curve(f"Error of the position after {END:g} s", "log₁₀ of dt [s]", "[m]", lines, logarithmic=True),
        Curve(
            "Way of a box that brakes, short of v²/(2 μ g)", "log₁₀ of dt [s]", "[m]",
            [Series("simulated", [math.log10(s) for s in steps], np.abs(off).tolist())], logarithmic=True,
        ),
    ]  # fmt: skip
    for element in ("tetrahedra", "locking-free"):
        lost = [1.0 - sag(n, poisson=0.3, element=element) / beam_sag(0.3) for n in meshes]
        if element == "tetrahedra":
            rows.append(
                Measurement(
                    "order in the size of tetrahedra, sag of a beam",
                    order([1.0 / n for n in meshes[-2:]], lost[-2:]),
                    2.0,
                    "",
                    0.5,
                    absolute=True,
                )
            )
        plots.append(
            Curve(
                f"Missing part of the sag of a beam, {element}",
                "cells over the height",
                "",
                [Series(element, meshes, lost)],
                logarithmic=True,
            )
        )
    return Measurements(rows, plots)


CASE = Case(
    name="convergence",
    title="Convergence in the time step and in the mesh",
    theory="Backward Euler is of first order in dt, BDF2 of second where the motion is smooth; a contact is of first order. "
    "The error of a bent beam of linear tetrahedra is of second order in their size. Errors of motion are taken from the finest "
    "run of BDF2; a box that brakes slides v²/(2 μ g), the sag is that of beam theory.",
    source="Hairer and Wanner, Solving Ordinary Differential Equations II; Hughes, The Finite Element Method",
    run=run,
)

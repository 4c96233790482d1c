"""Validation case: free fall of every kind of body, exact to the integrator and convergent to the parabola."""

from __future__ import annotations

import numpy as np

from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

G = 9.81
SECONDS = 0.4
KINDS = ("rigid", "soft solid", "cloth", "rod")


def fallen(kind: str, dt: float) -> float:
    """How far a body of this kind falls in `SECONDS` [m]."""
    scene = Scene(gravity=(0.0, 0.0, -G))
    if kind == "rigid":
        scene.add_rigid(shapes.box(0.1, 0.2, 0.3), density=1000.0, angular_velocity=(1.0, 2.0, 3.0), name="body")
    elif kind == "soft solid":
        scene.add_soft_solid(
            box_tets(0.1, 0.1, 0.1, cells=2), young=1e5, poisson=0.3, density=1000.0, mass_damping=0.0, name="body"
        )
    elif kind == "cloth":
        scene.add_cloth(shapes.grid(0.3, 0.3, cells=4), name="body")
    else:
        points = np.linspace((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), 5)
        scene.add_rod(points, linear_density=0.05, stretching_stiffness=1e3, bending_rigidity=1e-4, name="body")
    sim = Simulation(scene, dt=dt)
    start = sim.bodies["body"].positions[:, 2].mean()
    for _ in range(round(SECONDS / dt)):
        sim.step()
    return float(start - sim.bodies["body"].positions[:, 2].mean())


def run(quick: bool, progress: Progress) -> Measurements:
    """Fall for 0.4 s at several time steps."""
    steps = (8e-3, 4e-3) if quick else (1.6e-2, 8e-3, 4e-3, 2e-3)
    exact, rows, series = 0.5 * G * SECONDS**2, [], []
    for k, kind in enumerate(KINDS):
        way = [fallen(kind, dt) for dt in steps]
        part_of(progress, k, len(KINDS))(1.0)
        for dt, found in zip(steps, way, strict=True):
            euler = exact + 0.5 * G * SECONDS * dt
            label = f"way in {SECONDS:g} s, {kind}, dt = {1e3 * dt:g} ms"
            rows.append(Measurement(label, found, euler, "m", 1e-6))
        series.append(Series(kind, [1e3 * dt for dt in steps], [found - exact for found in way]))
    return Measurements(
        rows,
        [Curve("Way beyond the parabola g t²/2", "dt [ms]", "[m]", series)],
        [
            "Backward Euler falls g t dt / 2 farther than the parabola, which the expected value contains; it vanishes with dt."
        ],
    )


CASE = Case(
    name="free-fall",
    title="Free fall of every kind of body",
    theory="After n steps of backward Euler a body in free fall is g dt² n (n + 1) / 2 below its start: the parabola "
    "g t² / 2 and g t dt / 2 more. A rigid body that tumbles must not notice.",
    source="sum of the arithmetic series of velocities n g dt",
    run=run,
)

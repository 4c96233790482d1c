"""Validation case: momentum, energy and restitution in collisions of two bodies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets
from signorini.methods.report import StepReport
from signorini.scene.rigid import Rigid
from signorini.scene.scene import Scene
from signorini.settings import Settings, SolverSettings
from signorini.simulation.body_view import RigidView
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

G = 9.81
SHAPES = {
    "box": shapes.box(0.2, 0.15, 0.1),
    "ball": shapes.sphere(0.1, subdivisions=4),
    "cylinder": shapes.cylinder(0.06, 0.2),
}


def totals(sim: Simulation) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Momentum, angular momentum about the origin, and kinetic energy, of all rigid bodies."""
    momentum, spin, energy = np.zeros(3), np.zeros(3), 0.0
    for body in sim.scene.bodies.values():
        view = sim.bodies[body.name]
        assert isinstance(view, RigidView) and isinstance(body, Rigid)
        R, v, w = view.pose[:3, :3], view.velocity, view.angular_velocity
        own = R @ body.properties.inertia @ R.T @ w
        momentum += body.mass * v
        spin += np.cross(view.center, body.mass * v) + own
        energy += float(0.5 * body.mass * v @ v + 0.5 * w @ own)
    return momentum, spin, energy


def tumbling(a: str, b: str, friction: float) -> tuple[float, float, float, float]:
    """Changes of momentum and angular momentum, the largest growth and the loss of energy, as shares of what there was."""
    scene = Scene(gravity=(0.0, 0.0, 0.0), friction=friction)
    scene.add_rigid(SHAPES[a], density=1000.0, rotation=(0.5, 0.1, -0.7), angular_velocity=(3, -4, 2), name="a")
    scene.add_rigid(
        SHAPES[b], density=700.0, position=(0.35, 0.05, 0.03), rotation=(-0.2, 0.9, 0.4), velocity=(-3.0, 0.2, 0.1),
        angular_velocity=(-2, 5, 1), name="b",
    )  # fmt: skip
    sim = Simulation(scene, dt=4e-3)
    p0, l0, e0 = totals(sim)
    highest = 0.0
    for _ in range(40):
        sim.step()
        highest = max(highest, totals(sim)[2] / e0 - 1.0)
    p1, l1, e1 = totals(sim)
    return (
        float(np.linalg.norm(p1 - p0) / np.linalg.norm(p0)),
        float(np.linalg.norm(l1 - l0) / np.linalg.norm(l0)),
        highest,
        1.0 - e1 / e0,
    )


def parted(restitution: float, mass: float, *, dt: float = 4e-3) -> tuple[float, float]:
    """Velocities of two boxes after the first, of 1 kg and 1 m/s, has hit the other, of `mass` [kg], at rest [m/s]."""
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    box = shapes.box(0.1, 0.1, 0.1)
    scene.add_rigid(box, mass=1.0, name="left", position=(-0.1, 0, 0), velocity=(1, 0, 0), restitution=restitution)
    scene.add_rigid(box, mass=mass, name="right", position=(0.1, 0, 0), restitution=restitution)
    sim = Simulation(scene, dt=dt)
    for _ in range(round(0.16 / dt)):
        sim.step()
    return float(sim.bodies["left"].velocity[0]), float(sim.bodies["right"].velocity[0])


def rebound(restitution: float, dt: float, each: Callable[[StepReport], None] | None = None) -> float:
    """Height to which a ball rises again over that from which it fell; `each` gets the report of every step."""
    scene = Scene()
    scene.add_ground()
    ball = shapes.sphere(0.05, edge=0.03)
    scene.add_rigid(ball, mass=0.2, name="ball", position=(0, 0, 0.3), restitution=restitution)
    sim = Simulation(scene, dt=dt)
    heights = [0.3]
    for _ in range(round(0.48 / dt)):
        report = sim.step()
        heights.append(float(sim.bodies["ball"].center[2]))
        if each is not None:
            each(report)
    z = np.array(heights)
    low = int(np.argmin(z[: round(0.26 / dt)]))
    return float((z[low:].max() - z[low]) / (z[0] - z[low]))


def oblique(friction: float, *, restitution: float = 0.5) -> tuple[float, float]:
    """Horizontal velocity of a ball thrown obliquely on the ground, after the impact: measured and expected [m/s]."""
    radius, along, down = 0.05, 2.0, 2.0
    scene = Scene(gravity=(0.0, 0.0, 0.0), friction=friction)
    scene.add_ground()
    body = scene.add_rigid(
        shapes.sphere(radius, subdivisions=4), mass=0.2, name="ball", position=(0, 0, 0.1), rotation=(0.3, 0.7, 0.2),
        velocity=(along, 0, -down), restitution=restitution,
    )  # fmt: skip
    sim = Simulation(scene, dt=1e-3)
    for _ in range(60):
        sim.step()
    ratio = float(body.properties.inertia[0, 0]) / (body.mass * radius**2)
    # It slides by μ (1 + e) of the normal velocity, unless it rolls before.
    return float(sim.bodies["ball"].velocity[0]), max(
        along - friction * (1.0 + restitution) * down, along / (1.0 + ratio)
    )


def soft_momentum(tight: bool) -> float:
    """Change of the momentum of a soft and a rigid block that collide, over the sum of |m v|."""
    scene = Scene(gravity=(0.0, 0.0, 0.0), friction=0.5)
    size = (0.1, 0.07, 0.05)
    stuff: dict[str, Any] = {
        "young": 5e4,
        "poisson": 0.3,
        "density": 300.0,
        "mass_damping": 0.0,
        "stiffness_damping": 2e-3,
    }
    scene.add_soft_solid(
        box_tets(*size, cells=2), **stuff, velocity=(1.0, 0.1, 0.0), rotation=(0.3, 0.2, 0.1), name="a"
    )
    place: dict[str, Any] = {"position": (0.16, 0.02, 0.01), "rotation": (0.0, 0.6, 0.9), "velocity": (-1.0, 0.0, 0.2)}
    scene.add_rigid(shapes.box(*size), density=300.0, **place, name="b")
    exact = Settings(solver=SolverSettings(tolerance=1e-10, relative_tolerance=1e-10), linear_tolerance=1e-12)
    sim = Simulation(scene, dt=1e-3, settings=exact if tight else Settings())

    def momentum() -> NDArray[np.float64]:
        soft, rigid = sim.bodies["a"], sim.bodies["b"]
        return soft.mass * soft.velocity + rigid.mass * rigid.velocity

    before = momentum()
    scale = sim.bodies["a"].mass * math.sqrt(1.01) + sim.bodies["b"].mass * math.sqrt(1.04)
    for _ in range(160):
        sim.step()
    return float(np.abs(momentum() - before).max()) / scale


def run(quick: bool, progress: Progress) -> Measurements:
    """Tumbling bodies, boxes that part, balls that rebound straight and obliquely, and a soft block."""
    pairs = [("box", "box"), ("cylinder", "ball")] if quick else [(a, b) for a in SHAPES for b in SHAPES]
    rows = []
    for k, (a, b) in enumerate(pairs):
        for friction in (0.0, 0.5):
            moved, turned, grown, _ = tumbling(a, b, friction)
            at = f"{a} and {b}, μ = {friction:g}"
            rows.append(Measurement(f"change of momentum, {at}", moved, 0.0, "", 1e-6, absolute=True))
            rows.append(Measurement(f"change of angular momentum, {at}", turned, 0.0, "", 1e-5, absolute=True))
            rows.append(Measurement(f"growth of energy, {at}", grown, 0.0, "", 1e-9, absolute=True))
        part_of(progress, k, len(pairs) + 3)(1.0)
    for e, mass in ((0.6, 1.5),) if quick else ((0.0, 1.0), (0.3, 3.0), (0.6, 1.5), (1.0, 1.0), (1.0, 0.2)):
        left, right = parted(e, mass)
        common = 1.0 / (1.0 + mass)
        rows.append(
            Measurement(
                f"velocity of the hitting box, e = {e:g}, masses 1 : {mass:g}",
                left,
                common * (1.0 - mass * e),
                "m/s",
                5e-3,
                absolute=True,
            )
        )
        rows.append(
            Measurement(
                f"velocity of the hit box, e = {e:g}, masses 1 : {mass:g}",
                right,
                common * (1.0 + e),
                "m/s",
                5e-3,
                absolute=True,
            )
        )
    part_of(progress, len(pairs), len(pairs) + 3)(1.0)
    factors, heights = (0.5, 0.9) if quick else (0.0, 0.25, 0.5, 0.75, 0.9, 1.0), []
    for e in factors:
        heights.append(rebound(e, 4e-3))
        rows.append(Measurement(f"rebound height, e = {e:g}", heights[-1], e * e, "", 0.02, absolute=True))
    part_of(progress, len(pairs) + 1, len(pairs) + 3)(1.0)
    frictions, after = (0.1, 0.5) if quick else (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5), []
    for mu in frictions:
        found, theory = oblique(mu)
        after.append((found, theory))
        rows.append(
            Measurement(f"speed along the ground after an oblique impact, μ = {mu:g}", found, theory, "m/s", 0.02)
        )
    for tight in (True, False):
        tolerance, bound = ("1e-10", 1e-9) if tight else ("default", 1.5e-3)
        lost = soft_momentum(tight)
        rows.append(
            Measurement(
                f"change of momentum, soft on rigid, tolerance {tolerance}", lost, 0.0, "", bound, absolute=True
            )
        )
    dense = np.linspace(0.0, 1.0, 21)
    curves = [
        Curve(
            "Height of the rebound over that of the fall",
            "e",
            "",
            [Series("simulated", factors, heights), Series("e²", list(dense), list(dense**2), theory=True)],
        ),
        Curve(
            "Oblique impact at 2 m/s down and 2 m/s along",
            "μ",
            "speed along [m/s]",
            [
                Series("simulated", frictions, [f for f, _ in after]),
                Series("theory", frictions, [t for _, t in after], theory=True),
            ],
        ),
    ]
    return Measurements(rows, curves)


CASE = Case(
    name="collisions",
    title="Momentum, angular momentum, energy and restitution in collisions",
    theory="Impulses between two bodies act along one line: momentum and angular momentum are conserved, energy never grows. "
    "Two boxes part with e times the speed at which they met; a ball rises to e² of its height. A ball that hits the ground "
    "obliquely slides and loses μ (1 + e) v_n of its speed along the ground, but no more than makes it roll, 2/7 of it.",
    source="Newton's law of restitution; Routh 1905, Dynamics of a System of Rigid Bodies, for the oblique impact",
    run=run,
)

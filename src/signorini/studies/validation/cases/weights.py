"""Validation case: what lies on the ground presses with its weight, levers share it, and forces accelerate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets
from signorini.scene.scene import Scene
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of
from signorini.studies.validation.cases.blocks import KINDS, add_block, thickness_of

G = 9.81
SIZE = (0.2, 0.16, 0.06)


def weighed(kind: str) -> tuple[float, float, float]:
    """Force of a resting body on the ground, its weight, and the sideways part of the force [N]."""
    scene = Scene(friction=0.4)
    mass = add_block(scene, kind, SIZE, name="block", position=(0.3, -0.2, 0.5 * thickness_of(kind, SIZE) + 4e-3))
    scene.add_ground(name="ground")
    sim = Simulation(scene, dt=4e-3)
    for _ in range(150):
        sim.step()
    forces = []
    for _ in range(50):
        sim.step()
        forces.append(-sim.contact_force("ground"))
    mean = np.mean(forces, axis=0)
    return float(mean[2]), G * mass, float(np.hypot(mean[0], mean[1]))


def lever(share: float) -> tuple[float, float, float]:
    """Forces of two supports under a plank with a weight at `share` of the way between them, and the whole weight [N]."""
    scene = Scene(friction=0.5)
    for x, name in ((-0.4, "left"), (0.4, "right")):
        scene.add_kinematic(shapes.box(0.002, 0.1, 0.1), position=(x, 0.0, -0.05), name=name)
    scene.add_rigid(shapes.box(1.0, 0.08, 0.02), mass=1.0, position=(0.0, 0.0, 0.0115), name="plank")
    place = (-0.4 + 0.8 * share, 0.0, 0.0495)
    scene.add_rigid(shapes.box(0.04, 0.04, 0.05), mass=2.0, position=place, name="weight")
    sim = Simulation(scene, dt=4e-3)
    for _ in range(150):
        sim.step()
    left, right = (float(-sim.contact_force(name)[2]) for name in ("left", "right"))
    return left, right, 3.0 * G


def column(count: int) -> tuple[list[float], list[float]]:
    """Forces below each box of a tower, from the top, and what is above each contact [N]."""
    scene = Scene(friction=0.5)
    for k in range(count):
        place = (0.0, 0.0, 0.0255 + 0.0508 * k)
        scene.add_rigid(shapes.box(0.1, 0.1, 0.05), mass=1.0, position=place, rotation=(0, 0, 0.3 * k), name=f"box {k}")
    scene.add_ground(name="ground")
    sim = Simulation(scene, dt=4e-3)
    for _ in range(150):
        sim.step()
    below = ["ground", *(f"box {k}" for k in range(count - 1))]
    found = [float(sim.contact_force(f"box {k}", by=below[k])[2]) for k in range(count)]
    return found[::-1], [G * (k + 1) for k in range(count)]


PLATE = (0.12 * 0.12 * 0.02 * 5e3 + 0.1) * G / 0.01
"""Weight of the plate and of the block below it over the area of the block, 0.1 m × 0.1 m [Pa]."""


def pressed_block(cells: tuple[int, int, int] = (4, 4, 4)) -> Simulation:
    """A soft block without Poisson's effect at rest between the ground and a heavy plate."""
    scene = Scene(friction=0.5)
    stuff: dict[str, Any] = {
        "young": 2e5,
        "poisson": 0.0,
        "density": 100.0,
        "model": "corotational",
        "stiffness_damping": 0.01,
    }
    scene.add_soft_solid(box_tets(0.1, 0.1, 0.1, cells=cells), **stuff, position=(0, 0, 0.0521), name="block")
    scene.add_rigid(shapes.box(0.12, 0.12, 0.02), density=5e3, position=(0, 0, 0.1142), name="plate")
    scene.add_ground(name="floor")
    sim = Simulation(scene, dt=5e-3)
    for _ in range(80):
        sim.step()
    return sim


def pressure_below(sim: Simulation) -> NDArray[np.float64]:
    """Pressures at the vertices of the lower face of the pressed block [Pa]."""
    z = sim.bodies["block"].positions[:, 2]
    return sim.contact_pressure("block")[z < z.min() + 1e-3]


def pushed(kind: str, force: float) -> tuple[float, float]:
    """Acceleration of a free body under a force on all of it, and F/m [m/s²]."""
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    mass = add_block(scene, kind, SIZE, name="block")
    scene.add_force("block", (0.0, force, 0.0))
    sim = Simulation(scene, dt=2e-3)
    for _ in range(100):
        sim.step()
    view = sim.bodies["block"]
    velocity = view.velocity if kind == "rigid" else view.node_velocities.mean(axis=0)
    return float(velocity[1]) / sim.time, force / mass


def run(quick: bool, progress: Progress) -> Measurements:
    """Weigh every kind of body, a lever, a tower and a pressed block; push every kind."""
    rows, parts = [], 2 * len(KINDS) + 3
    for k, kind in enumerate(KINDS):
        down, weight, aside = weighed(kind)
        rows.append(Measurement(f"force on the ground, {kind}", down, weight, "N", 0.005))
        rows.append(Measurement(f"sideways, {kind}, over the weight", aside / weight, 0.0, "", 0.005, absolute=True))
        part_of(progress, k, parts)(1.0)
    shares = (0.25,) if quick else (0.1, 0.25, 0.5, 0.8)
    lefts = []
    for share in shares:
        left, right, weight = lever(share)
        lefts.append(left)
        rows.append(
            Measurement(
                f"left support of a lever, weight at {share:g}", left, G * (0.5 + 2.0 * (1.0 - share)), "N", 0.01
            )
        )
        rows.append(Measurement(f"both supports, weight at {share:g}", left + right, weight, "N", 0.005))
    part_of(progress, len(KINDS), parts)(1.0)
    found, theory = column(4 if quick else 10)
    for k in (0, len(found) // 2, len(found) - 1):
        rows.append(Measurement(f"force below {k + 1} boxes of a tower", found[k], theory[k], "N", 0.01))
    off = float(np.abs(pressure_below(pressed_block()) / PLATE - 1.0).max())
    rows.append(Measurement("pressure under a pressed block, largest over F/A", 1.0 + off, 1.0, "", 0.02))
    part_of(progress, len(KINDS) + 2, parts)(1.0)
    for k, kind in enumerate(KINDS):
        a, expected = pushed(kind, 0.3)
        rows.append(Measurement(f"acceleration by a force, {kind}", a, expected, "m/s²", 0.005))
        part_of(progress, len(KINDS) + 3 + k, parts)(1.0)
    heights = list(range(1, len(found) + 1))
    curve = Curve(
        "Force in a tower of boxes of 1 kg", "boxes above", "[N]",
        [Series("simulated", heights, found), Series("n m g", heights, theory, theory=True)],
    )  # fmt: skip
    return Measurements(
        rows, [curve], [f"The pressure F/A of the block is {PLATE:,.0f} Pa, at inner vertices, edges and corners."]
    )


CASE = Case(
    name="weights",
    title="Weights, levers, towers, pressure and pushes",
    theory="The ground carries m g and nothing sideways; a lever shares a weight as the distances to its supports; each contact "
    "of a tower carries what is above it; a block without Poisson's effect presses with F/A everywhere; a force gives F/m.",
    source="Newton's laws; Archimedes for the lever",
    run=run,
)

"""Validation case: bodies that are up to a million times heavier than what carries or pulls them."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.simulation import Simulation
from signorini.studies.validation.case import Case, Curve, Measurement, Measurements, Progress, Series, part_of

G = 9.81


def stacked(ratio: float) -> tuple[float, float, float, int]:
    """Force on the ground and on the lower box over theory; how far the upper box moves in 1 s after 0.4 s [m]; unsolved steps.

    A box `ratio` times as heavy as the one of 1 g below it, or as light for ratios below 1.
    """
    scene = Scene(friction=0.5)
    box = shapes.box(0.1, 0.1, 0.05)
    scene.add_rigid(box, mass=1e-3, position=(0, 0, 0.026), name="lower")
    scene.add_rigid(box, mass=1e-3 * ratio, position=(0.01, 0, 0.0775), rotation=(0, 0, 0.4), name="upper")
    scene.add_ground(name="ground")
    sim = Simulation(scene, dt=4e-3, settings=Settings(sleep=False))
    reports = [sim.step() for _ in range(100)]
    before = sim.bodies["upper"].center.copy()
    reports += [sim.step() for _ in range(250)]
    unsolved = sum(r.solves > r.solves_converged for r in reports)
    below = float(-sim.contact_force("ground")[2]) / (1e-3 * (1.0 + ratio) * G)
    between = float(sim.contact_force("upper", by="lower")[2]) / (1e-3 * ratio * G)
    return below, between, float(np.linalg.norm(sim.bodies["upper"].center - before)), unsolved


def on_soft(ratio: float) -> tuple[float, float]:
    """Strain of a soft block below a rigid one that is `ratio` times as heavy, and σ/E."""
    scene = Scene(friction=0.5)
    side, density, mass = 0.1, 100.0, 0.1 * ratio
    strain = 0.02
    young = mass * G / (side**2 * strain)
    stuff: dict[str, Any] = {
        "young": young,
        "poisson": 0.0,
        "density": density,
        "model": "corotational",
        "stiffness_damping": 0.05,
    }
    scene.add_soft_solid(box_tets(side, side, side, cells=3), **stuff, position=(0, 0, 0.051), name="soft")
    scene.add_rigid(shapes.box(0.12, 0.12, 0.05), mass=mass, position=(0, 0, 0.1275), name="heavy")
    scene.add_ground(name="ground")
    sim = Simulation(scene, dt=4e-3, settings=Settings(contact_distance=5e-4))
    for _ in range(400):
        sim.step()
    return 1.0 - float(np.ptp(sim.bodies["soft"].positions[:, 2])) / side, strain + 0.5 * density * G * side / young


def pushed(ratio: float) -> tuple[float, float]:
    """Common velocity after a box of 1 kg and 1 m/s has hit one of `ratio` kg at rest, measured and expected [m/s]."""
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    box = shapes.box(0.1, 0.1, 0.1)
    scene.add_rigid(box, mass=1.0, name="left", position=(-0.1, 0, 0), velocity=(1, 0, 0))
    scene.add_rigid(box, mass=ratio, name="right", position=(0.1, 0, 0))
    sim = Simulation(scene, dt=4e-3)
    for _ in range(50):
        sim.step()
    return float(sim.bodies["right"].velocity[0]), 1.0 / (1.0 + ratio)


def run(quick: bool, progress: Progress) -> Measurements:
    """Ratios from 1e-6 to 1e6 on each other, on a soft block, and in an impact."""
    ratios = (1e-6, 1e3, 1e6) if quick else tuple(10.0**k for k in range(-6, 7))
    soft = (1e3,) if quick else (1.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6)
    rows, forces, parts = [], [], 2 * len(ratios) + len(soft)
    for k, ratio in enumerate(ratios):
        below, between, moved, unsolved = stacked(ratio)
        forces.append(between)
        at = f"{ratio:g} : 1"
        rows.append(Measurement(f"force on the ground over the weight, {at}", below, 1.0, "", 0.01))
        rows.append(Measurement(f"force between the boxes over theory, {at}", between, 1.0, "", 0.01))
        rows.append(Measurement(f"motion of the upper box in 1 s, {at}", moved, 0.0, "m", 1e-6, absolute=True))
        rows.append(Measurement(f"steps with an unsolved contact problem, {at}", unsolved, 0.0, "", 0.0, absolute=True))
        part_of(progress, k, parts)(1.0)
    for k, ratio in enumerate(ratios):
        found, theory = pushed(ratio)
        rows.append(Measurement(f"common velocity after an impact, 1 : {ratio:g}", found, theory, "m/s", 1e-3))
        part_of(progress, len(ratios) + k, parts)(1.0)
    for k, ratio in enumerate(soft):
        found, theory = on_soft(ratio)
        rows.append(Measurement(f"strain of a soft block below, {ratio:g} : 1", found, theory, "", 0.02))
        part_of(progress, 2 * len(ratios) + k, parts)(1.0)
    line = Series("force between the boxes over theory", [float(np.log10(r)) for r in ratios], forces)
    return Measurements(rows, [Curve("A box on another", "log₁₀ of the ratio of masses", "", [line])])


CASE = Case(
    name="mass-ratios",
    title="Mass ratios to a million: stacks, impacts, and a soft block below",
    theory="The ground carries both weights, the lower box that of the upper one, and nothing moves, whatever the ratio. A "
    "plastic impact leaves the common velocity m₁ v/(m₁ + m₂). A soft block is compressed by σ/E.",
    source="Newton's laws; Hooke's law",
    run=run,
)

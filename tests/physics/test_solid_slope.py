"""A block on an incline of tan θ = 0.5, rigid or soft: Coulomb's law to the second digit of the coefficient.

It holds for μ ≥ tan θ, and slides with a = g (sin θ - μ cos θ) otherwise; the plane carries N = m g cos θ.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import signorini as sg
from signorini import tet_shapes
from signorini.bodies.lattice import lattice

GRAVITY = 9.81
THETA = np.arctan(0.5)
DT = 4e-3
DELTA = 1e-3
SIZE = (0.2, 0.2, 0.06)
DENSITY = 1000.0
KINDS = ("rigid", "corotational", "neo-hookean", "embedded")
SOLVER = sg.SolverSettings(tolerance=5e-5)


def on_slope(kind, friction, *, plane="half-space"):
    """A block just above the slope; returns the simulation, the downhill direction and the normal."""
    slope = Rotation.from_rotvec((0.0, THETA, 0.0))
    downhill, normal = slope.apply((1.0, 0.0, 0.0)), slope.apply((0.0, 0.0, 1.0))
    scene = sg.Scene(friction=friction)
    where = {
        "rotation": tuple((slope * Rotation.from_rotvec((0.0, 0.0, 0.4))).as_rotvec()),
        "position": tuple((0.5 * SIZE[2] + DELTA + 2e-4) * normal),
        "name": "block",
        "density": DENSITY,
    }
    if kind == "rigid":
        scene.add_rigid(sg.shapes.box(*SIZE), **where)
    elif kind == "embedded":
        surface = sg.shapes.box(*SIZE, cells=(4, 4, 1))
        soft = {"young": 1e6, "poisson": 0.3, "stiffness_damping": 0.01, "mass_damping": 0.0}
        scene.add_soft_solid(lattice(surface, cell=0.07), surface=surface, **soft, **where)
    else:
        soft = {"young": 1e6, "poisson": 0.3, "stiffness_damping": 0.01, "mass_damping": 0.0, "model": kind}
        scene.add_soft_solid(tet_shapes.box_tets(*SIZE, cells=(3, 3, 1)), **soft, **where)
    if plane == "half-space":
        scene.add_ground(normal=tuple(normal), name="slope")
    else:
        box = sg.shapes.box(3.0, 1.0, 0.1, cells=(6, 2, 1))
        scene.add_kinematic(box, rotation=tuple(slope.as_rotvec()), position=tuple(-0.05 * normal), name="slope")
    settings = sg.Settings(contact_distance=DELTA, solver=SOLVER)
    return sg.Simulation(scene, dt=DT, settings=settings), downhill, normal


def slide(sim, downhill, steps):
    """Mean displacement and velocity downhill after each step, (steps, 2)."""
    block, path = sim.bodies["block"], []
    start = block.positions.mean(axis=0)
    for _ in range(steps):
        sim.step()
        path.append(((block.positions.mean(axis=0) - start) @ downhill, block.velocities.mean(axis=0) @ downhill))
    return np.array(path)


@pytest.mark.parametrize("kind", KINDS)
def test_holds_at_051_and_slides_at_049(kind):
    """In 0.5 s: nothing at μ = 0.51; at 0.49 the 11 mm of a = g (sin θ - 0.49 cos θ) = 0.088 m/s², within 15 %."""
    sim, downhill, _ = on_slope(kind, 0.51)
    slide(sim, downhill, 50)
    assert abs(slide(sim, downhill, 125)[-1, 0]) < 1e-4
    sim, downhill, _ = on_slope(kind, 0.49)
    slide(sim, downhill, 50)
    path = slide(sim, downhill, 125)
    expected = GRAVITY * (np.sin(THETA) - 0.49 * np.cos(THETA))
    assert np.polyfit(DT * np.arange(125), path[:, 1], 1)[0] == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("plane", ["half-space", "triangles"])
@pytest.mark.parametrize("kind", KINDS)
def test_sliding_acceleration_and_load(kind, plane):
    """At μ = 0.2: a = g (sin θ - μ cos θ) = 2.632 m/s² within 2 %, N = m g cos θ and friction μ N within 1 % in the mean."""
    sim, downhill, normal = on_slope(kind, 0.2, plane=plane)
    slide(sim, downhill, 40)
    velocity, force = [], []
    for _ in range(60):
        velocity.append(slide(sim, downhill, 1)[0, 1])
        force.append(sim.contact_force("block"))
        assert np.array_equal(sim.contact_force("slope"), -force[-1])
    measured = np.polyfit(DT * np.arange(60), velocity, 1)[0]
    assert measured == pytest.approx(GRAVITY * (np.sin(THETA) - 0.2 * np.cos(THETA)), rel=0.02)
    weight = GRAVITY * DENSITY * np.prod(SIZE)
    mean = np.mean(force, axis=0)
    assert mean @ normal == pytest.approx(weight * np.cos(THETA), rel=0.01)
    assert -mean @ downhill == pytest.approx(0.2 * weight * np.cos(THETA), rel=0.01)

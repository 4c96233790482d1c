"""`grasp`: the can is lifted by friction alone and does not slip."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery.grasp import LIFT, LIFTED, MASS, SCENE
from support.scene_runs import run


def lifted(friction, *, checked):
    """The scene at small resolution, 0.2 s after the lift."""
    sim = sg.Simulation(SCENE.build(resolution=5, friction=friction), dt=8e-3)
    steps = round((LIFTED + 0.2) / sim.dt)
    reports = run(sim, steps) if checked else [sim.step() for _ in range(steps)]
    return sim, reports


@pytest.mark.parametrize("seconds", [0.5, pytest.param(10.0, marks=pytest.mark.slow)])
def test_it_is_lifted_and_held(seconds):
    """Up by the whole way within 2 mm, then less than 0.01 mm of slip a second, and the contacts carry its weight."""
    sim, reports = lifted(0.8, checked=True)
    assert all(r.solves_converged == r.solves for r in reports)
    can = sim.bodies["can"]
    assert can.center[2] == pytest.approx(0.5 * 0.115 + LIFT, abs=2e-3)
    start = can.positions.copy()
    forces = []
    for _ in range(round(seconds / sim.dt)):
        sim.step()
        forces.append(sim.contact_force("can"))
    slip = np.abs(can.positions - start).max()
    assert slip < max(1e-5 * seconds, 2e-5), f"{1e3 * slip:.4f} mm in {seconds:g} s"
    np.testing.assert_allclose(np.mean(forces, axis=0), (0.0, 0.0, 9.81 * MASS), atol=0.02 * 9.81 * MASS)
    grip = np.abs(sim.contact_force("right pad")[0])
    assert 9.81 * MASS < grip < 40 * 9.81 * MASS


def test_without_friction_it_stays_on_the_ground():
    sim, _ = lifted(0.0, checked=False)
    assert sim.bodies["can"].center[2] < 0.5 * 0.115 + 2e-3


def test_starts_free_of_intersection():
    scene = SCENE.build()
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert scene.name == SCENE.name


def test_friction_and_stiffness_are_taken():
    plain, changed = SCENE.build(resolution=4), SCENE.build(resolution=4, friction=0.77, stiffness=2.0)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    assert changed.bodies["left pad"].material == plain.bodies["left pad"].material.scaled(2.0)

"""`pinched-sheets`: spheres that are scripted to overlap give way, hold the sheets between them and draw them through."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES
from signorini.gallery.pinched_sheets import CLOSED, LET_GO, OVERLAP, RADIUS
from support.scene_runs import run

SCENE = SCENES["pinched-sheets"]
SHEETS = ("sheet-1", "sheet-2", "sheet-3")


@pytest.mark.parametrize("resolution", [None, 9, 16])
def test_starts_free_of_intersection(resolution):
    scene = SCENE.build() if resolution is None else SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert scene.name == SCENE.name


def test_the_sheets_are_held_and_drawn_through():
    """The caps of the spheres end up nearer than two rigid spheres could be, with three sheets in between; let go, these sink
    with the turning spheres, far more slowly than they would fall.
    """
    sim = sg.Simulation(SCENE.build(resolution=9), dt=8e-3)
    reports = run(sim, round(CLOSED / sim.dt) + 5)
    caps = {
        name: sim.scene.bodies[name].pins[0].motion.positions(sim.scene.bodies[name].positions, sim.time)
        for name in ("left sphere", "right sphere")
    }
    distance = caps["right sphere"].mean(axis=0) - caps["left sphere"].mean(axis=0)
    np.testing.assert_allclose(distance, (2.0 * RADIUS - OVERLAP, 0.0, 0.0), atol=1e-9)
    # Where the script would have the shells overlap, they are dented instead.
    dent = max(np.linalg.norm(sim.bodies[name].positions - caps[name], axis=1).max() for name in caps)
    assert dent > 0.4 * OVERLAP
    touching = {tuple(sorted((c.body_a, c.body_b))) for c in sim.contacts()}
    assert touching >= {
        ("left sphere", "sheet-1"),
        ("sheet-1", "sheet-2"),
        ("sheet-2", "sheet-3"),
        ("right sphere", "sheet-3"),
    }
    reports += run(sim, round(LET_GO / sim.dt) - sim.step_index)
    start, before = sim.time, {name: sim.bodies[name].positions[:, 2].mean() for name in SHEETS}
    reports += run(sim, 35)
    fall = 0.5 * 9.81 * (sim.time - start) ** 2
    for name in SHEETS:
        sunk = before[name] - sim.bodies[name].positions[:, 2].mean()
        assert 0.02 < sunk < 0.4 * fall
    assert all(r.solves_converged == r.solves for r in reports)
    assert all(r.halvings == 0 for r in reports)


def test_options_reach_the_bodies():
    plain, changed = SCENE.build(resolution=9), SCENE.build(friction=0.77, stiffness=2.0, resolution=9)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    for name in ("sheet-2", "left sphere"):
        assert changed.bodies[name].material == plain.bodies[name].material.scaled(2.0)

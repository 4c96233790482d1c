"""`shot-through-drapes`: a fast sphere takes five drapes along, stretched over each other, and leaves them behind."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES
from signorini.gallery.shot_through_drapes import DRAPES, SPEED, START
from support.scene_runs import run

SCENE = SCENES["shot-through-drapes"]
NAMES = [f"drape-{k + 1}" for k in range(DRAPES)]


@pytest.mark.parametrize("resolution", [None, 8, 16])
def test_starts_free_of_intersection(resolution):
    scene = SCENE.build() if resolution is None else SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert scene.name == SCENE.name


def test_the_sphere_goes_through_the_row():
    """While it passes, all five drapes lie on each other in front of it; then it is past all of them, and its speed is that of
    the script: it was never held up. Nothing was torn: edges are not stretched beyond a third.
    """
    sim = sg.Simulation(SCENE.build(resolution=10), dt=2e-3)
    reports = run(sim, 50)
    touching = {tuple(sorted((c.body_a, c.body_b))) for c in sim.contacts()}
    assert {("drape-1", "sphere")} | {(NAMES[k], NAMES[k + 1]) for k in range(DRAPES - 1)} <= touching
    front = sim.bodies["sphere"].positions[:, 1].max()
    assert all(sim.bodies[name].positions[:, 1].max() > front for name in NAMES)
    for name in NAMES:
        stretch = edge_lengths(sim.bodies[name].positions, sim.bodies[name].triangles) / edge_lengths(
            sim.scene.bodies[name].mesh.vertices, sim.bodies[name].triangles
        )
        assert stretch.max() < 1.33
    reports += run(sim, 60)
    sphere = sim.bodies["sphere"].positions[:, 1]
    assert sphere.mean() == pytest.approx(START + SPEED * sim.time)
    assert sphere.min() > max(sim.bodies[name].positions[:, 1].max() for name in NAMES) - 0.1
    assert not [c for c in sim.contacts() if "sphere" in (c.body_a, c.body_b)]
    assert all(r.solves_converged == r.solves for r in reports)
    assert all(r.halvings == 0 for r in reports)


def edge_lengths(x, triangles):
    return np.linalg.norm(x[triangles] - x[np.roll(triangles, 1, axis=1)], axis=2).ravel()


def test_options_reach_the_bodies():
    plain, changed = SCENE.build(resolution=8), SCENE.build(friction=0.77, stiffness=2.0, resolution=8)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    assert changed.bodies["drape-3"].material == plain.bodies["drape-3"].material.scaled(2.0)

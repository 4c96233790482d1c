"""`five-curtains`: a sphere pushes five curtains, one against the other, and they slip off it."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES
from signorini.gallery.five_curtains import CURTAINS, SPACING
from support.scene_runs import run

SCENE = SCENES["five-curtains"]


def touching(sim):
    """Names of the pairs of bodies that press on each other."""
    return {tuple(sorted((c.body_a, c.body_b))) for c in sim.contacts()}


def test_it_has_280_frames_at_60_per_second():
    """As in Sifakis2008 §6; a frame is a whole number of steps."""
    assert round(SCENE.seconds * SCENE.fps) == 280
    assert SCENE.fps == 60.0
    assert (1.0 / SCENE.fps / SCENE.dt) % 1.0 == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("resolution", [None, 8, 16])
def test_starts_free_of_intersection(resolution):
    scene = SCENE.build() if resolution is None else SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert scene.name == SCENE.name


def test_the_sphere_goes_through_all_of_them():
    """All curtains touch the ground, then each presses on the next in the row, in front of the sphere; at its end they hang
    behind its centre again.
    """
    sim = sg.Simulation(SCENE.build(resolution=9), dt=1.0 / 120.0)
    names = [f"curtain-{k + 1}" for k in range(CURTAINS)]
    reports = run(sim, 60)
    assert {(name, "ground") for name in names} <= touching(sim)
    reports += run(sim, 70)
    row = {("curtain-1", "sphere")} | {(names[k], names[k + 1]) for k in range(CURTAINS - 1)}
    assert row <= touching(sim)
    front = [sim.bodies[name].positions[:, 1].max() for name in names]
    assert (np.diff(front) > 0.0).all(), "in their order"
    assert front[0] > sim.bodies["sphere"].positions[:, 1].mean()
    reports += run(sim, 150)
    sphere = sim.bodies["sphere"].positions[:, 1].mean()
    assert sphere == pytest.approx(0.8)
    means = [sim.bodies[name].positions[:, 1].mean() for name in names]
    assert max(means) < sphere - 0.2
    assert all(r.solves_converged == r.solves for r in reports)
    assert all(r.halvings == 0 for r in reports)


def test_options_reach_the_bodies():
    plain, changed = SCENE.build(resolution=8), SCENE.build(friction=0.77, stiffness=2.0, resolution=8)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    assert changed.bodies["curtain-3"].material == plain.bodies["curtain-3"].material.scaled(2.0)
    gap = plain.bodies["curtain-2"].positions[:, 1].mean() - plain.bodies["curtain-1"].positions[:, 1].mean()
    assert gap == pytest.approx(SPACING, abs=2e-3)

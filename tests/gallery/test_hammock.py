"""`hammock`: thirty towels pile up in a hammock, with tens of thousands of contacts at once."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES
from signorini.gallery.hammock import HEIGHT, TOWELS
from support.scene_runs import run

SCENE = SCENES["hammock"]


@pytest.mark.parametrize("resolution", [None, 5, 9, 19])
def test_starts_free_of_intersection(resolution):
    scene = SCENE.build() if resolution is None else SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert sum(name.startswith("towel") for name in scene.bodies) == TOWELS == 30


def test_the_hammock_carries_all_towels():
    """Coarse towels: all of them end up in it, each touches others, and the ends of the hammock carry the whole weight."""
    sim = sg.Simulation(SCENE.build(resolution=4), dt=8e-3)
    reports = run(sim, 80)
    assert all(r.solves_converged == r.solves for r in reports)
    assert all(r.halvings == 0 for r in reports)
    touched = {name for c in sim.contacts() for name in (c.body_a, c.body_b)}
    assert touched == set(sim.bodies), "the ground is not touched, everything else is"
    weight = 9.81 * sim._world.model.mass.sum()
    forces = []
    for _ in range(18):
        sim.step()
        forces.append(sim.pin_force("hammock"))
    np.testing.assert_allclose(np.mean(forces, axis=0), (0.0, 0.0, weight), atol=0.1 * weight)
    lowest = sim.bodies["hammock"].positions[:, 2].min()
    assert lowest < HEIGHT - 0.25
    for k in range(TOWELS):
        middle = sim.bodies[f"towel-{k + 1}"].positions.mean(axis=0)
        start = sim.scene.bodies[f"towel-{k + 1}"].positions.mean(axis=0)
        assert lowest < middle[2] < start[2] - 0.05
        assert np.abs(middle[:2]).max() < 0.3


@pytest.mark.slow
def test_tens_of_thousands_of_contacts():
    """At its own resolution, when all towels have come to lie."""
    sim = sg.Simulation(SCENE.build(), dt=SCENE.dt)
    reports = [sim.step() for _ in range(round(0.7 / sim.dt))]
    assert max(r.contact_count for r in reports) > 20_000
    assert not any(r.failsafe_substeps for r in reports)
    assert all(r.solves_converged == r.solves for r in reports)
    assert sim.intersections() == 0


def test_options_reach_the_bodies():
    plain, changed = SCENE.build(resolution=5), SCENE.build(friction=0.77, stiffness=2.0, resolution=5)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    for name in ("hammock", "towel-7"):
        assert changed.bodies[name].material == plain.bodies[name].material.scaled(2.0)

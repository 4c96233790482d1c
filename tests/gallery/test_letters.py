"""`letters`: soft letters embedded in coarse cages fall in layers, rest in their box, and are pushed together."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES, letters
from signorini.scene.soft_solid import SoftSolid
from support.scene_runs import run

SCENE = SCENES["letters"]


def _letters(scene: sg.Scene) -> list[SoftSolid]:
    return [b for b in scene.bodies.values() if isinstance(b, SoftSolid)]


def test_full_size_is_that_of_the_paper():
    """164 letters, about 23,000 tetrahedra, inside the walls and free of intersection at the start; dt = 30 ms, 40 s."""
    scene = SCENE.build()
    bodies = _letters(scene)
    assert len(bodies) == 164
    assert abs(sum(len(b.tets.tetrahedra) for b in bodies) - 23_000) < 500
    assert all(b.skin.embedding is not None for b in bodies)
    sim = sg.Simulation(scene, dt=SCENE.dt)
    assert sim.intersections() == 0
    inside = sim.bodies["right-wall"].positions[:, 0].min()
    assert max(np.abs(b.positions[:, :2]).max() for b in bodies) < inside
    assert (SCENE.dt, SCENE.seconds) == (0.03, 40.0)


@pytest.mark.parametrize("resolution", [1, 2, 3, 4])
def test_starts_free_of_intersection(resolution):
    assert sg.Simulation(SCENE.build(resolution=resolution), dt=SCENE.dt).intersections() == 0


def test_letters_come_to_rest_and_are_pushed_together(monkeypatch):
    """Ten letters at 30 ms, their walls moved in early: clean, solved, at rest before, and narrower after."""
    monkeypatch.setattr(letters, "PUSH_START", 1.5)
    monkeypatch.setattr(letters, "PUSH_STOP", 3.0)
    monkeypatch.setattr(letters, "PUSHED_IN", 0.4)
    sim = sg.Simulation(SCENE.build(resolution=2), dt=SCENE.dt)
    reports = run(sim, 50)
    assert reports[-1].max_speed < 0.1, "at rest"
    apart = _width(sim)
    reports += run(sim, 50)
    assert _width(sim) < 0.95 * apart
    free = sim.bodies["right-wall"].positions[:, 0].min() - sim.bodies["left-wall"].positions[:, 0].max()
    assert _width(sim) < free < apart
    assert all(r.solves_converged == r.solves for r in reports)
    assert sum(r.halvings for r in reports) <= 1, "a letter that spins by more than half a radian in a step halves it"


def _width(sim: sg.Simulation) -> float:
    """Of everything soft, along x [m]."""
    return float(np.ptp(np.concatenate([b.positions for b in sim.bodies.values() if b.kind == "soft_solid"])[:, 0]))


def test_options_reach_the_bodies():
    scene = SCENE.build(friction=0.77, stiffness=2.0, resolution=1)
    assert {b.friction for b in scene.bodies.values()} == {0.77}
    assert {b.material for b in _letters(scene)} == {letters.MATERIAL.scaled(2.0)}

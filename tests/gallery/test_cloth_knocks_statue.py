"""`cloth-knocks-statue`: it stands on its own and falls when the cloth hits it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import signorini as sg
from signorini.gallery.cloth_knocks_statue import SCENE, statue
from signorini.geometry.mass_properties import mass_properties
from support.scene_runs import run


def lean(sim):
    """Angle of the statue from the vertical [rad]."""
    return float(np.arccos(np.clip(sim.bodies["statue"].pose[2, 2], -1.0, 1.0)))


def test_the_cloth_knocks_it_over():
    """Within 0.6 s it lies on the ground or is about to: more than 60° from the vertical."""
    sim = sg.Simulation(SCENE.build(resolution=21), dt=4e-3)
    reports = run(sim, 140)
    assert all(r.solves_converged == r.solves for r in reports)
    assert lean(sim) > np.radians(60.0)


def test_it_stands_without_the_cloth():
    scene = SCENE.build(resolution=21)
    del scene.bodies["cloth"]
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(100):
        sim.step()
    assert lean(sim) < 0.01


def test_size_of_the_models():
    """1,681 nodes; about 4,000 triangles, closed and far from convex; starts free of intersection."""
    scene = SCENE.build()
    assert len(scene.bodies["cloth"].positions) == 1681
    mesh = statue()
    assert len(mesh.triangles) == pytest.approx(4000, rel=0.1)
    assert mass_properties(mesh, 1.0).volume < 0.5 * ConvexHull(mesh.vertices).volume
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0


def test_friction_and_stiffness_are_taken():
    plain, changed = SCENE.build(resolution=11), SCENE.build(resolution=11, friction=0.77, stiffness=2.0)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    assert changed.bodies["cloth"].material == plain.bodies["cloth"].material.scaled(2.0)

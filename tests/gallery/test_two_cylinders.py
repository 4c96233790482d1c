"""`two-cylinders`: they wrap around each other, nothing penetrates (Hong2004: 1/1000 of an element), volumes are kept."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery.two_cylinders import RADIUS, SCENE
from signorini.geometry.tet_mesh import signed_volumes
from support.scene_runs import run


def test_they_wrap_without_penetration():
    """After 0.9 s the upper one hangs around the lower one; no distance is below the contact distance by 1/1000 of an edge."""
    sim = sg.Simulation(SCENE.build(resolution=2), dt=10e-3)
    reports = run(sim, 90)
    assert all(r.solves_converged == r.solves for r in reports)
    upper, lower = (sim.bodies[name] for name in ("upper", "lower"))
    middle = upper.positions[np.abs(upper.positions[:, 1]) < 0.02]
    ends = upper.positions[np.abs(upper.positions[:, 1]) > 0.11]
    assert ends[:, 2].max() < middle[:, 2].max() - 0.02, "the ends are below the middle"
    assert min(r.min_distance for r in reports) > sim.contact_distance - 1e-3 * RADIUS / 2
    for name, body in (("upper", upper), ("lower", lower)):
        tets = sim.scene.bodies[name].tets
        volume = signed_volumes(body.node_positions, tets.tetrahedra).sum()
        assert volume == pytest.approx(tets.volume(), rel=0.02), name


@pytest.mark.parametrize("resolution", [1, 3, 4])
def test_starts_free_of_intersection(resolution):
    scene = SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert scene.name == SCENE.name


def test_friction_and_stiffness_are_taken():
    plain, changed = SCENE.build(resolution=1), SCENE.build(resolution=1, friction=0.77, stiffness=2.0)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    assert changed.bodies["upper"].material == plain.bodies["upper"].material.scaled(2.0)


def test_damping_and_another_mesh_are_taken():
    tets = sg.shapes.cylinder_tets(RADIUS, 0.24, edge=RADIUS)
    scene = SCENE.build(damping=0.1, tets=tets)
    plain = SCENE.build(resolution=1)
    for name in ("upper", "lower"):
        ours, theirs = scene.bodies[name].material, plain.bodies[name].material
        assert ours.stiffness_damping == pytest.approx(0.1 * theirs.stiffness_damping)
        assert ours.young == theirs.young
        assert len(scene.bodies[name].tets.tetrahedra) == len(tets.tetrahedra)

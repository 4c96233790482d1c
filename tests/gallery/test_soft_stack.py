"""`soft-stack`: 27 soft cubes end up as a stack on the floor of their box, and its floor carries their weight."""

from __future__ import annotations

import numpy as np

import signorini as sg
from signorini.gallery import SCENES
from signorini.gallery.soft_stack import EDGE, INSIDE, MATERIAL
from support.scene_runs import run

SCENE = SCENES["soft-stack"]


def test_full_size_is_what_was_measured_elsewhere():
    """27 cubes of 5 × 5 × 5 nodes and six tetrahedra a cell; they start inside the box, free of intersection."""
    scene = SCENE.build()
    cubes = [b for name, b in scene.bodies.items() if name.startswith("cube")]
    assert len(cubes) == 27
    assert {(len(c.tets.vertices), len(c.tets.tetrahedra)) for c in cubes} == {(125, 6 * 4**3)}
    assert {c.material for c in cubes} == {MATERIAL}
    assert {b.friction for b in scene.bodies.values()} == {0.4}
    assert max(np.abs(c.positions[:, :2]).max() for c in cubes) < 0.5 * INSIDE
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0


def test_cubes_stack():
    """Coarse cubes at 30 ms: nothing intersects, every contact problem is solved, the layers lie on each other."""
    sim = sg.Simulation(SCENE.build(resolution=3), dt=0.03)
    reports = run(sim, 50)
    assert all(r.solves_converged == r.solves for r in reports)
    assert all(r.halvings == 0 for r in reports)
    cubes = [b for name, b in sim.bodies.items() if name.startswith("cube")]
    heights = np.sort([c.positions[:, 2].mean() for c in cubes]).reshape(3, 9)
    np.testing.assert_allclose(heights, EDGE * np.array([[0.5], [1.5], [2.5]]) * np.ones(9), atol=0.1 * EDGE)
    assert reports[-1].max_speed < 0.1

    # Everything hangs on the ground: over some steps its force is the weight.
    carried = []
    for _ in range(20):
        sim.step()
        carried.append(sim.contact_force("ground")[2])
    weight = 27 * MATERIAL.density * EDGE**3 * 9.81
    assert abs(-np.mean(carried) / weight - 1.0) < 0.03


def test_options_reach_the_bodies():
    scene = SCENE.build(friction=0.77, stiffness=2.0, resolution=2)
    assert {b.friction for b in scene.bodies.values()} == {0.77}
    assert scene.bodies["cube-1"].material == MATERIAL.scaled(2.0)

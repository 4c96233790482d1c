"""`ball-on-cloth`: the sheet catches the ball and its four corners carry both."""

from __future__ import annotations

import numpy as np

import signorini as sg
from signorini.gallery import SCENES
from signorini.gallery.ball_on_cloth import DROP, HEIGHT, MASS, RADIUS, SIDE
from support.scene_runs import run

SCENE = SCENES["ball-on-cloth"]


def test_full_size_is_what_was_measured_elsewhere():
    """41 × 41 vertices, a ball of 1 kg 0.2 m above; free of intersection at the start."""
    sim = sg.Simulation(SCENE.build(), dt=SCENE.dt)
    assert sim.intersections() == 0
    assert len(sim.bodies["sheet"].positions) == 41**2
    ball = sim.bodies["ball"].positions
    assert abs(ball[:, 2].min() - HEIGHT - DROP) < 1e-9
    assert abs(np.ptp(ball[:, 2]) - 2.0 * RADIUS) < 1e-9
    assert len(np.concatenate([p.vertices for p in sim.scene.bodies["sheet"].pins])) == 4


def test_ball_is_caught():
    """At 30 ms nothing intersects, every contact problem is solved, and the ball comes to lie in the sheet."""
    sim = sg.Simulation(SCENE.build(resolution=21), dt=0.03)
    reports = run(sim, 130)
    assert all(r.solves_converged == r.solves for r in reports)
    assert all(r.halvings == 0 for r in reports)
    ball, sheet = sim.bodies["ball"].positions, sim.bodies["sheet"].positions
    under = np.hypot(*(sheet[:, :2] - ball[:, :2].mean(axis=0)).T) < 0.5 * RADIUS
    assert sheet[under, 2].max() < ball[:, 2].min() + 0.2 * RADIUS, "the sheet is below the ball"
    assert ball[:, 2].min() > 0.1, "and far above the ground"

    corners, weight = [], 9.81 * (MASS + 0.2 * SIDE**2)
    for _ in range(30):
        sim.step()
        corners.append(sim.pin_force("sheet")[2])
    assert abs(np.mean(corners) / weight - 1.0) < 0.05


def test_options_reach_the_bodies():
    plain, changed = SCENE.build(resolution=8), SCENE.build(friction=0.77, stiffness=2.0, resolution=8)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    assert changed.bodies["sheet"].material == plain.bodies["sheet"].material.scaled(2.0)

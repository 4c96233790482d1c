"""`ball-and-board`: the ball is stopped by a board that bends, and is thrown back."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import ball_and_board
from signorini.gallery.ball_and_board import SCENE, SUPPORT_HEIGHT
from support.scene_runs import run


def test_the_board_bends_and_throws_the_ball_back(monkeypatch):
    """From a few centimetres: the board bends by some millimetres, the ball turns around and energy is not gained."""
    monkeypatch.setattr(ball_and_board, "DROP", 0.03)
    sim = sg.Simulation(SCENE.build(resolution=1), dt=SCENE.dt)
    ball, board = sim.bodies["ball"], sim.bodies["board"]
    middle = np.flatnonzero(np.abs(board.positions[:, 0]) < 0.05)
    speed, lowest, reports = [], np.inf, []
    for _ in range(40):
        reports += run(sim, 3)
        speed.append(ball.velocities[:, 2].mean())
        lowest = min(lowest, board.positions[middle, 2].min())
    assert all(r.solves_converged == r.solves for r in reports)
    assert min(speed) < -0.5
    assert max(speed) > 0.1, "it must be thrown back"
    assert lowest < SUPPORT_HEIGHT - 0.5e-3
    start = reports[0].total_energy
    drop = 0.03 * 9.81 * 6.0
    assert max(r.total_energy for r in reports) < start + 0.05 * drop


@pytest.mark.parametrize("resolution", [1, 2, 3])
def test_starts_free_of_intersection(resolution):
    scene = SCENE.build(resolution=resolution)
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert scene.name == SCENE.name


def test_friction_and_stiffness_are_taken():
    plain, changed = SCENE.build(resolution=1), SCENE.build(resolution=1, friction=0.77, stiffness=2.0)
    assert {b.friction for b in changed.bodies.values()} == {0.77}
    for name in ("ball", "board"):
        assert changed.bodies[name].material == plain.bodies[name].material.scaled(2.0)


def test_damping_is_taken():
    scene = SCENE.build(resolution=1, damping=0.0)
    assert [scene.bodies[name].material.stiffness_damping for name in ("ball", "board")] == [0.0, 0.0]

"""Small fast balls thrown at a cloth with long steps: they travel many of their radii in one step and are caught."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from reference.ipc_check import IpcCheck

DT = 1.0 / 30.0


@pytest.mark.parametrize(("radius", "speed"), [(0.02, 5.0), (0.01, 10.0)])
def test_a_small_fast_ball_is_caught(radius, speed):
    """Otherwise it would be 0.17 m (8 radii) or 0.33 m (33 radii) further at the end of the first step."""
    scene = sg.Scene(friction=0.3)
    cells = 20
    sheet = scene.add_cloth(sg.shapes.grid(1.0, 1.0, cells=cells), name="sheet")
    x, y = sheet.positions[:, 0], sheet.positions[:, 1]
    sheet.pin(np.flatnonzero((np.abs(x) > 0.499) | (np.abs(y) > 0.499)))
    ball = sg.shapes.sphere(radius, subdivisions=2)
    scene.add_rigid(ball, density=1000.0, position=(0.013, 0.021, 0.2), velocity=(0.0, 0.0, -speed), name="ball")
    sim = sg.Simulation(scene, dt=DT)
    check = IpcCheck(sim)
    lowest = np.inf
    for _ in range(30):
        report = check.step()
        assert report.solves == report.solves_converged
        assert report.failsafe_substeps == 0
        lowest = min(lowest, sim.bodies["ball"].center[2] - sim.bodies["sheet"].positions[:, 2].min())
    check.assert_clean()
    assert lowest > 0.0, "the ball must stay above the lowest point of the cloth"
    assert np.linalg.norm(sim.bodies["ball"].velocity) < 0.5 * speed

"""Rigid bodies that topple: about an edge a micrometre above the ground, and in rows that lean against each other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import signorini as sg
from reference.ipc_check import IpcCheck

G = 9.81


def plank(gap: float, dt: float) -> sg.Simulation:
    """A plank of 0.02 m x 0.1 m x 0.4 m that stands tilted by 0.2 rad on its edge, `gap` above the ground, with much friction."""
    scene = sg.Scene(friction=2.0)
    scene.add_ground()
    lean = 0.2
    lowest = 0.5 * 0.4 * np.cos(lean) + 0.5 * 0.02 * np.sin(lean)
    scene.add_rigid(
        sg.shapes.box(0.02, 0.1, 0.4), density=500, position=(0, 0, lowest + gap), rotation=(0, lean, 0), name="plank"
    )
    return sg.Simulation(scene, dt=dt)


@pytest.mark.parametrize("gap", [1e-7, 1e-5, 1e-3])
def test_a_plank_falls_as_a_pendulum_whatever_its_gap_is(gap: float) -> None:
    """θ'' = m g l sin θ / J about the edge. The path of the edge must not need the gap: no halving, every step accepted."""
    dt = 2e-3
    sim = plank(gap, dt)
    check = IpcCheck(sim)
    arm = np.hypot(0.2, 0.01)
    start = 0.2 - np.arctan2(0.01, 0.2)  # of the line from the edge to the centre of mass
    inertia = (0.4**2 + 0.02**2) / 12.0 + arm**2
    steps = 140
    motion = solve_ivp(
        lambda _, y: [y[1], G * arm * np.sin(y[0]) / inertia], (0.0, steps * dt), [start, 0.0], rtol=1e-9, atol=1e-12
    )
    reports = [check.step() for _ in range(steps)]
    check.assert_clean()
    turned = float(np.linalg.norm(sim.bodies["plank"].rotation)) - np.arctan2(0.01, 0.2)
    assert turned == pytest.approx(float(motion.y[0, -1]), rel=0.03)
    assert sum(r.halvings for r in reports) == 0
    assert all(r.solves == r.solves_converged for r in reports)


@pytest.mark.parametrize("friction", [0.3, 1.0])
def test_a_row_of_dominoes_falls(friction: float) -> None:
    """Five boxes in a row; a ball hits the first. The last one falls, every problem is solved, and no fail-safe is needed."""
    scene = sg.Scene(friction=friction)
    scene.add_ground()
    for k in range(5):
        scene.add_rigid(
            sg.shapes.box(0.012, 0.05, 0.1), density=600, position=(0.045 * k, 0, 0.05 + 1e-5), name=f"box {k}"
        )
    ball = sg.shapes.sphere(0.02, subdivisions=2)
    scene.add_rigid(ball, density=2000, position=(-0.04, 0, 0.08), velocity=(1.0, 0, 0))
    sim = sg.Simulation(scene, dt=8e-3)
    check = IpcCheck(sim)
    reports = [check.step() for _ in range(60)]
    check.assert_clean()
    assert sim.bodies["box 4"].center[2] < 0.03, "the last box must have fallen"
    assert sum(r.solves - r.solves_converged for r in reports) == 0
    assert sum(r.failsafe_substeps for r in reports) == 0
    energies = [r.total_energy for r in reports]
    assert max(np.diff(energies)) < 0.002 * (energies[0] - energies[-1])

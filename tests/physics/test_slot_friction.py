"""A box that slides between two plates with friction: it is braked as statics says, and not wedged at once.

The box pitches until its lower front edge and its upper rear edge touch. Balance of forces and moments with the length l and the
height h gives the sum of the normal forces, mu m g h / l where that is more than m g, and the deceleration mu² g h / l.
"""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg

G = 9.81
LENGTH = 0.1
"""Of the box [m]."""


def sliding_box(*, friction: float, height: float, play: float, cells: int, sideways: float = 0.0) -> sg.Scene:
    """A box of `height` over length that flies at 2.7 m/s between plates with so much room on either side [m]."""
    scene = sg.Scene(gravity=(0.0, 0.0, -G), friction=friction)
    box = sg.shapes.box(LENGTH, 0.6 * LENGTH, height * LENGTH, cells=cells)
    scene.add_rigid(box, density=1000.0, velocity=(2.7, sideways, 0.0), name="box")
    plate = sg.shapes.grid(4.0, 4.0, cells=2)
    for side in (-1.0, 1.0):
        scene.add_kinematic(plate, position=(0.0, 0.0, side * (0.5 * height * LENGTH + play)))
    return scene


@pytest.mark.parametrize(("friction", "height", "play"), [(0.5, 1.0, 1e-5), (1.2, 1.0, 1e-5), (1.0, 2.0, 1e-4)])
def test_a_box_in_a_slot_is_braked_as_statics_says(friction, height, play):
    dt, steps = 1e-3, 40
    sim = sg.Simulation(sliding_box(friction=friction, height=height, play=play, cells=1), dt=dt)
    speeds = []
    for _ in range(steps):
        report = sim.step()
        assert report.solves_converged == report.solves
        speeds.append(sim.bodies["box"].velocity[0])
    deceleration = (speeds[steps // 4] - speeds[-1]) / (dt * (steps - 1 - steps // 4))
    assert deceleration == pytest.approx(G * max(friction, friction**2 * height), rel=0.01)


def test_a_finely_meshed_box_that_flies_askew_is_not_wedged():
    """It stood still after one step: the contact solver stopped at impulses that wedge it, far from the solution that slides."""
    dt, steps, friction = 5e-3, 20, 1.3
    sim = sg.Simulation(sliding_box(friction=friction, height=1.0, play=4e-6, cells=3, sideways=0.4), dt=dt)
    start = np.linalg.norm(sim.bodies["box"].velocity)
    solves = converged = 0
    for _ in range(steps):
        report = sim.step()
        solves, converged = solves + report.solves, converged + report.solves_converged
    lost = start - np.linalg.norm(sim.bodies["box"].velocity)
    # The effective length of a box that flies askew lies between its length and its diagonal.
    assert G * friction * dt * steps < lost < 1.05 * G * friction**2 * dt * steps
    assert converged >= 0.8 * solves

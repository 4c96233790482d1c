"""Restitution of a rigid ball: rebound height e² h, and never more energy than before."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_rebound_height(e: float) -> None:
    scene = sg.Scene()
    scene.add_ground()
    ball = scene.add_rigid(
        sg.shapes.sphere(0.05, edge=0.03), mass=0.2, name="ball", position=(0, 0, 0.3), restitution=e
    )
    sim = sg.Simulation(scene, dt=1e-3)
    heights, energies = [ball.position[2]], []
    for _ in range(480):
        report = sim.step()
        heights.append(sim.bodies["ball"].center[2])
        energies.append(report.kinetic_energy + report.potential_energy)
    assert np.diff(energies).max() <= 1e-9
    z = np.array(heights)
    low = int(np.argmin(z[:260]))
    fall, rise = z[0] - z[low], z[low:].max() - z[low]
    assert rise == pytest.approx(e * e * fall, rel=0.02, abs=1e-5)


def test_restitution_of_a_pair_replaces_that_of_its_bodies() -> None:
    scene = sg.Scene()
    scene.add_ground(restitution=1.0)
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=0.2, name="box", position=(0, 0, 0.06), velocity=(0, 0, -1))
    scene.set_contact("box", "ground", restitution=0.0)
    sim = sg.Simulation(scene, dt=1e-3)
    for _ in range(30):
        sim.step()
    assert abs(sim.bodies["box"].velocity[2]) < 1e-3

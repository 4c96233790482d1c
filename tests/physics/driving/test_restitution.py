"""Restitution of a rigid ball: rebound height e² h, and never more energy than before."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg


@pytest.mark.parametrize(("e", "dt"), [(0.0, 4e-3), (0.5, 1e-3), (0.5, 4e-3), (0.8, 4e-3), (1.0, 1e-3), (1.0, 4e-3)])
def test_rebound_height(e: float, dt: float) -> None:
    """Measured at dt = 4 ms: 1.000 e² h for e = 0.5 and 0.8, and 0.982 h for e = 1, where energy must not grow."""
    scene = sg.Scene()
    scene.add_ground()
    ball = scene.add_rigid(
        sg.shapes.sphere(0.05, edge=0.03), mass=0.2, name="ball", position=(0, 0, 0.3), restitution=e
    )
    sim = sg.Simulation(scene, dt=dt)
    heights, energies = [ball.position[2]], [0.2 * 9.81 * 0.3]
    for _ in range(round(0.48 / dt)):
        report = sim.step()
        heights.append(sim.bodies["ball"].center[2])
        energies.append(report.kinetic_energy + report.potential_energy)
        assert report.energy_surplus <= 1e-12
        assert report.status.name == "ACCEPTED"
    assert max(energies) <= energies[0] * (1 + 1e-9)  # the energy of its start is never exceeded
    z = np.array(heights)
    low = int(np.argmin(z[: round(0.26 / dt)]))
    fall, rise = z[0] - z[low], z[low:].max() - z[low]
    assert rise == pytest.approx(e * e * fall, rel=0.02, abs=1e-5)
    assert rise <= fall


def test_many_rebounds_come_to_rest_and_gain_nothing() -> None:
    scene = sg.Scene()
    scene.add_ground()
    scene.add_rigid(
        sg.shapes.box(0.1, 0.1, 0.1), mass=1, name="box", position=(0, 0, 0.15), rotation=(0.1, 0.2, 0), restitution=0.9
    )
    sim = sg.Simulation(scene, dt=4e-3)
    start, highest = 9.81 * 0.15, 0.0
    while not sim.sleeping and sim.time < 3.0:
        report = sim.step()
        highest = max(highest, report.kinetic_energy + report.potential_energy)
    assert sim.sleeping == ["box"]
    assert highest <= start


def test_restitution_of_a_pair_replaces_that_of_its_bodies() -> None:
    scene = sg.Scene()
    scene.add_ground(restitution=1.0)
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), mass=0.2, name="box", position=(0, 0, 0.06), velocity=(0, 0, -1))
    scene.set_contact("box", "ground", restitution=0.0)
    sim = sg.Simulation(scene, dt=1e-3)
    for _ in range(30):
        sim.step()
    assert abs(sim.bodies["box"].velocity[2]) < 1e-3


def test_two_bodies_part_by_newtons_law() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    box = sg.shapes.box(0.1, 0.1, 0.1)
    scene.add_rigid(box, mass=0.2, name="left", position=(-0.1, 0, 0), velocity=(1, 0, 0), restitution=0.6)
    scene.add_rigid(box, mass=0.3, name="right", position=(0.1, 0, 0))
    sim = sg.Simulation(scene, dt=4e-3)
    for _ in range(40):
        sim.step()
    left, right = (sim.bodies[name].velocity for name in ("left", "right"))
    assert 0.2 * left[0] + 0.3 * right[0] == pytest.approx(0.2, rel=1e-6)
    assert right[0] - left[0] == pytest.approx(0.6, rel=1e-3)

"""Steps that used to gain energy from nothing, and were accepted in silence."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.studies.absurd_scenes import ball_in_a_sheet, cloth_on_a_box, needle


@pytest.mark.parametrize(
    ("build", "dt", "steps"),
    [(ball_in_a_sheet, 0.004, 25), (ball_in_a_sheet, 0.033, 8), (cloth_on_a_box, 0.1, 12), (needle, 0.01, 30)],
)
def test_energy_does_not_grow(build, dt: float, steps: int) -> None:
    sim = sg.Simulation(build(), dt=dt)
    start = next(sim.run(seconds=dt)).report
    reports = [sim.step() for _ in range(steps)]
    energy = np.array([start.total_energy, *(r.total_energy for r in reports)])
    scale = start.kinetic_energy + np.ptp([start.potential_energy, *(r.potential_energy for r in reports)])
    assert (energy - np.minimum.accumulate(energy)).max() < 0.01 * scale
    assert sum(r.energy_surplus - r.energy_removed for r in reports) < 0.01 * scale


def test_the_free_rotation_of_a_needle_keeps_its_energy_and_momentum() -> None:
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_rigid(
        sg.shapes.box(0.4, 0.004, 0.003), density=7800, rotation=(0.2, 0.3, 0), angular_velocity=(3, 50, 20)
    )
    sim = sg.Simulation(scene, dt=0.01)
    first = next(sim.run(seconds=1.0)).report.kinetic_energy
    assert [sim.step() for _ in range(50)][-1].kinetic_energy == pytest.approx(first, rel=1e-6)

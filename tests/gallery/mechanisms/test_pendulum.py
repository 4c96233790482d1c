"""`pendulum`: a bar on a pin with play swings with the period of a compound pendulum."""

from __future__ import annotations

import numpy as np
import pytest

from reference.energy_audit import EnergyAudit
from signorini.gallery.mechanisms.pendulum import AMPLITUDE, SCENE, period
from support.mechanisms import measured, simulation, surplus


def swing(seconds):
    """Times at which the bar passes the vertical [s], and the reports."""
    sim = simulation(SCENE)
    bar = sim.bodies["bar"]
    rows, reports = measured(sim, seconds, lambda: float(bar.rotation[1]))
    time, angle = rows.T
    k = np.flatnonzero(angle[:-1] * angle[1:] < 0.0)
    return time[k] + sim.dt * angle[k] / (angle[k] - angle[k + 1]), reports


def energy_of_the_swing(report):
    """Potential energy [J] at the turning points above the lowest point: half the sum that is exchanged."""
    return -report.potential_energy * (1.0 - np.cos(AMPLITUDE))


def test_first_quarter_of_a_swing():
    (passed,), reports = swing(0.3 * period())
    assert passed == pytest.approx(0.25 * period(), rel=0.015)
    assert surplus(reports) < 0.001 * energy_of_the_swing(reports[0])


def test_nothing_is_taken_from_a_swing():
    """Where velocities are half a step before the heights, energy seems to grow in every upswing. The account of growth filled up
    with that, and soon what seemed too much was removed: 5 % of the energy in 4 s."""
    sim = simulation(SCENE)
    audit = EnergyAudit(sim)
    for _ in range(round(0.5 * period() / sim.dt)):
        report = sim.step()
        audit.after_step()
        assert report.energy_removed == 0.0
    assert max(map(abs, audit.errors)) < 1e-4 * audit.scale


@pytest.mark.slow
def test_period_of_five_swings():
    passed, reports = swing(5.3 * period())
    assert np.diff(passed[::2]) == pytest.approx(period(), rel=0.01)
    assert surplus(reports) < 0.01 * energy_of_the_swing(reports[0])


def test_options_reach_the_bodies():
    scene = SCENE.build(friction=0.77, resolution=16)
    assert {b.friction for b in scene.bodies.values()} == {0.77}
    assert len(scene.bodies["bar"].mesh.vertices) < len(SCENE.build().bodies["bar"].mesh.vertices)

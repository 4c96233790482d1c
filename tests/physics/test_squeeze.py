"""Layers between closing plates: they share the room that is left, in steps that are solved and take bounded work."""

from __future__ import annotations

from contextlib import suppress
from time import process_time

import numpy as np
import pytest

import signorini as sg
from signorini.studies.absurd_scenes import (
    ball_on_a_stiff_cube,
    kicking_dancer,
    momentum,
    squeezed_sheets,
    wedge_on_a_cube,
)

LONGEST = 30.0
"""CPU time of a step that is a practical hang [s]; on a machine that is not busy the longest takes 3."""
STRONGEST_LEVERAGE = 20.0
"""Speed over that of a script that its push explains: that of a wedge of 3 degrees (decision 0013)."""


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_three_sheets_share_the_room_between_closing_plates(friction: float) -> None:
    """One step took 36 s, the next 132 s; without friction sheets left at up to 139 m/s."""
    sim = sg.Simulation(squeezed_sheets(friction, cells=5), dt=8e-3, settings=sg.Settings(contact_distance=0.022))
    reports = [sim.step() for _ in range(46)]
    assert any(r.shared_solves for r in reports)
    assert all(r.solves == r.solves_converged and not r.failsafe_substeps and not r.over_budget for r in reports)
    assert max(r.max_speed for r in reports) < 2.0
    assert sim.intersections() == 0
    distances = np.array([r.min_distance for r in reports])
    assert 0.0 < distances[-1] < 0.8 * distances[30]


def test_a_stiff_soft_cube_keeps_the_momentum_of_what_hits_it() -> None:
    """77 % of it vanished: errors of the impulses were judged by the stiffness, which no rigid motion feels."""
    sim = sg.Simulation(ball_on_a_stiff_cube(), dt=4e-3)
    start = momentum(sim)
    reports = [sim.step() for _ in range(3)]
    assert any(r.active_count for r in reports)
    np.testing.assert_allclose(momentum(sim) / start[0], [1.0, 0.0, 0.0], atol=1e-3)


@pytest.mark.parametrize("dt", [4e-3, 2e-2])
def test_a_wedge_does_not_shoot_a_cube_away(dt: float) -> None:
    """It left at 118 and 684 m/s, "explained" by the work of a script of 0.17 m/s."""
    speed, fastest = 0.17, 0.0
    sim = sg.Simulation(wedge_on_a_cube(speed), dt=dt)
    with suppress(sg.SimulationStoppedError):  # the wedge stands on the cube at last: that is a pinch
        while sim.time < 0.3:
            fastest = max(fastest, sim.step().max_speed)
    assert sim.time > 0.015  # the wedge has met the cube, or the cube the ground
    assert fastest < 1.1 * STRONGEST_LEVERAGE * speed
    assert sim.intersections() == 0


def test_the_skirt_of_a_kicking_dancer_is_pinched_within_the_budget_of_a_step() -> None:
    """A step took 138 CPU s, and later still 11: examinations and the sharing of room cost eight times what was counted."""
    sim, reports = sg.Simulation(kicking_dancer(), dt=10e-3), []
    with suppress(sg.SimulationStoppedError):  # which leaves what is pinched no room
        reports += [sim.step() for _ in range(27)]
        for _ in range(3):
            start = process_time()
            reports.append(sim.step())
            assert process_time() - start < LONGEST, "a practical hang"
    assert len(reports) >= 28
    assert any(r.solves_converged < r.solves for r in reports), "nothing is pinched"
    assert max(r.budget_used for r in reports) <= 1.0
    assert sim.intersections() == 0

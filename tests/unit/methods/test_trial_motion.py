"""Trial motions: place, find impacts, finish, and what the parameters change."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.collision.separation import Separation
from signorini.methods.trial_motion import TrialMotion
from signorini.model.rigid_bodies import FreeSpin

DT = 0.01


def two_sheets(*, gap: float = 0.1) -> sg.Simulation:
    """A pinned sheet that rises, above a free one."""
    scene = sg.Scene(gravity=(0, 0, 0))
    mesh = sg.shapes.grid(0.2, 0.2, cells=2)
    scene.add_cloth(mesh, position=(0, 0, 0), name="low")
    top = scene.add_cloth(mesh, position=(0.013, 0.007, gap), name="high")
    top.pin([0], motion=sg.motions.Translate(velocity=(0, 0, 2.0)))
    return sg.Simulation(scene, dt=DT)


def approach(sim: sg.Simulation, left: float, gap: float) -> np.ndarray:
    """Velocities that bring the low sheet to `left` [m] below the high one in DT."""
    v = np.zeros_like(sim.state.v)
    v[sim._world.model.bodies["low"].nodes, 2] = (gap - left) / DT
    return v


def test_pins_arrive_whatever_the_velocity_is() -> None:
    sim = two_sheets()
    trial = TrialMotion(sim._world, sim._moment, DT)
    v = trial.prescribed(np.full_like(sim.state.v, 5.0))
    pinned, targets = trial.pins
    assert len(pinned) == 1
    np.testing.assert_allclose(trial.place(v).q[pinned], targets, atol=1e-15)
    assert trial.movable.sum() == len(v) - 1
    others = np.flatnonzero(trial.movable)
    np.testing.assert_array_equal(v[others], 5.0)


@pytest.mark.parametrize("separation", [None, 1e-4, 5e-3])
def test_impacts_are_pairs_that_come_closer_than_the_separation(separation: float | None) -> None:
    sim = two_sheets()
    given = None if separation is None else Separation.uniform(sim._world.model.surface, separation)
    trial = TrialMotion(sim._world, sim._moment, DT, separation=given)
    limit = sim.contact_distance / 3.0 if separation is None else separation
    for left, expected in ((0.98 * limit, True), (1.02 * limit, False)):
        placed = trial.place(approach(sim, left, 0.1))
        assert bool(len(trial.find_impacts(placed).contacts)) is expected


def test_tracked_pairs_are_kept_and_searched_ahead_and_others_are_those_of_the_motion() -> None:
    sim = two_sheets(gap=0.3)
    tracked, exact = (TrialMotion(sim._world, sim._moment, DT, track_pairs=track) for track in (True, False))
    placed = tracked.place(approach(sim, 0.2, 0.3))  # a third of the gap: met four steps ahead
    for trial in (tracked, exact):
        assert not len(trial.find_impacts(placed).contacts)
    alone = len(exact.candidates)  # pairs within one sheet
    assert len(tracked.candidates) > alone
    before = tracked.candidates
    tracked.find_impacts(placed)
    assert tracked.candidates is before
    exact.find_impacts(tracked.place(approach(sim, -0.1, 0.3)))
    assert len(exact.candidates) > alone


def test_the_free_rotation_is_added_in_part_or_not_at_all() -> None:
    """A box of three different sides that spins about none of its axes: its ω changes in a step."""
    scene = sg.Scene(gravity=(0, 0, 0))
    scene.add_rigid(sg.shapes.box(0.1, 0.2, 0.3), density=1e3, angular_velocity=(20.0, 3.0, 10.0), name="box")
    sim = sg.Simulation(scene, dt=DT)
    rigids, world, start = sim._world.model.rigids, sim._world, sim._moment
    trial = TrialMotion(world, start, DT)
    assert np.abs(trial.spin.drift).max() > 0.1
    w = sim.state.v
    still = FreeSpin(trial.spin.momentum, trial.spin.inertia, np.zeros((1, 3)))
    plain = TrialMotion(world, start, DT, spin=still).place(w).rotations
    np.testing.assert_array_equal(trial.place(w, spin_part=0.0).rotations, plain)
    shifted = w.copy()
    shifted[rigids.spins] += 0.25 * trial.spin.drift
    by_hand = TrialMotion(world, start, DT, spin=still).place(shifted).rotations
    np.testing.assert_allclose(trial.place(w, spin_part=0.25).rotations, by_hand, atol=1e-15)
    assert np.abs(trial.place(w).rotations - plain).max() > 1e-3


def test_the_moment_at_the_end_has_near_pairs_velocities_and_memory() -> None:
    sim = two_sheets()
    trial = TrialMotion(sim._world, sim._moment, DT)
    v = approach(sim, 2.0 / 3.0 * sim.contact_distance, 0.1)
    placed = trial.place(v)
    assert not len(trial.find_impacts(placed).contacts)
    end = trial.finish(placed, v, memory="kept")
    assert (end.state.time, end.memory) == (DT, "kept")
    np.testing.assert_array_equal(end.state.q, placed.q)
    np.testing.assert_array_equal(end.state.v, v)
    assert 0.0 < end.near.min_distance < sim.contact_distance
    np.testing.assert_allclose(trial.surface_velocity(end.surface_positions)[0], [0, 0, v[0, 2]], atol=1e-12)

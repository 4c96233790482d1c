"""The same scene gives the same bits, also across a checkpoint."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES

VARIANTS = {
    "falling-cloth": {"resolution": 14},
    "drape": {"resolution": 14},
    "layers": {"resolution": 8},
}
STEPS = 110


def make(name):
    return sg.Simulation(SCENES[name].build(**VARIANTS[name]), dt=SCENES[name].dt)


def same_bits(a, b):
    assert a.time == b.time
    assert a.step_index == b.step_index
    assert a.state.q.tobytes() == b.state.q.tobytes()
    assert a.state.v.tobytes() == b.state.v.tobytes()
    assert a.min_distance == b.min_distance


def numbers(report):
    """Everything in a report that is not a wall-clock time."""
    return {name: getattr(report, name) for name in report.__slots__ if name != "phase_seconds"}


@pytest.mark.parametrize("name", VARIANTS)
def test_two_runs_and_a_continued_one_are_bit_identical(name):
    """Positions, velocities and reports are equal in every bit after the same number of steps; a third simulation that
    starts from a checkpoint in the middle, taken through an .npz file's types, arrives at the same bits.
    """
    one, two = make(name), make(name)
    saved = None
    for k in range(STEPS):
        assert numbers(one.step()) == numbers(two.step())
        if k == STEPS - 40:
            saved = {key: np.array(value) for key, value in one.checkpoint().items()}
    same_bits(one, two)
    assert max(two.contact_problem().contact_count, 0) > 10, "contacts must take part"
    fresh = make(name)
    fresh.restore(saved)
    for _ in range(STEPS - fresh.step_index):
        last = fresh.step()
    same_bits(one, fresh)
    assert one.contact_force(next(iter(one.bodies))).tobytes() == fresh.contact_force(next(iter(one.bodies))).tobytes()
    assert last.index == STEPS


def test_a_checkpoint_is_a_copy():
    """Stepping on does not change what was saved, and restoring in place goes back."""
    sim = make("falling-cloth")
    for _ in range(5):
        sim.step()
    saved = sim.checkpoint()
    q = saved["q"].copy()
    for _ in range(5):
        sim.step()
    after = sim.state.q.copy()
    assert np.array_equal(saved["q"], q)
    sim.restore(saved)
    assert sim.step_index == 5
    for _ in range(5):
        sim.step()
    assert sim.state.q.tobytes() == after.tobytes()


def test_a_checkpoint_of_another_scene_is_refused():
    with pytest.raises(sg.InputError, match="have shape"):
        make("falling-cloth").restore(make("layers").checkpoint())

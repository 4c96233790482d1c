"""Fail-safe steps of free bodies keep the momentum that the attempt before them had shared out."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.methods import cmr, substeps

PAIR = np.array([[0, 1]])


@pytest.fixture
def boxes() -> sg.Simulation:
    """Two equal boxes far apart without gravity; the first moves."""
    scene = sg.Scene(gravity=(0, 0, 0))
    cube = sg.shapes.box(0.1, 0.1, 0.1)
    scene.add_rigid(cube, density=1000, velocity=(1.0, 0.0, 0.0), name="moves")
    scene.add_rigid(cube, density=1000, position=(5.0, 0.0, 0.0), name="rests")
    return sg.Simulation(scene, dt=0.01, settings=sg.Settings(sleep=False))


@pytest.mark.parametrize("given", [0.5, 1.0])
def test_what_one_body_gave_to_another_is_no_growth(boxes, monkeypatch, given):
    """Attempts end unaccepted with a velocity in which the first box gave its momentum to the second one.

    Each box by itself gained or lost energy; together they did not gain. The second one was stopped, and its momentum lost, when
    every box had a balance of its own.
    """

    def attempt(world, start, end_time, tally, **_):
        v = start.state.v.copy()
        centers = world.model.rigids.nodes
        change = given * v[centers[0]]
        v[centers[0]] -= change
        v[centers[1]] += change
        return cmr.Attempt(None, None, v, PAIR)

    monkeypatch.setattr(substeps, "attempt_step", attempt)
    mass = boxes._world.model.mass
    before = mass @ boxes.state.v
    report = boxes.step()
    assert report.failsafe_substeps
    np.testing.assert_allclose(mass @ boxes.state.v, before, rtol=1e-12)
    assert report.energy_surplus == pytest.approx(0.0, abs=1e-12)
    assert boxes.bodies["rests"].velocity[0] > 0.1

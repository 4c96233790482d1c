"""`gears`: the driven gear turns half as fast as the driving one, and never leads or lags more than the play allows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.gallery.mechanisms.gears import DRIVEN_TEETH, DRIVING_TEETH, SCENE, SPEED, driven_angle, freedom
from support.mechanisms import measured, simulation


def turned(seconds):
    """(n, 2) times [s] and the angle of the driven gear about +y, not wrapped [rad]."""
    sim = simulation(SCENE)
    gear = sim.bodies["driven"]
    rows, _ = measured(sim, seconds, lambda: float(gear.rotation[1]))
    return np.column_stack([rows[:, 0], np.unwrap(rows[:, 1], period=2.0 * math.pi)])


def test_the_driven_gear_follows():
    rows = turned(0.12)
    lag = [angle - driven_angle(time) for time, angle in rows]
    assert np.abs(lag).max() < freedom()
    assert rows[-1, 1] > 0.01


@pytest.mark.slow
def test_ratio_of_the_turns():
    rows = turned(SCENE.seconds)
    assert np.abs([angle - driven_angle(time) for time, angle in rows]).max() < freedom()
    last = rows[rows[:, 0] > 1.0]
    rate = (last[-1, 1] - last[0, 1]) / (last[-1, 0] - last[0, 0])
    assert rate == pytest.approx(SPEED * DRIVING_TEETH / DRIVEN_TEETH, rel=0.01)


def test_options_reach_the_bodies():
    scene = SCENE.build(friction=0.77, resolution=3)
    assert {b.friction for b in scene.bodies.values()} == {0.77}
    assert len(scene.bodies["driven"].mesh.vertices) < len(SCENE.build().bodies["driven"].mesh.vertices)

"""`rolling`: the less of its mass a body has at its rim, the sooner it arrives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.gallery.mechanisms.rolling import RADIUS, SCENE, SLOPE, WALL, accelerations
from support.mechanisms import measured, simulation, surplus

DOWN = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])


def race(seconds):
    """Speeds down the slope [m/s] at the end, in the order of theory, and the reports."""
    sim = simulation(SCENE)
    _, reports = measured(sim, seconds, lambda: 0.0)
    return {name: float(sim.bodies[name].velocity @ DOWN) for name in accelerations()}, reports


def test_theory_knows_the_shapes():
    """5/7, 2/3, about 3/5 and about 1/2 of g sin α."""
    full = 9.81 * math.sin(SLOPE)
    found = [a / full for a in accelerations().values()]
    hollow = 1.0 - WALL / RADIUS
    tube = 1.0 / (1.5 + 0.5 * hollow**2)
    assert found == pytest.approx([5 / 7, 2 / 3, 0.6, tube], rel=0.02)


def test_the_order_of_speeds():
    speeds, _ = race(0.08)
    assert list(speeds.values()) == sorted(speeds.values(), reverse=True)


@pytest.mark.slow
def test_accelerations():
    speeds, reports = race(SCENE.seconds)
    for name, acceleration in accelerations().items():
        assert speeds[name] == pytest.approx(acceleration * SCENE.seconds, rel=0.01), name
    gained = reports[0].total_energy - reports[-1].potential_energy
    assert surplus(reports) < 0.01 * gained

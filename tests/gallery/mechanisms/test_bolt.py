"""`bolt`: it sinks by one lead in a turn, with the acceleration of a weight that also has to spin."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signorini.gallery.mechanisms.bolt import LEAD, PLAY, SCENE, TRAVEL, sinking_acceleration
from support.mechanisms import measured, simulation, surplus


def test_sinking_and_turning_are_coupled():
    """After the play is used up, every turn is a lead."""
    sim = simulation(SCENE)
    bolt = sim.bodies["bolt"]
    rows, reports = measured(sim, 0.04, lambda: float(bolt.angular_velocity[2]))
    start, end = rows[15], rows[-1]
    rate = (end[1] - start[1]) / (end[0] - start[0]) * LEAD / (2.0 * math.pi)
    assert -rate == pytest.approx(sinking_acceleration(), rel=0.05)
    weight = 9.81 * sim.scene.bodies["bolt"].mass
    assert surplus(reports) < 0.01 * weight * TRAVEL


def test_faces_that_were_left_do_not_brake_it():
    """From 0.1 s on the thread turns by more than a facet in two steps. Contacts that near corners keep with the planes of faces
    which they leave held it then: 28 rad/s instead of 47 after 0.15 s, and half of its energy was lost."""
    sim = simulation(SCENE)
    reports = [sim.step() for _ in range(150)]
    rate = sinking_acceleration() * sim.time * 2.0 * math.pi / LEAD
    assert -sim.bodies["bolt"].angular_velocity[2] == pytest.approx(rate, rel=0.03)
    weight = 9.81 * sim.scene.bodies["bolt"].mass
    sunk = sim.scene.bodies["bolt"].positions[:, 2].mean() - sim.bodies["bolt"].positions[:, 2].mean()
    first = weight * 2.0 * PLAY
    assert sum(r.other_loss for r in reports) < first + 0.01 * weight * sunk


@pytest.mark.slow
def test_lead_of_a_turn():
    sim = simulation(SCENE)
    bolt = sim.bodies["bolt"]
    heights = []
    rows, reports = measured(sim, 0.28, lambda: heights.append(float(bolt.center[2])) or float(bolt.rotation[2]))
    turns = np.unwrap(rows[:, 1], period=2.0 * math.pi) / (2.0 * math.pi)
    away = heights - LEAD * turns
    assert np.ptp(away[20:]) < 2.0 * PLAY
    late = turns < -0.3
    lead = np.polyfit(turns[late], np.array(heights)[late], 1)[0]
    assert lead == pytest.approx(LEAD, rel=0.01)
    assert turns[-1] < -1.5
    slope = np.polyfit(rows[20:, 0], np.gradient(turns[20:], sim.dt), 1)[0]
    assert -slope * LEAD == pytest.approx(sinking_acceleration(), rel=0.05)
    weight = 9.81 * sim.scene.bodies["bolt"].mass
    assert surplus(reports) < 0.01 * weight * TRAVEL


def test_too_much_friction_holds_it():
    assert sinking_acceleration(friction=0.25) == 0.0
    sim = simulation(SCENE, friction=0.25)
    measured(sim, 0.025, lambda: 0.0)
    assert abs(sim.bodies["bolt"].angular_velocity[2]) < 0.05


def test_resolution_is_taken():
    assert len(SCENE.build(resolution=24).bodies["bolt"].mesh.vertices) < len(
        SCENE.build().bodies["bolt"].mesh.vertices
    )

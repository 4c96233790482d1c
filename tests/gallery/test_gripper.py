"""`gripper`: two fingers on sliders with a limit on their force close on a soft ball, hold it with that force and lift it."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery.gripper import CLOSED, FORCE, LIFT, LIFTED, SCENE
from support.scene_runs import run


def test_ball_is_gripped_with_the_limit_and_lifted() -> None:
    """Before the lift each finger presses with its limit within 1 %, measured by contacts; afterwards the ball is up."""
    sim = sg.Simulation(SCENE.build(resolution=2), dt=8e-3)
    start = sim.bodies["ball"].node_positions.mean(axis=0)
    run(sim, round(CLOSED / sim.dt) - 2)
    pushes = [sim.contact_force(f"{name} finger")[0] for name in ("right", "left")]
    np.testing.assert_allclose(pushes, (FORCE, -FORCE), rtol=0.01)
    np.testing.assert_allclose([sim.joints[name].drive_force for name in ("right", "left")], FORCE, rtol=1e-6)
    run(sim, round((LIFTED + 0.1 - sim.time) / sim.dt))
    moved = sim.bodies["ball"].node_positions.mean(axis=0) - start
    assert moved[2] == pytest.approx(LIFT, abs=5e-3)
    assert np.abs(moved[:2]).max() < 5e-3
    assert sim.contact_force("ground") == pytest.approx((0, 0, 0), abs=1e-12)
    assert max(joint.error for joint in sim.joints.values()) < 1e-12


def test_starts_free_of_intersection_and_takes_its_options() -> None:
    scene = SCENE.build()
    assert sg.Simulation(scene, dt=SCENE.dt).intersections() == 0
    assert scene.name == SCENE.name
    plain, changed = SCENE.build(resolution=2), SCENE.build(resolution=2, friction=0.77, stiffness=2.0)
    assert {body.friction for body in changed.bodies.values()} == {0.77}
    assert changed.bodies["ball"].material == plain.bodies["ball"].material.scaled(2.0)

"""The gripper closes on the ball with the force of its limit, and lifts it."""

from __future__ import annotations

import numpy as np
import pytest

import signorini as sg
from signorini.gallery import SCENES
from signorini.gallery.gripper import FORCE, LIFTED
from support.scene_runs import run


def test_the_ball_is_lifted_by_fingers_that_push_with_their_limit():
    sim = sg.Simulation(SCENES["gripper"].build(resolution=2), dt=8e-3)
    palm, ball = sim.bodies["palm"], sim.bodies["ball"]
    grasp = palm.positions[:, 2].mean() - ball.positions[:, 2].mean()
    run(sim, round(0.8 * LIFTED / sim.dt))
    risen = palm.positions[:, 2].mean() - ball.positions[:, 2].mean()
    assert ball.positions[:, 2].min() > 0.03
    assert risen == pytest.approx(grasp, abs=0.01), "it must not slip out of the fingers"
    for name in ("right finger", "left finger"):
        pushed = sum(
            c.normal_force * abs(c.normal[0]) for c in sim.contacts() if {c.body_a, c.body_b} == {name, "ball"}
        )
        assert pushed == pytest.approx(FORCE, rel=0.05)
    assert np.isfinite(sim.state.v).all()

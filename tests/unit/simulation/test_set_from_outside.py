"""Poses and checkpoints that come from outside: each is checked before it becomes the state of a simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import signorini as sg


def simulation() -> sg.Simulation:
    scene = sg.Scene()
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1e3, name="box")
    sim = sg.Simulation(scene, dt=4e-3)
    sim.step()
    sim.step()
    return sim


def far_pose() -> np.ndarray:
    pose = np.eye(4)
    pose[0, 3] = 1e300
    return pose


POSES: dict[str, Any] = {
    "text": "here",
    "ragged": [[1.0, 2.0], [3.0]],
    "complex": np.eye(4) + 0j,
    "object": object(),
    "far away": far_pose(),
}


@pytest.mark.parametrize("wrong", POSES)
def test_a_pose_that_is_none_is_refused_and_changes_nothing(wrong: str) -> None:
    sim = simulation()
    before = sim.bodies["box"].pose
    with pytest.raises(sg.InputError, match="pose of 'box'"):
        sim.bodies["box"].pose = POSES[wrong]
    assert np.array_equal(sim.bodies["box"].pose, before)


CHANGES: dict[str, Callable[[dict[str, np.ndarray]], dict[str, Any]]] = {
    "negative step": lambda c: {"step_index": np.array(-5)},
    "negative time": lambda c: {"time": np.array(-0.008)},
    "half a step": lambda c: {"step_index": np.array(2.5)},
    "another step": lambda c: {"step_index": np.array(10**15)},
    "several steps": lambda c: {"step_index": np.array([2, 3])},
    "another time": lambda c: {"time": np.array(1.0)},
    "no orientation": lambda c: {"rotations": 0.0 * c["rotations"]},
    "scaled orientation": lambda c: {"rotations": 3.0 * c["rotations"]},
    "far away": lambda c: {"q": c["q"] + 1e200},
    "ragged": lambda c: {"q": [[1.0, 2.0], [3.0]]},
}


@pytest.mark.parametrize("wrong", CHANGES)
def test_a_checkpoint_that_no_simulation_made_is_refused_and_changes_nothing(wrong: str) -> None:
    sim = simulation()
    saved = sim.checkpoint()
    with pytest.raises(sg.InputError, match="checkpoint"):
        sim.restore({**saved, **CHANGES[wrong](saved)})
    after = sim.checkpoint()
    assert all(np.array_equal(saved[name], after[name]) for name in saved)
    sim.restore(saved)
    assert sim.step().index == 3

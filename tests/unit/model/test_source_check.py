"""A scene is plain data: what was written to it after its calls is checked when a simulation is made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import signorini as sg


def scene() -> Any:
    scene: Any = sg.Scene()
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=2), position=(0.0, 0.0, 1.0), name="sheet")
    scene.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1e3, position=(0.0, 0.0, 2.0), name="block")
    scene.add_kinematic(sg.shapes.box(0.1, 0.1, 0.1), name="table")
    scene.add_ground(height=-1.0, name="floor")
    return scene


def put(body: str, name: str, value: Any) -> Callable[[Any], None]:
    return lambda s: setattr(s.bodies[body], name, value)


WRITES: dict[str, tuple[Callable[[Any], None], str]] = {
    "gravity is text": (lambda s: setattr(s, "gravity", "down"), "gravity"),
    "gravity is nan": (lambda s: setattr(s, "gravity", (0.0, 0.0, np.nan)), "gravity"),
    "gravity filled with nan": (lambda s: s.gravity.fill(np.nan), "gravity"),
    "drag": (lambda s: setattr(s, "air_drag", np.nan), "air_drag"),
    "a corner of the obstacle": (lambda s: s.bodies["table"].positions[0].fill(np.nan), "positions of 'table'"),
    "an obstacle far away": (lambda s: s.bodies["table"].positions.fill(1e300), "positions of 'table'"),
    "too few corners": (put("table", "positions", np.zeros((3, 3))), "positions of 'table'"),
    "a vertex of the sheet": (lambda s: s.bodies["sheet"].positions[0].fill(np.nan), "positions of 'sheet'"),
    "velocities of the sheet": (lambda s: s.bodies["sheet"].velocities[0].fill(np.inf), "velocities of 'sheet'"),
    "velocity of the block": (lambda s: s.bodies["block"].velocity.fill(np.nan), "velocities of 'block'"),
    "friction": (put("sheet", "friction", np.nan), "friction of 'sheet'"),
    "negative friction": (put("block", "friction", -1.0), "friction of 'block'"),
    "height": (put("floor", "height", np.nan), "height of 'floor'"),
    "normal": (lambda s: s.bodies["floor"].normal.fill(0.0), "normal of 'floor'"),
}


@pytest.mark.parametrize("what", WRITES)
def test_a_scene_that_was_made_nonsense_is_refused(what: str) -> None:
    write, match = WRITES[what]
    changed = scene()
    with pytest.raises(sg.InputError, match=match):  # when it is set, or when it is simulated
        write(changed)
        sg.Simulation(changed)


def test_a_scene_as_it_was_made_is_accepted() -> None:
    assert sg.Simulation(scene()).step().status is sg.StepStatus.ACCEPTED

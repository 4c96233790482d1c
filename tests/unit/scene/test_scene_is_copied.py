"""A running simulation has arrays of its own: what is written to the scene's afterwards changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import signorini as sg

FRAMES = np.stack([sg.shapes.box(0.1, 0.1, 0.1).vertices + np.array([1.0, 0.0, 0.0])] * 2)


def scene() -> sg.Scene:
    s = sg.Scene()
    sheet = s.add_cloth(sg.shapes.grid(0.3, 0.3, cells=2), position=(0.0, 0.0, 0.2), name="sheet")
    sheet.pin([0])
    s.add_rigid(sg.shapes.box(0.1, 0.1, 0.1), density=1e3, position=(0.5, 0.0, 0.2), name="block")
    s.add_kinematic(sg.shapes.box(0.1, 0.1, 0.1), name="still")
    s.add_kinematic(
        sg.shapes.box(0.1, 0.1, 0.1), motion=sg.motions.Frames(times=[0.0, 1.0], frames=FRAMES), name="moved"
    )
    s.attach("sheet", [8], to="still")
    s.add_ground(height=-0.2, name="floor")
    return s


WRITES: dict[str, Callable[[sg.Scene], object]] = {
    "gravity": lambda s: s.gravity.fill(100.0),
    "kinematic": lambda s: s.bodies["still"].positions.__iadd__(0.3),
    "cloth": lambda s: s.bodies["sheet"].positions.fill(7.0),
    "velocities": lambda s: s.bodies["sheet"].velocities.fill(7.0),
    "rigid": lambda s: s.bodies["block"].velocity.fill(7.0),
    "normal": lambda s: s.bodies["floor"].normal.fill(7.0),
    "frames": lambda s: FRAMES.__iadd__(0.1),
    "centre": lambda s: s.bodies["block"].properties.centre.__iadd__(0.1),
    "attachment": lambda s: s.attachments[0].vertices.fill(2),
    "pin": lambda s: s.bodies["sheet"].pins[0].vertices.fill(2),
}


def positions(sim: sg.Simulation) -> dict[str, np.ndarray]:
    sim.step()
    poses = {name: body.positions for name, body in sim.bodies.items()}
    return poses | {"pose": sim.bodies["block"].pose}


@pytest.mark.parametrize("what", WRITES)
def test_writing_to_the_scene_changes_no_simulation(what: str) -> None:
    wanted = positions(sg.Simulation(scene(), dt=4e-3))
    changed = scene()
    sim = sg.Simulation(changed, dt=4e-3)
    try:
        WRITES[what](changed)
    except ValueError as error:
        assert "read-only" in str(error)  # as good as a copy
    found = positions(sim)
    assert all(np.array_equal(found[name], wanted[name]) for name in wanted)

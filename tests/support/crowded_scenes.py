"""Scenes without room: bodies thrown at each other, and a sheet between plates that close."""

from __future__ import annotations

from typing import Any

import signorini as sg


def thrown_together() -> sg.Scene:
    """A spinning rigid box, a soft one and a sheet that fly at each other above the ground."""
    scene = sg.Scene(friction=0.3)
    scene.add_ground()
    box = sg.shapes.box(0.15, 0.1, 0.06, cells=2)
    scene.add_rigid(box, density=300.0, position=(0, 0, 0.06), angular_velocity=(3, 9, 2), velocity=(0, 0, 5))
    tets = sg.shapes.box_tets(0.15, 0.1, 0.06, cells=2)
    scene.add_soft_solid(tets, material="foam", position=(0.02, 0, 0.16), velocity=(0, 0, -5))
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=6), position=(0, 0, 0.22), velocity=(0, 0, -5))
    return scene


def pinched_sheet(*, cells: int = 8, **cloth: Any) -> sg.Scene:
    """Two boxes of 0.2 m close on a sheet of 0.3 m between them at 1 m/s each and would meet at 20 ms."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.3, 0.3, cells=cells), name="sheet", **cloth)
    for name, side in (("hammer", 1.0), ("anvil", -1.0)):
        scene.add_kinematic(
            sg.shapes.box(0.2, 0.2, 0.1, cells=(2, 2, 1)),
            position=(0.0, 0.0, 0.07 * side),
            motion=sg.motions.Translate(velocity=(0.0, 0.0, -1.0 * side)),
            name=name,
        )
    return scene


def pinched_in_one_step() -> sg.Simulation:
    """Two plates that meet within one step of 2 ms, with a sheet between them."""
    scene = sg.Scene(gravity=(0.0, 0.0, 0.0))
    scene.add_cloth(sg.shapes.grid(0.2, 0.2, cells=4), name="sheet")
    for side in (1.0, -1.0):
        motion = sg.motions.Translate(velocity=(0.0, 0.0, -12.0 * side))
        scene.add_kinematic(sg.shapes.box(0.3, 0.3, 0.1, cells=2), position=(0, 0, 0.07 * side), motion=motion)
    return sg.Simulation(scene, dt=2e-3)

"""A cloth falls over a sphere, which then turns and drags it along."""

from __future__ import annotations

import math

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

RADIUS = 0.25
"""Radius of the sphere [m]."""
CENTER = (0.0, 0.0, 0.45)
"""Centre of the sphere [m]."""


def build(*, friction: float = 0.5, stiffness: float = 1.0, resolution: int = 50, material: str = "cotton") -> Scene:
    """A sheet of 1 m × 1 m over a sphere of 0.25 m radius that turns by half a turn from 1.5 s to 3 s.

    `material` is a preset, such as cotton or silk.
    """
    scene = Scene(friction=friction, air_drag=2.0, name="drape")
    scene.add_cloth(
        shapes.grid(1.0, 1.0, cells=resolution - 1),
        area_density=0.2,
        material=cloth_material(material).scaled(stiffness),
        position=(0.0, 0.0, CENTER[2] + RADIUS + 0.02),
        name="sheet",
    )
    turn = motions.Rotate(rate=math.pi / 1.5, center=CENTER, start=1.5, stop=3.0)
    scene.add_kinematic(shapes.sphere(RADIUS, edge=0.04), position=CENTER, motion=turn, name="sphere")
    scene.add_ground()
    return scene


SCENE = GalleryScene(
    name="drape",
    title="A cloth falls over a sphere, which then turns and drags it along",
    build=build,
    dt=4e-3,
    seconds=4.0,
)

"""A curtain, pinned along its top, is hit by a moving sphere."""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

SIDE = 1.0
"""Side of the curtain [m]."""
RADIUS = 0.12
"""Radius of the sphere [m]."""


def build(*, friction: float = 0.3, stiffness: float = 1.0, resolution: int = 50) -> Scene:
    """A cotton sheet of 1 m × 1 m hung from every fifth vertex of its top; a sphere swings through at 1.5 m/s and back."""
    sheet = shapes.grid(SIDE, SIDE, cells=resolution - 1)
    scene = Scene(friction=friction, air_drag=2.0, name="curtain")
    curtain = scene.add_cloth(
        sheet,
        area_density=0.2,
        material=cloth_material("cotton").scaled(stiffness),
        position=(0.0, 0.0, 0.7),
        rotation=(math.pi / 2.0, 0.0, 0.0),
        name="curtain",
    )
    top = np.flatnonzero(curtain.positions[:, 2] > curtain.positions[:, 2].max() - 1e-9)
    curtain.pin(np.union1d(top[::5], top[-1:]))
    there_and_back = motions.Chain(
        (
            motions.Translate(velocity=(0.0, 1.5, 0.0), start=0.2, stop=0.8),
            motions.Translate(velocity=(0.0, -1.0, 0.0), start=1.2, stop=2.1),
        )
    )
    scene.add_kinematic(
        shapes.sphere(RADIUS, edge=0.03), position=(0.1, -0.4, 0.55), motion=there_and_back, name="sphere"
    )
    scene.add_ground()
    return scene


SCENE = GalleryScene(
    name="curtain",
    title="A curtain, pinned along its top, is hit by a moving sphere",
    build=build,
    dt=4e-3,
    seconds=3.0,
)

"""A sphere is shot through five drapes that hang close to each other.

As in Sifakis2008: the drapes are of springs, the model of the paper.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

DRAPES = 5
WIDTH, LENGTH = 0.8, 0.8
"""Width and length of a drape [m]."""
SPACING = 0.03
"""Distance between the drapes [m]."""
CLEARANCE = 0.3
"""Height of their lower edges above the ground [m]."""
RADIUS = 0.1
"""Radius of the sphere [m]."""
SPEED, START = 6.0, -0.4
"""Speed of the sphere along y [m/s], and its y at the start [m]."""


def build(*, friction: float = 0.2, stiffness: float = 1.0, resolution: int = 31) -> Scene:
    """Five silk drapes of 0.8 m × 0.8 m, resolution² vertices each, pinned along their tops; a sphere of 0.2 m flies through
    the lower half of the row at 6 m/s and on, and they slip off it. The drapes are mass-spring cloth.
    """
    scene = Scene(friction=friction, air_drag=1.0, name="shot-through-drapes")
    for k in range(DRAPES):
        drape = scene.add_cloth(
            shapes.grid(WIDTH, LENGTH, cells=resolution - 1),
            area_density=0.15,
            material=cloth_material("silk", "mass-spring").scaled(stiffness),
            model="mass-spring",
            position=(0.0, (k - 0.5 * (DRAPES - 1)) * SPACING, 0.5 * LENGTH + CLEARANCE),
            rotation=(0.5 * math.pi, 0.0, 0.0),
            name=f"drape-{k + 1}",
        )
        drape.pin(np.flatnonzero(drape.positions[:, 2] > drape.positions[:, 2].max() - 1e-9))
    scene.add_kinematic(
        shapes.sphere(RADIUS, edge=max(0.025, WIDTH / (resolution - 1))),
        position=(0.03, START, CLEARANCE + 0.28 * LENGTH),
        motion=motions.Translate(velocity=(0.0, SPEED, 0.0)),
        name="sphere",
    )
    scene.add_ground()
    return scene


SCENE = GalleryScene(
    name="shot-through-drapes",
    title="A sphere is shot through five drapes",
    build=build,
    dt=1e-3,
    seconds=0.8,
    fps=120.0,
    figure="Sifakis2008 Fig. 2 right",
)

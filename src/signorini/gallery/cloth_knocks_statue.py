"""A flying cloth catches a rigid statue and knocks it over (Otaduy2010 Fig. 5)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.geometry.isosurface import isosurface
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

SIDE = 0.6
"""Side of the cloth [m]."""
SPEED = 3.5
"""Speed of the cloth [m/s]."""
MASS = 1.0
"""Mass of the statue [kg], that of hollow plaster."""
PLINTH = (0.065, 0.065, 0.03)
PLINTH_ROUNDING = 0.015
"""Half extents of the plinth and the radius of its edges [m]."""
LIMBS = (
    ((0.0, -0.035, 0.07), (0.0, -0.028, 0.24), 0.020, 0.027),  # legs
    ((0.0, 0.035, 0.07), (0.0, 0.028, 0.24), 0.020, 0.027),
    ((0.0, -0.022, 0.25), (0.0, 0.022, 0.25), 0.036, 0.036),  # hips
    ((0.0, 0.0, 0.27), (0.0, 0.0, 0.36), 0.038, 0.045),  # trunk
    ((0.0, -0.05, 0.385), (0.0, 0.05, 0.385), 0.026, 0.026),  # shoulders
    ((0.0, 0.0, 0.39), (0.0, 0.0, 0.42), 0.018, 0.018),  # neck
    ((-0.004, 0.0, 0.455), (0.004, 0.0, 0.465), 0.034, 0.036),  # head
    ((0.0, 0.065, 0.385), (0.0, 0.125, 0.43), 0.021, 0.018),  # a raised arm
    ((0.0, 0.125, 0.43), (-0.015, 0.115, 0.53), 0.018, 0.016),
    ((0.0, -0.068, 0.385), (0.0, -0.115, 0.32), 0.021, 0.018),  # a hand on the hip
    ((0.0, -0.115, 0.32), (-0.01, -0.052, 0.265), 0.018, 0.016),
)
"""Limbs of the statue: both ends (x, y, z) [m] and the radii there [m]."""
BLEND = 0.006
"""Length over which limbs are blended with each other [m]."""


def build(*, friction: float = 0.5, stiffness: float = 1.0, resolution: int = 41) -> Scene:
    """A statue of about 4,000 triangles, not convex, and a cloth of resolution² vertices that flies at it."""
    scene = Scene(friction=friction, name="cloth-knocks-statue")
    scene.add_ground()
    scene.add_rigid(statue(), mass=MASS, position=(0.0, 0.0, 1.3e-3), name="statue")
    scene.add_cloth(
        shapes.grid(SIDE, SIDE, cells=resolution - 1),
        area_density=0.4,
        material=cloth_material("cotton", "mass-spring").scaled(stiffness),
        model="mass-spring",
        position=(-0.35, 0.0, 0.52),
        rotation=(0.0, 0.5 * math.pi, 0.0),
        velocity=(SPEED, 0.0, 0.5),
        name="cloth",
    )
    return scene


def statue(*, edge: float = 0.0114) -> TriangleMesh:
    """A standing figure of half a metre on a plinth, one arm raised; `edge` [m] of its triangles (longer ones lose the arms)."""
    return isosurface(_statue_function, np.array([-0.09, -0.16, -0.03]), np.array([0.09, 0.16, 0.58]), edge=edge)


def _statue_function(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Negative inside; about the distance near the surface [m]."""
    total = np.zeros(len(x))
    for a, b, radius_a, radius_b in LIMBS:
        start, along = np.array(a), np.subtract(b, a)
        s = np.clip((x - start) @ along / (along @ along), 0.0, 1.0)
        distance = np.linalg.norm(x - start - s[:, None] * along, axis=1) - (radius_a + s * (radius_b - radius_a))
        total += np.exp(-np.clip(distance / BLEND, -300.0, 300.0))
    figure = -BLEND * np.log(np.maximum(total, 1e-300))
    corner = np.abs(x - (0.0, 0.0, PLINTH[2])) - np.array(PLINTH) + PLINTH_ROUNDING
    plinth = np.linalg.norm(np.maximum(corner, 0.0), axis=1) + np.minimum(corner.max(axis=1), 0.0) - PLINTH_ROUNDING
    return np.minimum(figure, plinth)


SCENE = GalleryScene(
    name="cloth-knocks-statue",
    title="A flying cloth catches a rigid statue and knocks it over",
    build=build,
    dt=2e-3,
    seconds=1.5,
    figure="Otaduy2010 Fig. 5",
)

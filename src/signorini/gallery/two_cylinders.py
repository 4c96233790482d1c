"""Two crossed soft cylinders are pulled against each other until they wrap around each other (Hong2004 Fig. 4)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.geometry.tet_mesh import TetMesh
from signorini.scene import motions
from signorini.scene.scene import Scene
from signorini.scene.solid_material import solid_material

RADIUS, LENGTH = 0.03, 0.24
"""Radius and length of the cylinders [m]."""
CLEARANCE = 0.005
"""Distance between the cylinders at the start [m]."""
PULL = 0.1
"""Distance by which the ends of the upper cylinder are pulled down [m]."""


def build(
    *,
    friction: float = 0.3,
    stiffness: float = 1.0,
    resolution: int = 3,
    damping: float = 1.0,
    tets: TetMesh | None = None,
) -> Scene:
    """Two gelatine cylinders, `resolution` tetrahedra to a radius (3 are 4,374 tetrahedra each), held at their ends.

    The ends of the upper one go down by 0.1 m in 1 s, stay for 1 s and come back. `damping` is a factor on the damping of
    the material; `tets` is another mesh of a cylinder along z.
    """
    scene = Scene(friction=friction, name="two-cylinders")
    if tets is None:
        tets = shapes.cylinder_tets(RADIUS, LENGTH, edge=RADIUS / resolution)
    ends = np.flatnonzero(np.abs(tets.vertices[:, 2]) > 0.5 * LENGTH - 1e-9)
    material = solid_material("gelatine").scaled(stiffness)
    # The elements of the paper, which method "hong" needs
    material = replace(material, stiffness_damping=damping * material.stiffness_damping, element="tetrahedra")
    height = 0.2
    lower = scene.add_soft_solid(
        tets, material=material, position=(0.0, 0.0, height), rotation=(0.0, 0.5 * math.pi, 0.0), name="lower"
    )
    lower.pin(ends)
    upper = scene.add_soft_solid(
        tets,
        material=material,
        position=(0.0, 0.0, height + 2.0 * RADIUS + CLEARANCE),
        rotation=(0.5 * math.pi, 0.0, 0.0),
        name="upper",
    )
    down, up = ((0.0, 0.0, 0.0), (0.0, 0.0, -PULL)), ((0.0, 0.0, 0.0), (0.0, 0.0, PULL))
    there_and_back = motions.Chain(
        (
            motions.Keyframes(times=(0.0, 1.0), translations=down, interpolation="cubic"),
            motions.Keyframes(times=(2.0, 3.0), translations=up, interpolation="cubic"),
        )
    )
    upper.pin(ends, motion=there_and_back)
    scene.add_ground()
    return scene


SCENE = GalleryScene(
    name="two-cylinders",
    title="Two crossed soft cylinders are pulled against each other until they wrap around each other",
    build=build,
    dt=4e-3,
    seconds=3.0,
    figure="Hong2004 Fig. 4",
)

"""Soft cubes fall into an open box: a scene that other simulators were measured on."""

from __future__ import annotations

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.geometry.tet_shapes import box_tets
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial

CUBES = 3
"""Number of cubes along each of the three axes."""
EDGE = 0.1
"""Edge of a cube [m]."""
SPACING = 0.125
"""Distance between the centres of neighbours, and height of the lowest ones above the ground [m]."""
TILT = 0.1
"""Largest component of the rotation vectors at the start [rad]."""
INSIDE = 0.4
"""Width of the box [m]."""
WALL_HEIGHT, WALL_THICKNESS = 0.1, 0.01
"""Height and thickness of the walls of the box [m]."""
MATERIAL = SolidMaterial(
    young=1e5, poisson=0.4, density=1000.0, mass_damping=0.0, stiffness_damping=0.0, model="corotational"
)


def build(*, friction: float = 0.4, stiffness: float = 1.0, resolution: int = 5) -> Scene:
    """27 cubes of 0.1 m, `resolution` nodes along an edge, slightly turned at random, above a box of 0.4 m × 0.4 m."""
    scene = Scene(friction=friction, name="soft-stack")
    scene.add_ground()
    _add_walls(scene)
    cube = box_tets(EDGE, EDGE, EDGE, cells=resolution - 1)
    random = np.random.default_rng(27)
    for number, (layer, row, column) in enumerate(np.ndindex(CUBES, CUBES, CUBES)):
        scene.add_soft_solid(
            cube,
            material=MATERIAL.scaled(stiffness),
            position=(SPACING * (column - 1), SPACING * (row - 1), SPACING * (layer + 1)),
            rotation=tuple(TILT * random.uniform(-1.0, 1.0, 3)),
            name=f"cube-{number + 1}",
        )
    return scene


def _add_walls(scene: Scene) -> None:
    """Four boards that stand around the square and do not quite touch each other at its corners."""
    board = shapes.box(0.99 * INSIDE, WALL_THICKNESS, WALL_HEIGHT)
    middle = 0.5 * (INSIDE + WALL_THICKNESS)
    for side, (x, y) in enumerate(((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))):
        scene.add_kinematic(
            board,
            position=(middle * x, middle * y, 0.5 * WALL_HEIGHT),
            rotation=(0.0, 0.0, 0.5 * np.pi * side),
            name=f"wall-{side + 1}",
        )


SCENE = GalleryScene(
    name="soft-stack",
    title="27 soft cubes fall into an open box",
    build=build,
    dt=1e-2,
    seconds=2.0,
)

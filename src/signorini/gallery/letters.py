"""Soft letters fall into a box in layers, come to rest, and are pushed together by two of its walls (Otaduy2009 Fig. 7)."""

from __future__ import annotations

from functools import lru_cache
from string import ascii_uppercase

import numpy as np
from scipy.spatial.transform import Rotation

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.geometry.lattice import lattice
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene import motions
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial

LETTERS, SIDE = 164, 5
"""Number of letters in the full scene, and along a side of a layer."""
TETRAHEDRA = 140
"""Approximate number of tetrahedra of a letter: 23,000 in all."""
HEIGHT, DEPTH = 0.1, 0.03
"""Height and thickness of a letter [m]."""
PITCH, LAYER = 0.135, 0.1
"""Distance between the centres of letters in a layer, and between layers [m]."""
STAGGER = 0.02
"""Offset of every layer against the one below [m], along x and y alternately, with alternating sign."""
TILT = 0.5
"""Largest angle by which a letter rises from lying flat [rad]."""
WALL_HEIGHT, WALL_THICKNESS = 0.3, 0.02
"""Height and thickness of the walls of the box [m]."""
PUSH_START, PUSH_STOP, PUSHED_IN = 15.0, 35.0, 0.3
"""Times at which two walls start and stop moving [s], and the fraction of the width by which the box narrows."""
MATERIAL = SolidMaterial(
    young=1e5, poisson=0.3, density=300.0, mass_damping=0.1, stiffness_damping=2e-3, model="corotational"
)


def build(
    *, friction: float = 0.4, stiffness: float = 1.0, resolution: int = SIDE, tetrahedra: int = TETRAHEDRA
) -> Scene:
    """164 letters of 0.1 m in layers of `resolution`² (fewer letters for less than 5), above the floor of a box.

    Each letter is embedded in about `tetrahedra` tetrahedra.
    """
    scene = Scene(friction=friction, air_drag=0.2, name="letters")
    scene.add_ground()
    count = max(round(LETTERS * (resolution / SIDE) ** 3), 1)
    random = np.random.default_rng(count)
    for number in range(count):
        layer, row, column = (int(i) for i in np.unravel_index(number, (count, resolution, resolution)))
        surface, cage = _letter(ascii_uppercase[number % 26], tetrahedra)
        scene.add_soft_solid(
            cage,
            surface=surface,
            material=MATERIAL.scaled(stiffness),
            position=(
                PITCH * (column - 0.5 * (resolution - 1)) + STAGGER * (layer % 2 - 0.5),
                PITCH * (row - 0.5 * (resolution - 1)) + STAGGER * (layer // 2 % 2 - 0.5),
                LAYER * (layer + 0.7),
            ),
            rotation=_tumbled(random),
            name=f"letter-{number + 1}",
        )
    _add_walls(scene, PITCH * resolution + STAGGER)
    return scene


def _tumbled(random: np.random.Generator) -> tuple[float, float, float]:
    """A rotation vector [rad]: a multiple of a quarter turn about z, then a tilt about a random horizontal axis."""
    quarters, angle, heading = random.integers(4), TILT * random.uniform(0.3, 1.0), random.uniform(0.0, 2.0 * np.pi)
    tilt = Rotation.from_rotvec(angle * np.array([np.cos(heading), np.sin(heading), 0.0]))
    x, y, z = (tilt * Rotation.from_rotvec([0.0, 0.0, 0.5 * np.pi * quarters])).as_rotvec()
    return float(x), float(y), float(z)


@lru_cache(maxsize=4 * 26)
def _letter(letter: str, tetrahedra: int) -> tuple[TriangleMesh, TetMesh]:
    """A letter that lies on its back around the origin, and its cage."""
    upright = shapes.text(letter, height=HEIGHT, depth=DEPTH, edge=0.25 * HEIGHT)
    x, y, z = (upright.vertices - 0.5 * (upright.vertices.min(axis=0) + upright.vertices.max(axis=0))).T
    flat = TriangleMesh(np.column_stack([x, z, -y]), upright.triangles)
    return flat, lattice(flat, tetrahedra=tetrahedra)


def _add_walls(scene: Scene, width: float) -> None:
    """Four walls around a square of `width` [m]; the left and the right one push in between the other two."""
    travel = 0.5 * PUSHED_IN * width
    middle = 0.5 * (width + WALL_THICKNESS)
    board = shapes.box(WALL_THICKNESS, 0.99 * width, WALL_HEIGHT)
    long_board = shapes.box(width + 2.0 * WALL_THICKNESS, WALL_THICKNESS, WALL_HEIGHT)
    speed = travel / (PUSH_STOP - PUSH_START)
    for name, side in (("left", -1.0), ("right", 1.0)):
        scene.add_kinematic(
            board,
            position=(side * middle, 0.0, 0.5 * WALL_HEIGHT),
            motion=motions.Translate(velocity=(-side * speed, 0.0, 0.0), start=PUSH_START, stop=PUSH_STOP),
            name=f"{name}-wall",
        )
    for name, side in (("front", -1.0), ("back", 1.0)):
        scene.add_kinematic(long_board, position=(0.0, side * middle, 0.5 * WALL_HEIGHT), name=f"{name}-wall")


SCENE = GalleryScene(
    name="letters",
    title="164 soft letters fall into a box, come to rest and are pushed together",
    build=build,
    dt=3e-2,
    seconds=40.0,
    figure="Otaduy2009 Fig. 7",
)

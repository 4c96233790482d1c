"""A heavy lead ball falls on a wooden board, which bends and throws it back (Hong2004 Fig. 3)."""

from __future__ import annotations

from dataclasses import replace

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene.scene import Scene
from signorini.scene.solid_material import SolidMaterial

BOARD = (0.8, 0.2, 0.018)
"""Length, width and thickness of the board [m]."""
RADIUS = 0.05
"""Radius of the ball [m], which gives it 6 kg."""
DROP = 0.3
"""Height of the ball above the board at the start [m]."""
SUPPORT_HEIGHT = 0.12
"""Height of the two bars under the ends of the board [m]."""
GAP = 5e-4
"""Distance between the board and the bars at the start [m]."""
WOOD = SolidMaterial(young=3e9, poisson=0.3, density=700.0, stiffness_damping=5e-4, model="corotational")
"""Fibreboard."""
LEAD = SolidMaterial(young=1.6e10, poisson=0.44, density=11340.0, stiffness_damping=1e-4, model="corotational")


def build(*, friction: float = 0.3, stiffness: float = 1.0, resolution: int = 2, damping: float = 1.0) -> Scene:
    """A fibreboard of 0.8 m on two bars, with `resolution` cells across its thickness, and a lead ball 0.3 m above it.

    Both are deformable. The board bends by 8 mm. `damping` is a factor on the damping of the materials.
    """
    length, width, thickness = BOARD
    scene = Scene(friction=friction, name="ball-and-board")
    bottom = SUPPORT_HEIGHT + GAP
    scene.add_soft_solid(
        shapes.box_tets(*BOARD, cells=(12 * resolution, 3 * resolution, resolution)),
        material=_damped(WOOD, damping).scaled(stiffness),
        position=(0.0, 0.0, bottom + 0.5 * thickness),
        name="board",
    )
    scene.add_soft_solid(
        shapes.sphere_tets(RADIUS, edge=RADIUS / (1.5 * resolution)),
        material=_damped(LEAD, damping).scaled(stiffness),
        position=(0.03, 0.01, bottom + thickness + DROP + RADIUS),
        name="ball",
    )
    for side, name in ((-1.0, "left"), (1.0, "right")):
        scene.add_kinematic(
            shapes.box(0.04, width + 0.04, SUPPORT_HEIGHT, cells=(1, 4, 2)),
            position=(side * (0.5 * length - 0.03), 0.0, 0.5 * SUPPORT_HEIGHT),
            name=name,
        )
    scene.add_ground()
    return scene


def _damped(material: SolidMaterial, factor: float) -> SolidMaterial:
    return replace(material, stiffness_damping=factor * material.stiffness_damping)


SCENE = GalleryScene(
    name="ball-and-board",
    title="A heavy lead ball falls on a wooden board, which bends and throws it back",
    build=build,
    dt=2e-3,
    seconds=1.5,
    figure="Hong2004 Fig. 3",
)

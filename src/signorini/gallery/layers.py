"""Five sheets fall on each other."""

from __future__ import annotations

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

SHEETS = 5
SIDE = 0.6
"""Side of a sheet [m]."""
SPACING = 0.03
"""Distance between the sheets at the start [m]."""


def build(*, friction: float = 0.3, stiffness: float = 1.0, resolution: int = 25) -> Scene:
    """Five cotton sheets of 0.6 m × 0.6 m, each turned a little against the one below, above a block on the ground."""
    scene = Scene(friction=friction, air_drag=2.0, name="layers")
    scene.add_ground()
    block_height = 0.12
    scene.add_kinematic(
        shapes.box(0.25, 0.25, block_height, cells=4), position=(0.0, 0.0, 0.5 * block_height), name="block"
    )
    for layer in range(SHEETS):
        scene.add_cloth(
            shapes.grid(SIDE, SIDE, cells=resolution - 1),
            area_density=0.2,
            material=cloth_material("cotton").scaled(stiffness),
            position=(0.01 * layer, -0.01 * layer, block_height + SPACING * (layer + 1)),
            rotation=(0.0, 0.0, 0.2 * layer),
            name=f"sheet-{layer + 1}",
        )
    return scene


SCENE = GalleryScene(
    name="layers",
    title="Five sheets fall on each other",
    build=build,
    dt=4e-3,
    seconds=2.0,
)

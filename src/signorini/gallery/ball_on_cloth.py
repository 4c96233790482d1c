"""A rigid ball falls into a sheet that hangs from its corners: a scene that other simulators were measured on."""

from __future__ import annotations

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene.cloth_material import cloth_material
from signorini.scene.scene import Scene

SIDE = 1.0
"""Side of the sheet [m]."""
HEIGHT = 0.8
"""Height of the corners above the ground [m]."""
RADIUS, MASS, DROP = 0.1, 1.0, 0.2
"""Radius [m] and mass [kg] of the ball, and its height above the sheet at the start [m]."""


def build(*, friction: float = 0.3, stiffness: float = 1.0, resolution: int = 41) -> Scene:
    """A cotton sheet of 1 m × 1 m with resolution² vertices, pinned at its corners, and a ball of 1 kg above its middle."""
    scene = Scene(friction=friction, name="ball-on-cloth")
    sheet = scene.add_cloth(
        shapes.grid(SIDE, SIDE, cells=resolution - 1),
        area_density=0.2,
        material=cloth_material("cotton").scaled(stiffness),
        position=(0.0, 0.0, HEIGHT),
        name="sheet",
    )
    sheet.pin([0, resolution - 1, resolution * (resolution - 1), resolution**2 - 1])
    scene.add_rigid(
        shapes.sphere(RADIUS, edge=SIDE / (resolution - 1)),
        mass=MASS,
        position=(0.0, 0.0, HEIGHT + DROP + RADIUS),
        name="ball",
    )
    scene.add_ground()
    return scene


SCENE = GalleryScene(
    name="ball-on-cloth",
    title="A rigid ball falls into a sheet that hangs from its corners",
    build=build,
    dt=1e-2,
    seconds=2.0,
)

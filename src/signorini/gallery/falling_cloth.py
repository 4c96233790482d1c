"""A hanging cloth is let go and stacks in folds on the ground (Otaduy2009 Fig. 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene.cloth_material import ClothModel, cloth_material
from signorini.scene.scene import Scene

SIDE = 1.0
"""Side of the sheet [m]."""
RIPPLE_HEIGHT, RIPPLE_LENGTH = 0.03, 0.5
"""Amplitude and length of the sine wave across the sheet [m]."""
TWIST = 0.3
"""Angle by which the upper edge is turned against the lower one [rad]."""
CLEARANCE = 0.01
"""Height of the lower edge above the ground at the start [m]."""


def build(
    *, friction: float = 0.3, stiffness: float = 1.0, resolution: int = 50, model: ClothModel = "mass-spring"
) -> Scene:
    """A cotton sheet of 1 m × 1 m with resolution² vertices, hung just above the ground.

    `model` is that of the cloth: springs, as in the paper, or `continuum`, the default of scenes.
    """
    sheet = shapes.grid(SIDE, SIDE, cells=resolution - 1)
    scene = Scene(friction=friction, air_drag=2.0, name="falling-cloth")
    scene.add_cloth(
        sheet,
        area_density=0.2,
        material=cloth_material("cotton", model).scaled(stiffness),
        model=model,
        initial_vertices=_hung(sheet.vertices),
        name="sheet",
    )
    scene.add_ground()
    return scene


def _hung(flat: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sheet upright, rippled without stretching, and slightly twisted."""
    k = 2.0 * np.pi / RIPPLE_LENGTH
    along = np.linspace(-0.6 * SIDE, 0.6 * SIDE, 20001)
    speed = np.hypot(1.0, RIPPLE_HEIGHT * k * np.cos(k * along))
    arc = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(along))])
    arc -= np.interp(0.0, along, arc)
    x = np.interp(flat[:, 0], arc, along)
    y = RIPPLE_HEIGHT * np.sin(k * x)
    z = flat[:, 1] + 0.5 * SIDE
    angle = TWIST * (z / SIDE - 0.5)
    turned_x = x * np.cos(angle) - y * np.sin(angle)
    turned_y = x * np.sin(angle) + y * np.cos(angle)
    return np.column_stack([turned_x, turned_y, z + CLEARANCE])


SCENE = GalleryScene(
    name="falling-cloth",
    title="A hanging cloth is let go and stacks in folds on the ground",
    build=build,
    dt=4e-3,
    seconds=4.0,
    figure="Otaduy2009 Fig. 5",
)

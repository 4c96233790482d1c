"""Three sheets are caught between two rotating spheres that come so near that they would overlap.

As in Sifakis2008: sheets and spheres are of springs, the model of the paper.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.gallery.entry import GalleryScene
from signorini.geometry import shapes
from signorini.scene import motions
from signorini.scene.cloth_material import ClothMaterial, cloth_material
from signorini.scene.scene import Scene

SHEETS = 3
SIDE = 0.5
"""Side of a sheet [m]."""
SPACING = 0.03
"""Distance between the sheets [m]."""
RADIUS = 0.14
"""Radius of the spheres [m]."""
APART, OVERLAP = 0.1, 0.04
"""Distance of each sphere from the nearest sheet at the start, and overlap of the scripted spheres when closed [m]."""
HUB = 0.75
"""The part of a sphere beyond this fraction of its radius along its axis follows the script, the rest is free."""
CLOSED, LET_GO = 0.8, 1.0
"""Times at which the spheres are closed and the sheets are released [s]."""
RATE = 1.5
"""Angular velocity of the spheres [rad/s]: they draw the sheets down between them."""
SHELL = ClothMaterial(
    membrane_stiffness=2e3,
    shear_stiffness=7e2,
    bending_rigidity=2e-3,
    compression_ratio=1.0,
    damping_time=5e-3,
    bending_damping_time=2e-2,
)


def build(*, friction: float = 0.5, stiffness: float = 1.0, resolution: int = 31) -> Scene:
    """Three cotton sheets of 0.5 m × 0.5 m, resolution² vertices each, hang between two spheres that turn and close on them.

    All are mass-spring cloth; the spheres are stiff shells of it. Only the two caps around their axles are scripted, and would
    end up 4 cm too near for spheres: the shells deform where rigid spheres would leave the sheets no room.
    """
    scene = Scene(friction=friction, air_drag=1.0, name="pinched-sheets")
    for k in range(SHEETS):
        sheet = scene.add_cloth(
            shapes.grid(SIDE, SIDE, cells=resolution - 1),
            area_density=0.2,
            material=cloth_material("cotton", "mass-spring").scaled(stiffness),
            model="mass-spring",
            position=((k - 0.5 * (SHEETS - 1)) * SPACING, 0.0, 0.75),
            rotation=(0.0, 0.5 * math.pi, 0.0),
            name=f"sheet-{k + 1}",
        )
        top = sheet.positions[:, 2] > sheet.positions[:, 2].max() - 1e-9
        sheet.pin(np.flatnonzero(top), release_time=LET_GO)
    start = 0.5 * (SHEETS - 1) * SPACING + APART + RADIUS
    for side, name in ((1.0, "right"), (-1.0, "left")):
        centre = (side * start, 0.0, 0.75)
        ball = scene.add_cloth(
            shapes.sphere(RADIUS, edge=max(0.02, SIDE / (resolution - 1))),
            area_density=0.5,
            material=SHELL.scaled(stiffness),
            model="mass-spring",
            position=centre,
            name=f"{name} sphere",
        )
        caps = np.flatnonzero(np.abs(ball.positions[:, 1]) > HUB * RADIUS)
        ball.pin(caps, motion=_turn_and_close(side, centre))
    scene.add_ground()
    return scene


def _turn_and_close(side: float, centre: tuple[float, float, float]) -> motions.Chain:
    closing = (-side * (centre[0] * side - RADIUS + 0.5 * OVERLAP), 0.0, 0.0)
    return motions.Chain(
        (
            # Both near sides move down.
            motions.Rotate(rate=-side * RATE, axis=(0.0, 1.0, 0.0), center=centre),
            motions.Keyframes(times=(0.0, CLOSED), translations=((0.0, 0.0, 0.0), closing), interpolation="cubic"),
        )
    )


SCENE = GalleryScene(
    name="pinched-sheets",
    title="Three sheets are drawn in between two rotating spheres that overlap",
    build=build,
    dt=4e-3,
    seconds=2.5,
    figure="Sifakis2008 Fig. 2 middle",
)

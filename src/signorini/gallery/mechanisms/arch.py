"""A semicircular arch of dry stones stands by its own weight."""

from __future__ import annotations

import math

import numpy as np

from signorini.checks import check_count
from signorini.errors import InputError
from signorini.gallery.entry import GalleryScene
from signorini.gallery.mechanisms.swept_shapes import prism, upright
from signorini.scene.scene import Scene

RADIUS, THICKNESS, DEPTH = 1.0, 0.2, 0.3
"""Middle radius, radial thickness and depth of the arch [m]."""
LEAST_THICKNESS = 0.1075 * RADIUS
"""A semicircular arch of stones that do not slide falls below this thickness [m] (Heyman, The Stone Skeleton)."""
GAP = 5e-6
"""Room between two stones, and between the lowest and the ground, at the start [m]."""
DENSITY = 2400.0
"""Limestone [kg/m³]."""


def build(*, friction: float = 0.6, stones: int = 25, thickness: float = THICKNESS) -> Scene:
    """An arch of `stones` equal wedges, an odd number (25 or 101, say), `thickness` [m] thick."""
    if check_count("stones of an arch", stones, least=3) % 2 == 0:
        raise InputError(f"stones of an arch must be an odd number, so that one is the keystone, got {stones}")
    scene = Scene(friction=friction, name="arch")
    scene.add_ground()
    inner, outer = RADIUS - 0.5 * thickness, RADIUS + 0.5 * thickness
    half = 0.5 * math.pi / stones
    corners = np.array([[inner, -half], [outer, -half], [outer, half], [inner, half]])
    wedge = np.column_stack([corners[:, 0] * np.sin(corners[:, 1]), corners[:, 0] * np.cos(corners[:, 1])])
    keystone = upright(prism([wedge - (0.0, RADIUS)], DEPTH))
    # Moved apart as if on a slightly larger circle: the gaps are then the same at all joints.
    spread = RADIUS + 0.5 * GAP / math.sin(half)
    for k in range(stones):
        angle = math.pi * (k + 0.5) / stones - 0.5 * math.pi
        position = (spread * math.sin(angle), 0.0, spread * math.cos(angle) + 0.5 * GAP)
        scene.add_rigid(keystone, density=DENSITY, rotation=(0.0, angle, 0.0), position=position, name=f"stone-{k + 1}")
    return scene


SCENE = GalleryScene(
    name="arch", title="A semicircular arch of dry stones stands by its own weight", build=build, dt=1e-3, seconds=0.5
)

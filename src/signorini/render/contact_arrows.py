"""Contacts in pictures: an arrow for each force, in one colour where it sticks and in another where it slips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.simulation.frame_readout import FrameReadout

Floats = NDArray[np.float64]
STICK, SLIP = (11, 122, 75), (224, 123, 0)
"""Colours of arrows, those of the viewer."""
LENGTH, RADIUS = 0.2, 0.0035
"""Length of the arrow of a large force (the 95 % quantile), and radius of shafts, over the radius of the scene."""
SIDES = 6


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """A mesh of arrows of one colour."""

    points: Floats
    triangles: NDArray[np.int32]
    color: NDArray[np.uint8]


def contact_arrows(found: FrameReadout, radius: float) -> list[Arrows]:
    """Arrows of the contacts that stick, and of those that slip; `radius` is that of the scene [m]."""
    if not len(found):
        return []
    large = float(np.quantile(np.linalg.norm(found.forces, axis=1), 0.95))
    arrows = LENGTH * radius / max(large, 1e-300) * found.forces
    parts = []
    for chosen, color in ((found.sticks, STICK), (~found.sticks, SLIP)):
        if chosen.any():
            points, triangles = _mesh(found.points[chosen], arrows[chosen], RADIUS * radius)
            parts.append(Arrows(points, triangles, np.array(color, np.uint8)))
    return parts


def _mesh(starts: Floats, arrows: Floats, radius: float) -> tuple[Floats, NDArray[np.int32]]:
    """Shafts and heads: rings of points around each arrow, joined by triangles."""
    length = np.linalg.norm(arrows, axis=1)
    along = arrows / np.maximum(length, 1e-300)[:, None]
    u = np.cross(along, np.eye(3)[np.abs(along).argmin(axis=1)])
    u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-300)
    v = np.cross(along, u)
    head = np.minimum(0.45 * length, 5.0 * radius)
    profile = [(0.0 * head, 1.6), (0.15 * head, 0.8), (length - head, 0.8), (length - head, 2.2), (length, 0.0)]
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angle)[None, :, None] * u[:, None] + np.sin(angle)[None, :, None] * v[:, None]
    rings = [(starts + at[:, None] * along)[:, None] + thick * radius * ring for at, thick in profile]
    points = np.stack(rings, axis=1).reshape(-1, 3)  # arrow, ring, side
    side = np.arange(SIDES)
    ahead = (side + 1) % SIDES
    band = np.concatenate(
        [np.column_stack([side, ahead, side + SIDES]), np.column_stack([ahead, ahead + SIDES, side + SIDES])]
    )
    one = np.concatenate([band + SIDES * k for k in range(len(profile) - 1)])
    first = len(profile) * SIDES * np.arange(len(starts))
    return points, (one[None] + first[:, None, None]).reshape(-1, 3).astype(np.int32)

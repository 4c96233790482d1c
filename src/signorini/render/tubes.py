"""Thin tubes in pictures: the surface with which edges that belong to no triangle are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SIDES = 8
"""Sides of a tube's cross-section: round enough for tubes of a few pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnTubes:
    """A tube of one radius around each edge. Draws like a `DrawnSurface`."""

    edges: NDArray[np.int32]
    """(k, 2) vertices of the body."""
    radius: float
    """[m]; only for the picture."""

    @property
    def triangles(self) -> NDArray[np.int32]:
        """(2 · SIDES · k, 3) of the points that `place` returns."""
        side = np.arange(SIDES)
        ahead = (side + 1) % SIDES
        one = np.concatenate(
            [
                np.column_stack([side, ahead, side + SIDES]),
                np.column_stack([ahead, ahead + SIDES, side + SIDES]),
            ]
        )
        first = 2 * SIDES * np.arange(len(self.edges))
        return (one[None] + first[:, None, None]).reshape(-1, 3).astype(np.int32)

    def place(self, points: Floats) -> tuple[Floats, Floats]:
        """Points and outward normals (2 · SIDES · k, 3) of the tubes for vertices (n, 3) of the body."""
        ends = points[self.edges]
        along = ends[:, 1] - ends[:, 0]
        along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
        # Across: away from the coordinate axis that the edge is least parallel to.
        u = np.cross(along, np.eye(3)[np.abs(along).argmin(axis=1)])
        u /= np.maximum(np.linalg.norm(u, axis=1, keepdims=True), 1e-300)
        w = np.cross(along, u)
        angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
        ring = np.cos(angle)[:, None] * u[:, None, :] + np.sin(angle)[:, None] * w[:, None, :]
        normals = np.stack([ring, ring], axis=1)
        return (ends[:, :, None, :] + self.radius * normals).reshape(-1, 3), normals.reshape(-1, 3)

"""Intersections at one state: edges that pass through triangles, and vertices on or below a plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import intersections_kernels as kernels
from signorini.collision.broad_phase import BoxTree
from signorini.collision.surface import Surface


@dataclass(frozen=True, slots=True)
class Intersections:
    """Pairs of primitives that intersect; empty for a valid state."""

    edge_triangle: NDArray[np.int32]
    """(k, 2) edge, triangle."""
    vertex_plane: NDArray[np.int32]
    """(k, 2) vertex, plane."""

    def __len__(self) -> int:
        return len(self.edge_triangle) + len(self.vertex_plane)


def find_intersections(tree: BoxTree, x: NDArray[np.float64]) -> Intersections:
    """Edges through triangles and vertices on or below planes at positions x (v, 3)."""
    surface = tree.surface
    found = np.zeros((0, 2), dtype=np.int32)
    if len(tree.right):
        pairs = tree.find_leaf_pairs(x)
        found = np.zeros((1024, 2), dtype=np.int32)
        while True:
            count = kernels.edge_triangle(
                pairs, surface.triangles, surface.edges, surface.owned_edges, surface.vertex_group, x, found
            )  # fmt: skip
            if count <= len(found):
                found = found[:count]
                break
            found = np.zeros((count, 2), dtype=np.int32)
    return Intersections(found, _below_planes(surface, x))


def _below_planes(surface: Surface, x: NDArray[np.float64]) -> NDArray[np.int32]:
    below = x @ surface.plane_normal.T <= surface.plane_height
    for plane in range(surface.plane_count):
        below[:, plane] &= surface.vertices_meeting(plane)
    return np.argwhere(below).astype(np.int32)

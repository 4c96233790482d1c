"""The collision surface of all bodies: one list of vertices, edges and triangles, and the planes of the half-spaces.

Deformable vertices come first and are the nodes of the dynamics (vertex i is node i); kinematic vertices follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Surface:
    """Topology, constant during a simulation. Bodies are numbered; half-spaces are bodies too."""

    node_count: int
    """The first `node_count` vertices are deformable."""
    triangles: NDArray[np.int32]
    """(t, 3)"""
    edges: NDArray[np.int32]
    """(e, 2) each edge once."""
    triangle_edges: NDArray[np.int32]
    """(t, 3) edge ab, bc, ca of each triangle."""
    vertex_owner: NDArray[np.int32]
    """(v,) the one triangle that stands for the vertex in the broad phase; -1 for a vertex without triangle."""
    edge_owner: NDArray[np.int32]
    """(e,) the one triangle that stands for the edge."""
    vertex_body: NDArray[np.int32]
    """(v,) body number."""
    plane_normal: NDArray[np.float64]
    """(p, 3)"""
    plane_height: NDArray[np.float64]
    """(p,) [m]"""
    plane_body: NDArray[np.int32]
    """(p,) body number."""

    @property
    def vertex_count(self) -> int:
        return len(self.vertex_body)

    @property
    def plane_count(self) -> int:
        return len(self.plane_height)


def build_surface(
    meshes: list[tuple[NDArray[np.int32], int, int, int]],
    node_count: int,
    planes: list[tuple[NDArray[np.float64], float, int]],
) -> Surface:
    """Join the meshes, given as (triangles, first vertex, vertex count, body), and planes (normal, height, body)."""
    vertex_count = sum(count for _, _, count, _ in meshes)
    triangles = np.concatenate([t + first for t, first, _, _ in meshes] or [np.zeros((0, 3), np.int32)]).astype(
        np.int32
    )
    vertex_body = np.zeros(vertex_count, dtype=np.int32)
    for _, first, count, body in meshes:
        vertex_body[first : first + count] = body
    directed = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges, edge_first, inverse = np.unique(np.sort(directed, axis=1), axis=0, return_index=True, return_inverse=True)
    vertex_owner = np.full(vertex_count, -1, dtype=np.int32)
    # Assigned back to front, so that the first triangle of a vertex owns it.
    for column in (2, 1, 0):
        vertex_owner[triangles[::-1, column]] = np.arange(len(triangles) - 1, -1, -1, dtype=np.int32)
    return Surface(
        node_count=node_count,
        triangles=np.ascontiguousarray(triangles),
        edges=np.ascontiguousarray(edges, dtype=np.int32),
        triangle_edges=np.ascontiguousarray(inverse.reshape(-1, 3), dtype=np.int32),
        vertex_owner=vertex_owner,
        edge_owner=(edge_first // 3).astype(np.int32),
        vertex_body=vertex_body,
        plane_normal=np.array([n for n, _, _ in planes], dtype=np.float64).reshape(-1, 3),
        plane_height=np.array([h for _, h, _ in planes], dtype=np.float64),
        plane_body=np.array([b for _, _, b in planes], dtype=np.int32),
    )

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
    edge_valence: NDArray[np.int32]
    """(e,) how many triangles an edge has."""
    vertex_valence: NDArray[np.int32]
    """(v,) how many triangles a vertex has."""
    vertex_edges: NDArray[np.int32]
    """(v,) how many edges a vertex has."""
    owned_vertices: NDArray[np.int32]
    """(t, 3) the vertices that a triangle stands for in the broad phase, then -1; each vertex has one owner."""
    owned_edges: NDArray[np.int32]
    """(t, 3) the edges that a triangle stands for, then -1; each edge has one owner."""
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
    _, vertex_first = np.unique(triangles.ravel(), return_index=True)
    return Surface(
        node_count=node_count,
        triangles=np.ascontiguousarray(triangles),
        edges=np.ascontiguousarray(edges, dtype=np.int32),
        triangle_edges=np.ascontiguousarray(inverse.reshape(-1, 3), dtype=np.int32),
        edge_valence=np.bincount(inverse.ravel(), minlength=len(edges)).astype(np.int32),
        vertex_valence=np.bincount(triangles.ravel(), minlength=vertex_count).astype(np.int32),
        vertex_edges=np.bincount(edges.ravel(), minlength=vertex_count).astype(np.int32),
        owned_vertices=_owned(triangles, vertex_first),
        owned_edges=_owned(inverse.reshape(-1, 3), edge_first),
        vertex_body=vertex_body,
        plane_normal=np.array([n for n, _, _ in planes], dtype=np.float64).reshape(-1, 3),
        plane_height=np.array([h for _, h, _ in planes], dtype=np.float64),
        plane_body=np.array([b for _, _, b in planes], dtype=np.int32),
    )


def _owned(members: NDArray[np.integer], first: NDArray[np.integer]) -> NDArray[np.int32]:
    """Of the three members of each triangle (t, 3), those whose first appearance (flat index) is here, packed left."""
    is_first = np.zeros(members.size, dtype=bool)
    is_first[first] = True
    kept = np.where(is_first.reshape(members.shape), members, -1)
    order = np.argsort(kept < 0, axis=1, kind="stable")
    return np.ascontiguousarray(np.take_along_axis(kept, order, axis=1), dtype=np.int32)

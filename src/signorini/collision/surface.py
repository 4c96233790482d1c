"""The collision surface of all bodies: one list of vertices, edges and triangles, and the planes of the half-spaces.

How nodes move the vertices is not known here (see `bodies/surface_map`), only which vertices move as one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FREE, PRESCRIBED = -1, 0
"""Groups of vertices: those that move on their own, and those that contact cannot move; rigid bodies have 1, 2, ..."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Topology, constant during a simulation. Bodies are numbered; half-spaces are bodies too."""

    triangles: NDArray[np.int32]
    """(t, 3)"""
    edges: NDArray[np.int32]
    """(e, 2) each edge once."""
    triangle_edges: NDArray[np.int32]
    """(t, 3) edge ab, bc, ca of each triangle."""
    edge_valence: NDArray[np.int32]
    """(e,) how many triangles an edge has."""
    edge_opposite: NDArray[np.int32]
    """(e, 2) the third corners of the triangles at an edge, -1 where there are fewer; -1 also for more than two."""
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
    vertex_group: NDArray[np.int32]
    """(v,) FREE, or the group with which the vertex moves: vertices of one group never meet each other."""
    vertex_solid: NDArray[np.bool_]
    """(v,) whether the vertex is on the surface of something thick: only one side of its triangles is outside."""
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
    def triangle_group(self) -> NDArray[np.int32]:
        """(t,) the group of all three corners, or FREE."""
        a, b, c = self.vertex_group[self.triangles.T]
        return np.where((a == b) & (b == c), a, FREE).astype(np.int32)

    @property
    def plane_count(self) -> int:
        return len(self.plane_height)


def build_surface(
    meshes: list[tuple[NDArray[np.int32], int, int, int]],
    vertex_group: NDArray[np.integer],
    planes: list[tuple[NDArray[np.float64], float, int]],
    *,
    solids: Collection[int] = (),
) -> Surface:
    """Join the meshes, given as (triangles, first vertex, vertex count, body), and planes (normal, height, body).

    `solids` are the numbers of the bodies that are not sheets.
    """
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
        triangles=np.ascontiguousarray(triangles),
        edges=np.ascontiguousarray(edges, dtype=np.int32),
        triangle_edges=np.ascontiguousarray(inverse.reshape(-1, 3), dtype=np.int32),
        edge_valence=np.bincount(inverse.ravel(), minlength=len(edges)).astype(np.int32),
        edge_opposite=_opposite(triangles, inverse.reshape(-1, 3), len(edges)),
        vertex_valence=np.bincount(triangles.ravel(), minlength=vertex_count).astype(np.int32),
        vertex_edges=np.bincount(edges.ravel(), minlength=vertex_count).astype(np.int32),
        owned_vertices=_owned(triangles, vertex_first),
        owned_edges=_owned(inverse.reshape(-1, 3), edge_first),
        vertex_body=vertex_body,
        vertex_solid=np.isin(vertex_body, np.array(sorted(solids), dtype=np.int32)),
        vertex_group=np.ascontiguousarray(vertex_group, dtype=np.int32),
        plane_normal=np.array([n for n, _, _ in planes], dtype=np.float64).reshape(-1, 3),
        plane_height=np.array([h for _, h, _ in planes], dtype=np.float64),
        plane_body=np.array([b for _, _, b in planes], dtype=np.int32),
    )


def _opposite(triangles: NDArray[np.int32], triangle_edges: NDArray[np.integer], edge_count: int) -> NDArray[np.int32]:
    edge, third = triangle_edges.ravel(), triangles[:, [2, 0, 1]].ravel()
    order = np.argsort(edge, kind="stable")
    count = np.bincount(edge, minlength=edge_count)
    place = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    opposite = np.full((edge_count, 2), -1, dtype=np.int32)
    two = place < 2
    opposite[edge[order][two], place[two]] = third[order][two]
    opposite[count > 2] = -1
    return opposite


def _owned(members: NDArray[np.integer], first: NDArray[np.integer]) -> NDArray[np.int32]:
    """Of the three members of each triangle (t, 3), those whose first appearance (flat index) is here, packed left."""
    is_first = np.zeros(members.size, dtype=bool)
    is_first[first] = True
    kept = np.where(is_first.reshape(members.shape), members, -1)
    order = np.argsort(kept < 0, axis=1, kind="stable")
    return np.ascontiguousarray(np.take_along_axis(kept, order, axis=1), dtype=np.int32)

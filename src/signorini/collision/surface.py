"""Collision surface of all bodies: one list of vertices, edges and triangles, and the planes of the half-spaces.

How nodes move the vertices is not known here (see `model/surface_map`), only which vertices move together. An edge without
triangles, of a rod, is a lone edge: it collides with all other edges, and its ends with triangles and planes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangles import find_edges

FREE, PRESCRIBED = -1, 0
"""Groups of vertices: FREE ones move independently, PRESCRIBED ones cannot be moved by contact; rigid bodies have 1, 2, ..."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Topology, constant during a simulation. Bodies are numbered; half-spaces are bodies too."""

    triangles: NDArray[np.int32]
    """(t, 3)"""
    edges: NDArray[np.int32]
    """(e, 2) each edge once; lone edges come after those of triangles."""
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
    vertex_lone_edges: NDArray[np.int32]
    """(v,) how many of these belong to no triangle."""
    leaves: NDArray[np.int32]
    """(t + k, 3) leaves of the broad phase's tree: the triangles, then the k lone edges a, b as (a, b, b)."""
    owned_vertices: NDArray[np.int32]
    """(t + k, 3) the vertices that a leaf stands for in the broad phase, then -1; each vertex has one owner."""
    owned_edges: NDArray[np.int32]
    """(t + k, 3) the edges that a leaf stands for, then -1; each edge has one owner."""
    vertex_body: NDArray[np.int32]
    """(v,) body number."""
    vertex_group: NDArray[np.int32]
    """(v,) FREE, or the group with which the vertex moves: vertices of one group never collide with each other."""
    vertex_solid: NDArray[np.bool_]
    """(v,) whether the vertex is on the surface of something thick: only one side of its triangles is outside."""
    plane_normal: NDArray[np.float64]
    """(p, 3)"""
    plane_height: NDArray[np.float64]
    """(p,) [m]"""
    plane_body: NDArray[np.int32]
    """(p,) body number."""
    edge_triangles: NDArray[np.int32]
    """(e, 2) the triangles at an edge, -1 where there are fewer; -1 also for more than two."""
    triangle_starts: NDArray[np.int32]
    """(v+1,) where the triangles of each vertex begin in `vertex_triangles`."""
    vertex_triangles: NDArray[np.int32]
    """(3 t,) the triangles of the vertices."""
    vertex_rise: NDArray[np.float64] | None = None
    """(v,) how far the smooth patch that a vertex stands for rises above the triangles [m]; None: there are no patches."""
    ignored: NDArray[np.uint8] | None = None
    """(bodies, bodies) 1 where two bodies, or the parts of one, never touch and may intersect; None: all touch."""

    @property
    def vertex_count(self) -> int:
        return len(self.vertex_body)

    @property
    def leaf_group(self) -> NDArray[np.int32]:
        """(t + k,) the group of all corners of a leaf, or FREE."""
        a, b, c = self.vertex_group[self.leaves.T]
        return np.where((a == b) & (b == c), a, FREE).astype(np.int32)

    @property
    def first_lone_edge(self) -> int:
        """The number of the first edge without triangles; how many edges there are if all have triangles."""
        return len(self.edges) - (len(self.leaves) - len(self.triangles))

    @property
    def plane_count(self) -> int:
        return len(self.plane_height)

    def vertices_meeting(self, plane: int) -> NDArray[np.bool_]:
        """(v,) whether each vertex can touch a plane: it is movable, and their bodies do not ignore each other."""
        movable = self.vertex_group != PRESCRIBED
        if self.ignored is None:
            return movable
        return movable & (self.ignored[self.vertex_body, self.plane_body[plane]] == 0)


def build_surface(
    meshes: list[tuple[NDArray[np.int32], int, int, int]],
    vertex_group: NDArray[np.integer],
    planes: list[tuple[NDArray[np.float64], float, int]],
    *,
    solids: Collection[int] = (),
    edges: Sequence[tuple[NDArray[np.integer], int]] = (),
    rise: NDArray[np.float64] | None = None,
    ignored: NDArray[np.uint8] | None = None,
) -> Surface:
    """Join the meshes, given as (triangles, first vertex, vertex count, body), and planes (normal, height, body).

    `solids` are the numbers of the bodies that are not sheets. `edges` are edges beside those of the triangles, as
    (pairs of vertices (k, 2), first vertex); the vertices of a pair count from that first vertex. `rise` (v,) [m] is how far
    smooth patches rise above the triangles. `ignored` (bodies, bodies) marks bodies that never touch each other.
    """
    vertex_count = sum(count for _, _, count, _ in meshes)
    triangles = np.concatenate([t + first for t, first, _, _ in meshes] or [np.zeros((0, 3), np.int32)]).astype(
        np.int32
    )
    vertex_body = np.zeros(vertex_count, dtype=np.int32)
    for _, first, count, body in meshes:
        vertex_body[first : first + count] = body
    valence = np.bincount(triangles.ravel(), minlength=vertex_count).astype(np.int32)
    sides = find_edges(triangles)
    lone = _lone_edges(edges, sides.ends)
    all_edges = np.concatenate([sides.ends, lone])
    leaves = np.concatenate([triangles, lone[:, [0, 1, 1]]])
    # A leaf of a lone edge has that edge as its only one.
    leaf_edges = np.full((len(leaves), 3), -1)
    leaf_edges[: len(triangles)] = sides.of_triangle
    leaf_edges[len(triangles) :, 0] = np.arange(len(sides.ends), len(all_edges))
    return Surface(
        triangles=np.ascontiguousarray(triangles),
        edges=np.ascontiguousarray(all_edges, dtype=np.int32),
        triangle_edges=sides.of_triangle,
        edge_valence=np.concatenate([sides.valence, np.zeros(len(lone), np.int32)]),
        edge_opposite=_opposite(triangles[:, [2, 0, 1]].ravel(), sides.of_triangle, len(all_edges)),
        edge_triangles=_opposite(np.repeat(np.arange(len(triangles)), 3), sides.of_triangle, len(all_edges)),
        triangle_starts=np.concatenate([[0], np.cumsum(valence)]).astype(np.int32),
        vertex_triangles=(np.argsort(triangles.ravel(), kind="stable") // 3).astype(np.int32),
        vertex_valence=valence,
        vertex_edges=np.bincount(all_edges.ravel(), minlength=vertex_count).astype(np.int32),
        vertex_lone_edges=np.bincount(lone.ravel(), minlength=vertex_count).astype(np.int32),
        leaves=np.ascontiguousarray(leaves, dtype=np.int32),
        owned_vertices=_owned(leaves),
        owned_edges=_owned(leaf_edges),
        vertex_body=vertex_body,
        vertex_solid=np.isin(vertex_body, np.array(sorted(solids), dtype=np.int32)),
        vertex_group=np.ascontiguousarray(vertex_group, dtype=np.int32),
        plane_normal=np.array([n for n, _, _ in planes], dtype=np.float64).reshape(-1, 3),
        plane_height=np.array([h for _, h, _ in planes], dtype=np.float64),
        plane_body=np.array([b for _, _, b in planes], dtype=np.int32),
        vertex_rise=rise,
        ignored=ignored,
    )


def _lone_edges(edges: Sequence[tuple[NDArray[np.integer], int]], sides: NDArray[np.int32]) -> NDArray[np.int32]:
    """(k, 2) each given edge once, without those that are among the sides (s, 2) of triangles."""
    given = np.concatenate([np.sort(pairs, axis=1) + first for pairs, first in edges] or [np.zeros((0, 2), np.int32)])
    given = np.unique(given.astype(np.int32), axis=0)
    if not len(given) or not len(sides):
        return given
    _, kind = np.unique(np.concatenate([sides, given]), axis=0, return_inverse=True)
    return given[~np.isin(kind.ravel()[len(sides) :], kind.ravel()[: len(sides)])]


def _opposite(third: NDArray[np.integer], triangle_edges: NDArray[np.integer], edge_count: int) -> NDArray[np.int32]:
    """(e, 2) what the triangles at each edge have there: `third` (3 t,) for the edges (t, 3) of all triangles."""
    edge = triangle_edges.ravel()
    order = np.argsort(edge, kind="stable")
    count = np.bincount(edge, minlength=edge_count)
    place = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    opposite = np.full((edge_count, 2), -1, dtype=np.int32)
    two = place < 2
    opposite[edge[order][two], place[two]] = third[order][two]
    opposite[count > 2] = -1
    return opposite


def _owned(members: NDArray[np.integer]) -> NDArray[np.int32]:
    """Of the three members of each leaf (t, 3), those that appear for the first time there, packed left; -1 is none."""
    is_first = np.zeros(members.size, dtype=bool)
    is_first[np.unique(members.ravel(), return_index=True)[1]] = True
    kept = np.where(is_first.reshape(members.shape), members, -1)
    order = np.argsort(kept < 0, axis=1, kind="stable")
    return np.ascontiguousarray(np.take_along_axis(kept, order, axis=1), dtype=np.int32)

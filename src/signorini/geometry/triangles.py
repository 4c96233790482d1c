"""Edges, areas, closedness and winding of triangles (t, 3) over vertices (n, 3).

`TriangleMesh` answers the same questions about itself; these functions also serve triangles whose vertices have moved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]
Triangles = NDArray[np.int32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The edges of triangles, each once."""

    ends: NDArray[np.int32]
    """(e, 2) vertices, the smaller one first; the rows increase."""
    of_triangle: NDArray[np.int32]
    """(t, 3) edge ab, bc, ca of each triangle."""
    valence: NDArray[np.int32]
    """(e,) how many triangles an edge has."""
    forward: NDArray[np.int32]
    """(e,) how many of these run along the edge from its smaller vertex to its larger one."""

    @property
    def closed(self) -> bool:
        """Whether as many triangles run along every edge in one direction as in the other: no edge is a border."""
        return bool((2 * self.forward == self.valence).all())


def find_edges(triangles: Triangles) -> Edges:
    """The edges of the triangles."""
    directed = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    ends, inverse = np.unique(np.sort(directed, axis=1), axis=0, return_inverse=True)
    inverse = inverse.ravel()
    forward = np.bincount(inverse[directed[:, 0] < directed[:, 1]], minlength=len(ends))
    return Edges(
        ends=ends.astype(np.int32),
        of_triangle=inverse.reshape(-1, 3).astype(np.int32),
        valence=np.bincount(inverse, minlength=len(ends)).astype(np.int32),
        forward=forward.astype(np.int32),
    )


def mixed_edges(triangles: Triangles) -> NDArray[np.bool_]:
    """(e,) whether an edge, in the order of `find_edges`, has two triangles that face opposite ways."""
    edges = find_edges(triangles)
    return (edges.valence == 2) & (edges.forward != 1)


def area_vectors(x: Floats, triangles: Triangles) -> Floats:
    """(t, 3) (b − a) × (c − a) of each triangle a, b, c: along its normal, twice its area long [m²]."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def triangle_areas(x: Floats, triangles: Triangles) -> Floats:
    """(t,) [m²]."""
    return 0.5 * np.linalg.norm(area_vectors(x, triangles), axis=1)


def vertex_areas(x: Floats, triangles: Triangles) -> Floats:
    """(n,) a third of the area of the triangles at each vertex [m²]."""
    thirds = np.repeat(triangle_areas(x, triangles) / 3.0, 3)
    return np.bincount(triangles.ravel(), weights=thirds, minlength=len(x)).astype(np.float64)


def vertex_means(values: Floats, corners: NDArray[np.integer], vertex_count: int) -> Floats:
    """(n,) means of the values (e,) of the elements at each vertex; `corners` (e, k) are their vertices; 0 without elements."""
    count = np.bincount(corners.ravel(), minlength=vertex_count)
    total = np.bincount(corners.ravel(), weights=np.repeat(values, corners.shape[1]), minlength=vertex_count)
    return total / np.maximum(count, 1)


def side_lengths(x: Floats, triangles: Triangles) -> Floats:
    """(t, 3) lengths of the sides ab, bc, ca of each triangle [m]."""
    corners = x[triangles]
    return np.linalg.norm(corners[:, [1, 2, 0]] - corners, axis=2)


def signed_volume(x: Floats, triangles: NDArray[np.integer]) -> float:
    """The volume that closed triangles enclose [m³], positive if they face outward."""
    corners = x[triangles] - x[triangles[0, 0]]
    return float(np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0


def merged_corners(points: Floats, triangles: NDArray[np.integer]) -> tuple[Floats, Triangles]:
    """Points with those at exactly the same place made one, in the order of the first of each, and triangles of these.

    Formats that have one normal and one texture coordinate a vertex repeat it along every seam.
    """
    _, first, place = np.unique(points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return points[first[order]], rank[place.ravel()][triangles]


def distance_to_triangles(point: Floats, corners: Floats) -> float:
    """The distance [m] of a point (3,) from the nearest of the triangles, given by their corners (t, 3, 3) [m]."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(b - a, c - a)
    square = np.maximum((normal**2).sum(axis=1), 1e-300)
    height = ((point - a) * normal).sum(axis=1)
    above = np.ones(len(a), dtype=bool)
    nearest = np.inf
    for start, end in ((a, b), (b, c), (c, a)):
        along, away = end - start, point - start
        above &= (np.cross(along, away) * normal).sum(axis=1) >= 0.0
        t = np.clip((away * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300), 0.0, 1.0)
        nearest = min(nearest, float(np.linalg.norm(away - t[:, None] * along, axis=1).min()))
    return min(nearest, float((np.abs(height[above]) / np.sqrt(square[above])).min(initial=np.inf)))


@dataclass(frozen=True, slots=True)
class Winding:
    """Orientation of triangles: which to reverse so that neighbours run along their common edge in opposite directions."""

    flip: NDArray[np.bool_]
    """(t,) whether a triangle must be turned round; in each part the smaller number is."""
    part: Ints
    """(t,) the parts that hang together by edges with two triangles."""
    one_sided: NDArray[np.bool_]
    """(parts,) whether a part cannot be wound consistently, as a Möbius strip."""


def shared_edges(triangles: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """(k, 2) the pairs of triangles with a common edge that no third one has, and whether both run along it alike."""
    edges = find_edges(triangles.astype(np.int32))
    two = edges.valence == 2
    slots = np.flatnonzero(two[edges.of_triangle.ravel()])
    order = slots[np.argsort(edges.of_triangle.ravel()[slots], kind="stable")]
    pairs = (order // 3).reshape(-1, 2)
    return pairs, edges.forward[two] != 1


def winding(triangles: Ints) -> Winding:
    """Triangles to reverse: each is two nodes of a graph, as it is and reversed, which neighbours join."""
    count = len(triangles)
    pairs, alike = shared_edges(triangles)
    other = pairs[:, 1] + count * alike
    rows = np.concatenate([pairs[:, 0], pairs[:, 0] + count])
    columns = np.concatenate([other, (other + count) % (2 * count)])
    graph = coo_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(2 * count, 2 * count))
    _, label = connected_components(graph, directed=False)
    as_is, turned = label[:count], label[count:]
    key = np.minimum(as_is, turned)
    _, part = np.unique(key, return_inverse=True)
    flip = as_is != key
    parts = int(part.max(initial=-1)) + 1
    turned_count = np.bincount(part, weights=flip, minlength=parts)
    mostly = turned_count > 0.5 * np.bincount(part, minlength=parts)
    one_sided = np.zeros(parts, dtype=bool)
    one_sided[part[as_is == turned]] = True
    return Winding(np.where(one_sided[part], False, flip ^ mostly[part]), part, one_sided)

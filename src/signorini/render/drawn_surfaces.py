"""Surfaces made ready for shading at their vertices: split along sharp edges, divided where they are coarse, or subdivided."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from signorini.geometry.triangles import area_vectors, mixed_edges
from signorini.render.light import normal_map, smooth_normals
from signorini.render.subdivision import CHILDREN, Subdivision

Floats = NDArray[np.float64]
Triangles = NDArray[np.int32]
MAX_PARTS = 12
"""Largest number of parts into which an edge is divided for shading: a triangle then becomes 144."""


@dataclass(frozen=True, slots=True)
class DrawnSurface:
    """A body's mesh made ready for shading at its vertices: split along sharp edges and divided where it is coarse.

    The drawn vertices are fixed means of the body's own, so that the drawn surface is the same as the body's in every frame.
    """

    triangles: Triangles
    """(t, 3) of the drawn vertices."""
    _split: Triangles
    """Triangles of the body with its vertices split."""
    _source: NDArray[np.int64]
    """The vertex of the body of each split vertex."""
    _corners: NDArray[np.int64]
    """(n, 3) split vertices that a drawn one is between."""
    _weights: Floats = field(repr=False)
    _summed: csr_array = field(repr=False)
    """The `normal_map` of the split triangles."""
    _parts: int
    """Into how many parts an edge is divided."""

    @classmethod
    def of(cls, points: Floats, triangles: Triangles, *, crease: float | None, longest: float) -> DrawnSurface:
        """For a body that is at `points` (v, 3) in its first frame; edges longer than `longest` [m] are divided."""
        split, source = split_creases(points, triangles, crease)
        corners = points[triangles]
        edge = float(np.linalg.norm(corners[:, [1, 2, 0]] - corners, axis=2).max())
        parts = int(np.clip(np.ceil(edge / longest), 1, MAX_PARTS))
        fine, between, weights = divided(split, parts)
        return cls(fine, split, source, between, weights, normal_map(split, len(source)), parts)

    def spread(self, values: Floats) -> Floats:
        """Values (·, 3, k) at the corners of the drawn triangles, of those (t, 3, k) at the corners of the body's."""
        weights, local = _division(self._parts)
        return np.einsum("lcj,tjk->tlck", weights[local] / self._parts, values).reshape(-1, 3, values.shape[2])

    def place(self, points: Floats) -> tuple[Floats, Floats]:
        """Drawn vertices (n, 3) [m] and their normals (n, 3) for the body's vertices (v, 3)."""
        own = points[self._source]
        normals = np.einsum("nk,nki->ni", self._weights, smooth_normals(own, self._split, self._summed)[self._corners])
        length = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        return np.einsum("nk,nki->ni", self._weights, own[self._corners]), normals / length


@dataclass(frozen=True, slots=True)
class DrawnCloth:
    """A subdivided sheet. It is lit at the vertices of the body and drawn with those of the finer mesh."""

    part: Subdivision
    triangles: Triangles
    """(4 t, 3) of the finer mesh, with its vertices split where triangles face opposite ways."""
    _source: NDArray[np.int64]
    """The vertex of the finer mesh of each drawn one."""
    _summed: csr_array = field(repr=False)

    @classmethod
    def of(cls, part: Subdivision, points: Floats) -> DrawnCloth:
        """For the subdivision of a sheet whose vertices are at `points` (v, 3) in its first frame."""
        split, source = split_creases(part.flat @ points, part.triangles, None)
        return cls(part, split, source, normal_map(split, len(source)))

    def spread(self, values: Floats) -> Floats:
        """Values (4 t, 3, k) at the corners of the finer triangles, of those (t, 3, k) at the corners of the body's."""
        return (CHILDREN @ values[:, None]).reshape(-1, 3, values.shape[2])

    def place(self, points: Floats) -> tuple[Floats, Floats]:
        """The vertices (m, 3) of the finer mesh as they are, and their normals."""
        own = points[self._source]
        return own, smooth_normals(own, self.triangles, self._summed).astype(np.float64)

    def between(self, values: Floats) -> Floats:
        """Values (m, ...) at the drawn vertices of those (v, ...) at the vertices of the body."""
        return (self.part.flat @ values)[self._source]


def split_creases(points: Floats, triangles: Triangles, crease: float | None) -> tuple[Triangles, NDArray[np.int64]]:
    """Triangles that share a vertex only where the surface is smooth, and the old vertex (n,) of each new one.

    Without a `crease` [rad] that is everywhere, but for triangles that face opposite ways, as at the seam of a Möbius strip.
    """
    if crease is None:
        if not mixed_edges(triangles).any():
            return triangles, np.arange(len(points))
        crease = np.pi
    normals = area_vectors(points, triangles)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    start, end = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()  # half-edge 3 t + k leaves corner k of triangle t
    order = np.lexsort((np.maximum(start, end), np.minimum(start, end)))
    one, other = order[:-1], order[1:]
    same = (start[one] == end[other]) & (end[one] == start[other])
    smooth = np.sum(normals[one // 3] * normals[other // 3], axis=1) > np.cos(crease)
    one, other = one[same & smooth], other[same & smooth]
    ahead_one, ahead_other = 3 * (one // 3) + (one + 1) % 3, 3 * (other // 3) + (other + 1) % 3
    # a half-edge begins where its opposite one ends
    links = (np.concatenate([one, ahead_one]), np.concatenate([ahead_other, other]))
    graph = coo_array((np.ones(len(links[0]), np.int8), links), shape=(len(start), len(start)))
    label = connected_components(graph, directed=False)[1]
    _, first = np.unique(label, return_index=True)
    return label.reshape(-1, 3).astype(np.int32), start[first].astype(np.int64)


def divided(triangles: Triangles, parts: int) -> tuple[Triangles, NDArray[np.int64], Floats]:
    """Every triangle divided into `parts`² equal ones: triangles, and the old vertices (n, 3) and weights of each new one."""
    weights, local = _division(parts)
    weight = np.broadcast_to(weights, (len(triangles), *weights.shape)).reshape(-1, 3)
    corner = np.repeat(triangles.astype(np.int64), len(weights), axis=0)
    corner = np.where(weight > 0, corner, -1)  # so that a point on an edge has the same name from both sides
    order = np.argsort(corner, axis=1)
    names = np.hstack([np.take_along_axis(corner, order, 1), np.take_along_axis(weight, order, 1)])
    unique, index = np.unique(names, axis=0, return_inverse=True)
    starts = len(weights) * np.arange(len(triangles))[:, None, None]
    fine = index.ravel()[(local[None] + starts).reshape(-1, 3)]
    return fine.astype(np.int32), np.maximum(unique[:, :3], 0), unique[:, 3:] / parts


def _division(parts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A triangle in `parts`² equal ones: weights (n, 3) of its corners at all points, times `parts`, and the triangles."""
    i, j = np.array([(i, j) for j in range(parts + 1) for i in range(parts + 1 - j)]).T
    number = {(a, b): k for k, (a, b) in enumerate(zip(i.tolist(), j.tolist(), strict=True))}
    local = [(number[a, b], number[a + 1, b], number[a, b + 1]) for a, b in number if a + b < parts]
    local += [(number[a + 1, b], number[a + 1, b + 1], number[a, b + 1]) for a, b in number if a + b < parts - 1]
    return np.stack([parts - i - j, i, j], axis=1), np.array(local)

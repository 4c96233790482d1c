"""One step of Loop subdivision: every triangle becomes four, and vertices move to where the surface is smooth.

Implements: Loop1987 with Warren's weights inside; the hems follow the cubic B-spline of their boundary, so that they do not
depend on what lies inside, and corners stay where they are (Otaduy2009 §6 shows its results with one step of it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from signorini.geometry.triangles import find_edges

Floats = NDArray[np.float64]
CORNER = np.radians(50.0)
"""Angle by which a hem turns at a vertex from which on it is a corner [rad]."""

_A, _B, _C = np.eye(3)
CHILDREN = np.array(
    [
        [_A, (_A + _B) / 2, (_C + _A) / 2],
        [(_A + _B) / 2, _B, (_B + _C) / 2],
        [(_C + _A) / 2, (_B + _C) / 2, _C],
        [(_A + _B) / 2, (_B + _C) / 2, (_C + _A) / 2],
    ]
)
"""(4, 3, 3) the four triangles of a triangle abc: weights of a, b, c at the corners of each."""


@dataclass(frozen=True, slots=True, eq=False)
class Subdivision:
    """Maps from n vertices to those of the finer mesh: the n vertices first, then one for each edge."""

    triangles: NDArray[np.int32]
    """(4 t, 3)"""
    ends: NDArray[np.int32]
    """(e, 2) the ends of the edges that the new vertices belong to."""
    flat: csr_array
    """(m, n) vertices stay, new ones are in the middle of edges: the same surface."""
    bend: csr_array
    """(m, n) from there to the smooth surface."""
    count: int
    """m"""


def loop_subdivision(points: Floats, triangles: NDArray[np.int32]) -> Subdivision:
    """The subdivision of a mesh; points (n, 3), in any pose without folds, tell which vertices of hems are corners."""
    count, edges = len(points), find_edges(triangles)
    ends, of_triangle = edges.ends, edges.of_triangle
    middle = count + of_triangle  # new vertices of the edges ab, bc, ca
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    fine = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]], axis=0)  # (4, 3, t)
    fine = fine.transpose(2, 0, 1).reshape(-1, 3).astype(np.int32)
    total = count + len(ends)
    flat = _matrix(
        total,
        count,
        [(np.arange(count), np.arange(count), 1.0)]
        + [(count + np.arange(len(ends)), ends[:, k], 0.5) for k in range(2)],
    )
    hem = edges.valence != 2
    return Subdivision(fine, ends, flat, (_smooth(points, triangles, ends, of_triangle, hem) - flat).tocsr(), total)


def _smooth(
    points: Floats,
    triangles: NDArray[np.int32],
    ends: NDArray[np.int32],
    of_triangle: NDArray[np.int32],
    hem: NDArray[np.bool_],
) -> csr_array:
    """(m, n) the rules of Loop."""
    count = len(points)
    inner = np.flatnonzero(~hem)
    entries: list[tuple[Any, Any, Any]] = [(count + np.flatnonzero(hem), ends[hem, k], 0.5) for k in range(2)]
    entries += [(count + inner, ends[inner, k], 3.0 / 8.0) for k in range(2)]
    opposite = triangles[:, [2, 0, 1]]  # of the edges ab, bc, ca
    inside = ~hem[of_triangle]
    entries.append((count + of_triangle[inside], opposite[inside], 1.0 / 8.0))
    on_hem = np.zeros(count, np.bool_)
    on_hem[ends[hem]] = True
    valence = np.bincount(ends.ravel(), minlength=count)
    weight = np.where(valence == 3, 3.0 / 16.0, 3.0 / (8.0 * np.maximum(valence, 1)))  # of each neighbour
    free = np.flatnonzero(~on_hem)
    entries.append((free, free, 1.0 - valence[free] * weight[free]))
    for one, other in ((0, 1), (1, 0)):
        rows = np.flatnonzero(~on_hem[ends[:, one]])
        entries.append((ends[rows, one], ends[rows, other], weight[ends[rows, one]]))
    return _matrix(count + len(ends), count, entries + _hem_rules(points, ends[hem], on_hem))


def _hem_rules(points: Floats, ends: NDArray[np.int32], on_hem: NDArray[np.bool_]) -> list[tuple[Any, Any, Any]]:
    """Vertices of hems: 1/8, 3/4, 1/8 along the hem, or fixed where it has a corner or branches."""
    count = len(points)
    degree = np.bincount(ends.ravel(), minlength=count)
    towards = np.zeros((count, 3))  # sum of the two unit vectors along the hem: long where it turns
    along = points[ends[:, 1]] - points[ends[:, 0]]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
    np.add.at(towards, ends[:, 0], along)
    np.add.at(towards, ends[:, 1], -along)
    corner = (degree != 2) | (np.linalg.norm(towards, axis=1) > 2.0 * np.sin(0.5 * CORNER))
    fixed, moved = np.flatnonzero(on_hem & corner), np.flatnonzero(on_hem & ~corner)
    rules: list[tuple[Any, Any, Any]] = [(fixed, fixed, 1.0), (moved, moved, 0.75)]
    for one, other in ((0, 1), (1, 0)):
        rows = np.flatnonzero(~corner[ends[:, one]])
        rules.append((ends[rows, one], ends[rows, other], 0.125))
    return rules


def _matrix(rows: int, columns: int, entries: list[tuple[Any, Any, Any]]) -> csr_array:
    """A sparse matrix from rows, columns and values."""
    i = np.concatenate([np.asarray(e[0]).ravel() for e in entries])
    j = np.concatenate([np.asarray(e[1]).ravel() for e in entries])
    value = np.concatenate([np.broadcast_to(e[2], np.asarray(e[0]).shape).ravel() for e in entries])
    return coo_array((value, (i, j)), shape=(rows, columns)).tocsr()

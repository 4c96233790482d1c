"""Isosurface of a function as a closed mesh with triangles of nearly one size.

Marching tetrahedra on a body-centred cubic lattice give a closed manifold for every function, whatever its values; a few
rounds of smoothing along the surface, each followed by a step back onto it, make the triangles even.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.lattice import lattice
from signorini.geometry.shapes import box
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import triangle_areas

Function = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From points (n, 3) to values (n,), negative inside and growing about as fast as the distance."""

_ROUNDS = 20
"""Rounds of smoothing and projection that even out the triangles."""
_CELL = 2.3
"""Cell of the lattice over the edge of the surface: a lattice edge has one vertex, a face of a tetrahedron one edge."""
_EDGES = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])


def isosurface(function: Function, low: NDArray[np.float64], high: NDArray[np.float64], *, edge: float) -> TriangleMesh:
    """The surface function(x) = 0 within the box from `low` to `high` (3,) [m], with edges of about `edge` [m].

    The surface must not reach the sides of the box, and its details should be larger than `edge`.
    """
    frame = box(*(high - low).tolist()).moved(np.eye(3), 0.5 * (low + high))
    grid = lattice(frame, cell=_CELL * edge)
    vertices, triangles = _march(grid, function(grid.vertices))
    for _ in range(_ROUNDS):
        vertices = _onto(_smoothed(vertices, triangles), function, edge, steps=1)
    return TriangleMesh(_onto(vertices, function, edge, steps=4), triangles)


def _march(grid: TetMesh, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """One vertex on every edge between inside and outside, one or two triangles in every tetrahedron with both."""
    inside = values[grid.tetrahedra] <= 0.0
    mixed = inside.any(axis=1) & ~inside.all(axis=1)
    tetrahedra, inside = grid.tetrahedra[mixed], inside[mixed]
    corners: list[NDArray[np.int32]] = []
    for pattern in range(1, 15):
        bits = np.array([(pattern >> k) & 1 for k in range(4)], dtype=bool)
        chosen = tetrahedra[(inside == bits).all(axis=1)]
        for triangle in _triangles_of(bits):
            corners.append(np.stack([np.sort(chosen[:, _EDGES[e]], axis=1) for e in triangle], axis=1))
    ends, number = np.unique(np.concatenate(corners).reshape(-1, 2), axis=0, return_inverse=True)
    a, b = values[ends[:, 0]], values[ends[:, 1]]
    s = np.clip(a / (a - b), 0.1, 0.9)[:, None]
    return (1.0 - s) * grid.vertices[ends[:, 0]] + s * grid.vertices[ends[:, 1]], number.reshape(-1, 3).astype(np.int32)


def _triangles_of(inside: NDArray[np.bool_]) -> list[list[int]]:
    """The edges whose vertices make the triangles of a tetrahedron of positive volume, outward."""
    tet = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    crossed = [e for e, (i, j) in enumerate(_EDGES) if inside[i] != inside[j]]
    if len(crossed) == 4:  # go around: neighbours share a corner
        first = crossed[0]
        (last,) = (e for e in crossed if not set(_EDGES[e]) & set(_EDGES[first]))
        second, third = (e for e in crossed if e not in (first, last))
        crossed = [first, second, last, third]
    middle = tet[_EDGES[crossed]].mean(axis=1)
    normal = np.cross(middle[1] - middle[0], middle[2] - middle[0])
    if normal @ (tet[~inside].mean(axis=0) - tet[inside].mean(axis=0)) < 0.0:
        crossed.reverse()
    return [[crossed[0], crossed[k], crossed[k + 1]] for k in range(1, len(crossed) - 1)]


def _smoothed(x: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.float64]:
    """Every vertex halfway to the mean of the triangles around it, by their areas."""
    corners = x[triangles]
    area = triangle_areas(x, triangles)
    total, weight = np.zeros_like(x), np.zeros(len(x))
    for k in range(3):
        np.add.at(total, triangles[:, k], area[:, None] * corners.mean(axis=1))
        np.add.at(weight, triangles[:, k], area)
    return 0.5 * (x + total / weight[:, None])


def _onto(x: NDArray[np.float64], function: Function, edge: float, *, steps: int) -> NDArray[np.float64]:
    """Newton steps along the gradient, none longer than a third of an edge."""
    h = 1e-3 * edge
    for _ in range(steps):
        gradient = np.stack([function(x + h * d) - function(x - h * d) for d in np.eye(3)], axis=1) / (2.0 * h)
        step = function(x)[:, None] * gradient / np.maximum((gradient * gradient).sum(axis=1), 1e-12)[:, None]
        length = np.linalg.norm(step, axis=1, keepdims=True)
        x = x - step * np.minimum(1.0, edge / (3.0 * np.maximum(length, 1e-300)))
    return x

"""Closed surfaces of machine parts: prisms of flat figures, and surfaces swept by a ring of points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangulation import triangulate

Floats = NDArray[np.float64]


def circle(radius: float, count: int, *, turned: float = 0.0) -> Floats:
    """(count, 2) points on a circle around the origin, counter-clockwise, the first at the angle `turned` [rad]."""
    angles = turned + 2.0 * np.pi * np.arange(count) / count
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def circle_around(radius: float, count: int) -> Floats:
    """(count, 2) corners of a regular polygon whose sides touch a circle of `radius` from outside: for bores."""
    return circle(radius / np.cos(np.pi / count), count)


def prism(contours: Sequence[Floats], depth: float) -> TriangleMesh:
    """The figure between closed contours (n, 2) in the plane z = 0, `depth` [m] thick; an inner contour is a hole."""
    flat = triangulate(contours)
    n = len(flat.points)
    vertices = np.concatenate(
        [np.column_stack([flat.points, np.full(n, z)]) for z in (-0.5 * depth, 0.5 * depth)], dtype=np.float64
    )
    a, b = flat.boundary.T
    triangles = [
        flat.triangles[:, ::-1],
        flat.triangles + n,
        np.column_stack([a, b, b + n]),
        np.column_stack([a, b + n, a + n]),
    ]
    return TriangleMesh(vertices, np.concatenate(triangles).astype(np.int32))


def ring_surface(rings: Floats, *, joined: bool, falling: NDArray[np.bool_] | bool = False) -> TriangleMesh:
    """The surface through rings (k, n, 3) of n points each, which follow one another.

    `joined` leads from the last ring back to the first (a tube around a hole); otherwise the first and the last ring are
    closed by a fan from their middle. The triangles are outward where the rings run counter-clockwise, seen against the
    direction in which they follow one another. The diagonals run from point i of a ring to i + 1 of the next, or from i + 1 to i
    where they are `falling`, a choice for all or (n,) for each i.
    """
    k, n = rings.shape[:2]
    row, column = (a.ravel() for a in np.meshgrid(np.arange(k if joined else k - 1), np.arange(n), indexing="ij"))
    here, above, right = row * n, (row + 1) % k * n, (column + 1) % n
    a, b, c, d = here + column, here + right, above + right, above + column
    choice = np.broadcast_to(falling, n)[column][:, None]
    triangles = [
        np.where(choice, np.column_stack([a, b, d]), np.column_stack([a, b, c])),
        np.where(choice, np.column_stack([b, c, d]), np.column_stack([a, c, d])),
    ]
    vertices = [rings.reshape(-1, 3)]
    if not joined:
        first, last, around = k * n, k * n + 1, np.arange(n)
        after = (around + 1) % n
        vertices.append(rings[[0, -1]].mean(axis=1))
        triangles.append(np.column_stack([after, around, np.full(n, first)]))
        triangles.append(np.column_stack([around, after, np.full(n, last - (k - 1) * n)]) + (k - 1) * n)
    return TriangleMesh(np.concatenate(vertices), np.concatenate(triangles).astype(np.int32))


def revolved(profile: Sequence[tuple[float, float]], count: int, *, joined: bool = False) -> TriangleMesh:
    """The surface of revolution about z of a profile of (radius, z) [m], as polygons of `count` corners.

    An open profile goes upwards and is closed by discs at its ends; a `joined` one goes round a hole, outer side upwards.
    """
    unit = circle(1.0, count)
    rings = [np.column_stack([radius * unit, np.full(count, z)]) for radius, z in profile]
    return ring_surface(np.array(rings), joined=joined)


def spool(radius: float, length: float, *, collar: float, collar_width: float, count: int) -> TriangleMesh:
    """An axle along z: a pin of `radius` between two collars, `length` [m] apart, that keep what turns on it in place."""
    inner, outer = 0.5 * length, 0.5 * length + collar_width
    profile = [(collar, -outer), (collar, -inner), (radius, -inner), (radius, inner), (collar, inner), (collar, outer)]
    return revolved(profile, count)


def upright(mesh: TriangleMesh) -> TriangleMesh:
    """The mesh turned about x by a quarter: its y is up then, and its axis z is horizontal, along -y."""
    x, y, z = mesh.vertices.T
    return TriangleMesh(np.column_stack([x, -z, y]), mesh.triangles)

"""Bad meshes of good shapes: ragged, of random triangles, of slivers, very fine or very coarse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

from signorini.geometry import shapes
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh

Floats = NDArray[np.float64]
Random = np.random.Generator
LEAST_ANGLE = 2e-3
"""Height over the longest edge of a triangle, below which random points are drawn again: a quarter of any height is the largest
contact distance, so that thinner ones only make scenes slow."""
LEAST_VOLUME = 0.02
"""Volume of a tetrahedron over the mean, below which a ragged volume is drawn again."""
TRIES = 20


def bad_sheet(random: Random, size: float) -> TriangleMesh:
    """A flat sheet about `size` [m] wide: ragged, of random triangles, of slivers, fine or coarse."""
    kind = random.integers(5)
    if kind == 0:
        return ragged(random, shapes.grid(size, size, cells=int(random.integers(3, 10))))
    if kind == 1:
        return random_triangles(random, size, int(random.integers(8, 90)))
    if kind == 2:
        return shapes.grid(size, size, cells=(int(random.integers(16, 40)), int(random.integers(1, 4))))
    if kind == 3:
        return shapes.grid(size, size, cells=int(random.integers(12, 19)))
    return shapes.grid(size, size, cells=1, diagonals="uniform")


def ragged(random: Random, mesh: TriangleMesh) -> TriangleMesh:
    """A flat grid whose vertices are moved in its plane by up to a third of its shortest edge."""
    edges = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    shortest = np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1).min()
    x = mesh.vertices.copy()
    x[:, :2] += random.uniform(-1.0, 1.0, (len(x), 2)) * shortest / 3.5
    return TriangleMesh(x, mesh.triangles)


def random_triangles(random: Random, size: float, count: int) -> TriangleMesh:
    """A square sheet of `size` [m] with `count` random points inside, joined by Delaunay: slivers and triangles of all sizes."""
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    for _ in range(TRIES):
        points = np.concatenate([corners, random.uniform(-0.48, 0.48, (count, 2))])
        triangles = Delaunay(points).simplices
        a, b, c = (points[triangles[:, k]] for k in range(3))
        area = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
        triangles = np.where((area < 0.0)[:, None], triangles[:, ::-1], triangles)
        longest = np.maximum.reduce([np.linalg.norm(p - q, axis=1) for p, q in ((a, b), (b, c), (c, a))])
        if (2.0 * np.abs(area) / longest > LEAST_ANGLE * longest).all():
            break
    else:
        return shapes.grid(size, size, cells=4)
    return TriangleMesh(size * np.column_stack([points, np.zeros(len(points))]), triangles.astype(np.int32))


def bumpy(random: Random, mesh: TriangleMesh) -> TriangleMesh:
    """A closed surface around the origin that any ray from there meets once, moved in and out along these rays."""
    factor = 1.0 + random.uniform(-0.25, 0.25) * random.uniform(0.0, 1.0, len(mesh.vertices))
    return TriangleMesh(mesh.vertices * factor[:, None], mesh.triangles)


def ragged_tets(random: Random, tets: TetMesh) -> TetMesh:
    """A volume whose vertices are moved by up to a quarter of its shortest edge; as it is if some tetrahedron would be flat."""
    pairs = [(a, b) for a in range(4) for b in range(a)]
    x, corners = tets.vertices, tets.tetrahedra
    shortest = min(float(np.linalg.norm(x[corners[:, a]] - x[corners[:, b]], axis=1).min()) for a, b in pairs)
    for _ in range(TRIES):
        moved = x + random.uniform(-0.25, 0.25, x.shape) * shortest
        p = moved[corners]
        volume = np.einsum("ij,ij->i", np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), p[:, 3] - p[:, 0])
        if volume.min() > LEAST_VOLUME * volume.mean():
            return TetMesh(moved, corners)
    return tets

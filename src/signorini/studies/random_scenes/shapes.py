"""Random meshes of about a given size, around the origin: closed surfaces, sheets, tetrahedra and curves."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_uppercase

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from signorini.gallery.mechanisms.swept_shapes import circle, prism
from signorini.geometry import shapes
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.studies.random_scenes.meshes import bumpy

Floats = NDArray[np.float64]
Random = np.random.Generator


def random_closed(random: Random, size: float) -> TriangleMesh:
    """A closed surface about `size` [m] long: round, flat, thin, with a hole or with corners."""
    return _centred(_CLOSED[random.integers(len(_CLOSED))](random, size))


def random_sheet(random: Random, size: float) -> TriangleMesh:
    """A sheet about `size` [m] wide: a square, a strip, or now and then a closed skin."""
    kind = random.integers(4)
    cells = int(random.integers(2, 8))
    if kind == 0:
        return shapes.grid(size, size, cells=cells)
    if kind == 1:
        return shapes.grid(size, 0.4 * size, cells=(2 * cells, max(cells // 2, 1)), diagonals="uniform")
    if kind == 2:
        return shapes.grid(size, 0.1 * size, cells=(3 * cells, 1))
    return shapes.sphere(0.5 * size, subdivisions=int(random.integers(1, 4)))


def random_tets(random: Random, size: float) -> TetMesh:
    """A volume about `size` [m] long: a block, a slab, a bar, a ball or a cylinder."""
    kind = random.integers(5)
    cells = int(random.integers(1, 4))
    if kind == 0:
        return shapes.box_tets(size, size, size, cells=cells)
    if kind == 1:
        return shapes.box_tets(size, size, 0.2 * size, cells=(cells + 1, cells + 1, 1))
    if kind == 2:
        return shapes.box_tets(size, 0.2 * size, 0.2 * size, cells=(2 * cells, 1, 1))
    if kind == 3:
        return shapes.sphere_tets(0.5 * size, edge=0.5 * size / random.uniform(1.0, 2.5))
    return shapes.cylinder_tets(0.25 * size, size, edge=0.25 * size)


def random_curve(random: Random, size: float) -> tuple[Floats, bool]:
    """(n, 3) points of a rod about `size` [m] long, and whether it is closed: straight, a helix or a ring."""
    kind, count = random.integers(3), int(random.integers(5, 20))
    s = np.linspace(0.0, 1.0, count)
    if kind == 0:
        return np.column_stack([size * (s - 0.5), np.zeros(count), np.zeros(count)]), False
    if kind == 1:
        angle = 2.0 * np.pi * random.uniform(0.5, 2.0) * s
        return 0.5 * size * np.column_stack([np.cos(angle), np.sin(angle), 2.0 * s - 1.0]), False
    angle = 2.0 * np.pi * np.arange(count) / count
    return 0.5 * size * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)]), True


def _box(random: Random, size: float) -> TriangleMesh:
    a, b, c = size * random.uniform(0.3, 1.0, 3)
    return shapes.box(a, b, c, cells=int(random.integers(1, 4)))


def _sphere(random: Random, size: float) -> TriangleMesh:
    return shapes.sphere(0.5 * size, subdivisions=int(random.integers(1, 5)))


def _cylinder(random: Random, size: float) -> TriangleMesh:
    radius = size * random.uniform(0.1, 0.5)
    return shapes.cylinder(radius, size * random.uniform(0.2, 1.0), edge=0.7 * radius)


def _capsule(random: Random, size: float) -> TriangleMesh:
    radius = size * random.uniform(0.1, 0.25)
    return shapes.capsule(radius, size - 2.0 * radius, edge=0.8 * radius)


def _torus(random: Random, size: float) -> TriangleMesh:
    minor = size * random.uniform(0.05, 0.15)
    return shapes.torus(0.5 * size - minor, minor, edge=1.2 * minor)


def _needle(random: Random, size: float) -> TriangleMesh:
    thin = size * float(np.exp(random.uniform(np.log(0.005), np.log(0.05))))
    return shapes.box(size, thin, thin, cells=(int(random.integers(1, 12)), 1, 1))


def _card(random: Random, size: float) -> TriangleMesh:
    thin = size * float(np.exp(random.uniform(np.log(0.002), np.log(0.03))))
    return shapes.box(size, 0.7 * size, thin, cells=(*random.integers(1, 5, 2).tolist(), 1))


def _rock(random: Random, size: float) -> TriangleMesh:
    """The convex hull of some points on an ellipsoid; of four, a tetrahedron."""
    points = random.normal(size=(int(random.integers(4, 20)), 3))
    points *= 0.5 * size / np.linalg.norm(points, axis=1, keepdims=True)
    hull = ConvexHull(points * random.uniform(0.4, 1.0, 3))
    corners = hull.points[hull.simplices]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ti,ti->t", normal, hull.equations[:, :3]) < 0.0
    triangles = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    used, numbers = np.unique(triangles, return_inverse=True)
    return TriangleMesh(hull.points[used], numbers.reshape(-1, 3).astype(np.int32))


def _letter(random: Random, size: float) -> TriangleMesh:
    letter = ascii_uppercase[random.integers(26)]
    return shapes.text(letter, height=size, depth=size * random.uniform(0.1, 0.5), edge=0.5 * size)


def _many_sided(random: Random, size: float) -> TriangleMesh:
    """A prism of many sides: its faces are slivers, and its ends fans of them."""
    radius, sides = size * random.uniform(0.1, 0.5), int(random.integers(12, 40))
    return prism([circle(radius, sides)], size * random.uniform(0.3, 1.0))


def _potato(random: Random, size: float) -> TriangleMesh:
    """A ball with bumps and hollows."""
    return bumpy(random, shapes.sphere(0.4 * size, subdivisions=int(random.integers(2, 5))))


_CLOSED: tuple[Callable[[Random, float], TriangleMesh], ...] = (
    _box, _sphere, _cylinder, _capsule, _torus, _needle, _card, _rock, _letter,
    _many_sided, _potato,
)  # fmt: skip


def _centred(mesh: TriangleMesh) -> TriangleMesh:
    """The mesh with the middle of its bounding box at the origin."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    return mesh.moved(np.eye(3), -0.5 * (low + high))

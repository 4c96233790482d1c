"""Ready-made meshes: a flat grid, closed surfaces of simple solids and of text, and volumes of tetrahedra.

Lengths are in metres. Every shape is centred at the origin; shapes with an axis have it along z. Closed surfaces have
outward normals (counter-clockwise triangles seen from outside), and triangles of nearly one size. `edge` is the length
that the edges of the triangles should have; the number of triangles is chosen so that most are close to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_choice, check_positive
from signorini.errors import InputError, short
from signorini.geometry.lattice import from_tetwild, lattice
from signorini.geometry.memory_limit import BYTES_PER_TRIANGLE, check_room
from signorini.geometry.tet_shapes import box_tets, cylinder_tets, sphere_tets
from signorini.geometry.text_shapes import text
from signorini.geometry.triangle_mesh import TriangleMesh

__all__ = [
    "box",
    "box_tets",
    "capsule",
    "cylinder",
    "cylinder_tets",
    "from_tetwild",
    "grid",
    "lattice",
    "sphere",
    "sphere_tets",
    "text",
    "torus",
]

Diagonals = Literal["alternate", "uniform"]


def grid(
    width: float, depth: float, *, cells: int | Sequence[int] = 10, diagonals: Diagonals = "alternate"
) -> TriangleMesh:
    """A flat sheet in the plane z = 0, `width` along x and `depth` along y [m], normals along +z.

    `cells` is the number of squares along x and y (one number for both). The vertices come row by row, x fastest: with
    `cells=(nx, ny)`, vertex `j * (nx + 1) + i` is column i of row j. The corners are therefore `0` (-x, -y), `nx`
    (+x, -y), `ny * (nx + 1)` (-x, +y) and `(ny + 1) * (nx + 1) - 1` (+x, +y).

    `diagonals="alternate"` flips the diagonal from one square to the next, like a chess board, so that the sheet has no
    preferred diagonal direction; `"uniform"` has all diagonals from (-x, -y) to (+x, +y).
    """
    w = check_positive("width of a grid", width, unit="m")
    d = check_positive("depth of a grid", depth, unit="m")
    nx, ny = _counts("cells of a grid", cells, 2)
    check_choice("diagonals of a grid", diagonals, ("alternate", "uniform"))
    _check_triangles(f"cells of a grid = {short(cells)}", 2 * nx * ny, "use fewer cells")
    x, y = np.meshgrid(np.linspace(-0.5 * w, 0.5 * w, nx + 1), np.linspace(-0.5 * d, 0.5 * d, ny + 1))
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    return _mesh(vertices, _grid_triangles(nx, ny, alternate=diagonals == "alternate"))


def box(width: float, depth: float, height: float, *, cells: int | Sequence[int] = 1) -> TriangleMesh:
    """The closed surface of a box, `width` along x, `depth` along y and `height` along z [m].

    `cells` is the number of squares along x, y and z (one number for all three).
    """
    sizes = [
        check_positive(f"{name} of a box", value, unit="m")
        for name, value in (("width", width), ("depth", depth), ("height", height))
    ]
    counts = _counts("cells of a box", cells, 3)
    squares = 2 * (counts[0] * counts[1] + counts[1] * counts[2] + counts[2] * counts[0])
    _check_triangles(f"cells of a box = {short(cells)}", 2 * squares, "use fewer cells")
    points: list[NDArray[np.int64]] = []
    triangles: list[NDArray[np.int64]] = []
    start = 0
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, 1):
            j, i = np.meshgrid(np.arange(counts[v] + 1), np.arange(counts[u] + 1), indexing="ij")
            face = np.empty((i.size, 3), dtype=np.int64)
            face[:, u], face[:, v], face[:, axis] = i.ravel(), j.ravel(), side * counts[axis]
            faces = _grid_triangles(counts[u], counts[v], alternate=True) + start
            points.append(face)
            triangles.append(faces if side else faces[:, ::-1])
            start += len(face)
    lattice, number = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    vertices = (lattice / np.array(counts) - 0.5) * np.array(sizes)
    return _mesh(vertices, number.ravel()[np.concatenate(triangles)])


LARGEST_SUBDIVISION = 1000
"""Largest number of subdivisions of a sphere: 20 million triangles."""


def sphere(radius: float, *, subdivisions: int | None = None, edge: float | None = None) -> TriangleMesh:
    """A sphere of `radius` [m]: an icosahedron whose every edge is divided into `subdivisions` parts (default 8).

    It has 10 s² + 2 vertices and 20 s² triangles, without poles. Give `subdivisions` or `edge` [m], not both.
    """
    r = check_positive("radius of a sphere", radius, unit="m")
    if subdivisions is not None and edge is not None:
        raise InputError("give either subdivisions or edge of a sphere, not both")
    if edge is not None:
        target = check_positive("edge of a sphere", edge, unit="m")
        subdivisions = _bounded("edge of a sphere", edge, 1.15 * r / target)
    (count,) = _counts("subdivisions of a sphere", 8 if subdivisions is None else subdivisions, 1)
    if count > LARGEST_SUBDIVISION:
        raise InputError(f"subdivisions of a sphere must be at most {LARGEST_SUBDIVISION}, got {count}")
    _check_triangles(f"subdivisions of a sphere = {count}", 20 * count**2, "use fewer, or a longer edge")
    corners, faces = _icosahedron()
    i, j = np.array([(i, j) for j in range(count + 1) for i in range(count + 1 - j)]).T
    number = {(a, b): k for k, (a, b) in enumerate(zip(i.tolist(), j.tolist(), strict=True))}
    local = [(number[a, b], number[a + 1, b], number[a, b + 1]) for a, b in number if a + b < count]
    local += [(number[a + 1, b], number[a + 1, b + 1], number[a, b + 1]) for a, b in number if a + b < count - 1]
    weights = np.stack([count - i - j, i, j], axis=1)
    # A point is named by its integer weights on the twelve corners, so that shared points of two faces are the same.
    names = np.zeros((len(faces), len(weights), 12), dtype=np.int32)
    for f, face in enumerate(faces):
        names[f][:, face] = weights
    unique, index = np.unique(names.reshape(-1, 12), axis=0, return_inverse=True)
    vertices = unique @ corners
    vertices *= r / np.linalg.norm(vertices, axis=1, keepdims=True)
    starts = len(weights) * np.arange(len(faces))[:, None, None]
    return _mesh(vertices, index.ravel()[(np.array(local)[None] + starts).reshape(-1, 3)])


def cylinder(radius: float, height: float, *, edge: float | None = None) -> TriangleMesh:
    """A closed cylinder along z, of `radius` and `height` [m]; `edge` [m] is radius / 4 if not given."""
    r = check_positive("radius of a cylinder", radius, unit="m")
    h = check_positive("height of a cylinder", height, unit="m")
    length = check_positive("edge of a cylinder", 0.25 * r if edge is None else edge, unit="m")
    rings = _bounded("edge of a cylinder", length, r / length)
    floors = _bounded("edge of a cylinder", length, h / (length * math.sqrt(0.75)))
    profile = [(r * k / rings, -0.5 * h) for k in range(rings)]
    profile += [(r, h * (k / floors - 0.5)) for k in range(floors + 1)]
    profile += [(r * k / rings, 0.5 * h) for k in reversed(range(rings))]
    return _revolved(profile, length)


def capsule(radius: float, height: float, *, edge: float | None = None) -> TriangleMesh:
    """A cylinder of `radius` and `height` [m] along z between two half spheres: `height + 2 radius` long in all.

    `edge` [m] is radius / 4 if not given.
    """
    r = check_positive("radius of a capsule", radius, unit="m")
    h = check_positive("height of a capsule", height, unit="m")
    length = check_positive("edge of a capsule", 0.25 * r if edge is None else edge, unit="m")
    row = length * math.sqrt(0.75)
    rings = max(2, _bounded("edge of a capsule", length, 0.5 * math.pi * r / row))
    floors = _bounded("edge of a capsule", length, h / row)
    angles = 0.5 * math.pi * np.arange(rings + 1) / rings
    dome = [(float(r * np.sin(a)) if k else 0.0, float(r * np.cos(a))) for k, a in enumerate(angles)]
    dome[-1] = (r, 0.0)
    profile = [(p, -0.5 * h - z) for p, z in dome]
    profile += [(r, h * (k / floors - 0.5)) for k in range(1, floors)]
    profile += [(p, 0.5 * h + z) for p, z in reversed(dome)]
    return _revolved(profile, length)


def torus(major_radius: float, minor_radius: float, *, edge: float | None = None) -> TriangleMesh:
    """A ring around z: the tube of `minor_radius` [m] has its centre line at `major_radius` [m] from the axis.

    `edge` [m] is minor_radius / 2 if not given.
    """
    R = check_positive("major_radius of a torus", major_radius, unit="m")
    r = check_positive("minor_radius of a torus", minor_radius, unit="m")
    if r >= R:
        raise InputError(f"minor_radius of a torus must be below major_radius, got {r:g} m and {R:g} m")
    length = check_positive("edge of a torus", 0.5 * r if edge is None else edge, unit="m")
    nu = max(3, _bounded("edge of a torus", length, 2.0 * math.pi * R / length))
    nv = max(3, _bounded("edge of a torus", length, 2.0 * math.pi * r / length))
    _check_triangles(f"edge of a torus = {length:g} m", 2 * nu * nv, "use a longer edge")
    v, u = (a.ravel() for a in np.meshgrid(np.arange(nv), np.arange(nu), indexing="ij"))
    around, tube = 2.0 * np.pi * u / nu, 2.0 * np.pi * v / nv
    distance = R + r * np.cos(tube)
    vertices = np.column_stack([distance * np.cos(around), distance * np.sin(around), r * np.sin(tube)])
    right, up = (u + 1) % nu, (v + 1) % nv
    a, b, c, d = v * nu + u, v * nu + right, up * nu + right, up * nu + u
    return _mesh(vertices, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])]))


def _mesh(vertices: NDArray[np.float64], triangles: NDArray[Any]) -> TriangleMesh:
    return TriangleMesh(vertices, triangles.astype(np.int32))


def _grid_triangles(nx: int, ny: int, *, alternate: bool) -> NDArray[np.int64]:
    j, i = (a.ravel() for a in np.meshgrid(np.arange(ny), np.arange(nx), indexing="ij"))
    a = j * (nx + 1) + i
    b, c, d = a + 1, a + nx + 2, a + nx + 1
    rising = np.stack([a, b, c, a, c, d], axis=1)
    falling = np.stack([a, b, d, b, c, d], axis=1)
    flip = ((i + j) % 2 == 1) & alternate
    return np.where(flip[:, None], falling, rising).reshape(-1, 3)


def _icosahedron() -> tuple[NDArray[np.float64], list[list[int]]]:
    """Twelve corners on the unit sphere and twenty outward faces: two poles and two staggered rings."""
    z = 1.0 / math.sqrt(5.0)
    rho = math.sqrt(1.0 - z * z)
    ring = 2.0 * np.pi * np.arange(5) / 5
    upper = np.column_stack([rho * np.cos(ring), rho * np.sin(ring), np.full(5, z)])
    lower = np.column_stack([rho * np.cos(ring + np.pi / 5), rho * np.sin(ring + np.pi / 5), np.full(5, -z)])
    corners = np.concatenate([[[0.0, 0.0, 1.0]], upper, lower, [[0.0, 0.0, -1.0]]])
    faces: list[list[int]] = []
    for k in range(5):
        u0, u1, l0, l1 = 1 + k, 1 + (k + 1) % 5, 6 + k, 6 + (k + 1) % 5
        faces += [[0, u0, u1], [u0, l0, u1], [u1, l0, l1], [11, l1, l0]]
    return corners, faces


def _revolved(profile: list[tuple[float, float]], edge: float) -> TriangleMesh:
    """The surface of revolution of a profile of (radius, z) from the lower to the upper pole, both at radius 0."""
    vertices: list[NDArray[np.float64]] = []
    rings: list[tuple[int, NDArray[np.float64]]] = []  # first vertex and the angles of each ring
    start = 0
    counts = [1 if r == 0.0 else max(5, _bounded("edge", edge, 2.0 * math.pi * r / edge)) for r, _ in profile]
    _check_triangles(f"edge = {edge:g} m", 2 * sum(counts), "use a longer edge")
    for k, ((r, z), count) in enumerate(zip(profile, counts, strict=True)):
        angles = 2.0 * np.pi * (np.arange(count) + 0.5 * (k % 2)) / count
        vertices.append(np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(count, z)]))
        rings.append((start, angles))
        start += count
    triangles = [t for lower, upper in pairwise(rings) for t in _stitched(lower, upper)]
    return _mesh(np.concatenate(vertices), np.array(triangles))


def _stitched(
    lower: tuple[int, NDArray[np.float64]], upper: tuple[int, NDArray[np.float64]]
) -> list[tuple[int, int, int]]:
    """Triangles between two rings of any number of points: go round and advance the ring that is behind."""
    (a0, a), (b0, b) = lower, upper
    m, n = len(a), len(b)
    i = j = 0
    triangles: list[tuple[int, int, int]] = []
    while i < (m if m > 1 else 0) or j < (n if n > 1 else 0):
        next_a = a[0] + 2.0 * np.pi * (i + 1) / m if i < m and m > 1 else np.inf
        next_b = b[0] + 2.0 * np.pi * (j + 1) / n if j < n and n > 1 else np.inf
        if next_a <= next_b:
            triangles.append((a0 + i % m, a0 + (i + 1) % m, b0 + j % n))
            i += 1
        else:
            triangles.append((a0 + i % m, b0 + (j + 1) % n, b0 + j % n))
            j += 1
    return triangles


def _check_triangles(what: str, count: int, remedy: str) -> None:
    check_room(what, count, "triangles", BYTES_PER_TRIANGLE, remedy)


def _counts(name: str, value: Any, dimension: int) -> tuple[int, ...]:
    """`value` as `dimension` integers of at least 1; one number stands for all."""
    numbers = (value,) * dimension if isinstance(value, (int, np.integer)) else value
    valid = (
        isinstance(numbers, (tuple, list, np.ndarray))
        and len(numbers) == dimension
        and all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= 1 for n in numbers)
    )
    if not valid:
        shape = "an integer" if dimension == 1 else f"an integer or {dimension} integers"
        raise InputError(f"{name} must be {shape} of at least 1, got {short(value)}")
    return tuple(int(n) for n in numbers)


def _bounded(name: str, edge: float, count: float) -> int:
    """The number of edges nearest to `count`, at least 1; an `edge` that is absurdly short is an error."""
    if count > 10_000:
        raise InputError(f"{name} is too short for this shape: {edge:g} m would give {count:.0f} edges along one line")
    return max(1, round(count))

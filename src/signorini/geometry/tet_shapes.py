"""Ready-made tetrahedral meshes of simple solids.

Lengths are in metres. Every shape is centred at the origin; shapes with an axis have it along z. All tetrahedra have
positive volume. `edge` is the length that most edges should have, about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.checks import check_positive
from signorini.errors import InputError, short
from signorini.geometry.memory_limit import BYTES_PER_TETRAHEDRON, check_room
from signorini.geometry.tet_mesh import TetMesh


def box_tets(width: float, depth: float, height: float, *, cells: int | Sequence[int] = 1) -> TetMesh:
    """A box, `width` along x, `depth` along y and `height` along z [m], every cell cut into six tetrahedra.

    `cells` is the number of cells along x, y and z (one number for all three). Neighbouring cells are mirror images of each
    other, so that an even number has no preferred diagonal; cubic cells have dihedral angles of 45°, 60° and 90°. The
    vertices form a lattice, z fastest: with `cells=(nx, ny, nz)`, vertex `(i * (ny + 1) + j) * (nz + 1) + k` is at column i
    of x, j of y and k of z.
    """
    sizes = [
        check_positive(f"{name} of a box", value, unit="m")
        for name, value in (("width", width), ("depth", depth), ("height", height))
    ]
    counts = _cells(cells)
    points = [c + 1 for c in counts]
    lattice = np.stack(np.unravel_index(np.arange(math.prod(points)), points), axis=1)
    cell = np.stack(np.unravel_index(np.arange(math.prod(counts)), counts), axis=1)
    mirrored = cell % 2
    paths = []
    for order in permutations(range(3)):  # the six ways along the edges of a cell from one corner to the opposite one
        corner = np.zeros((4, 3), dtype=np.int64)
        for step, axis in enumerate(order):
            corner[step + 1 :, axis] = 1
        place = cell[:, None] + np.abs(mirrored[:, None] - corner)
        paths.append(np.ravel_multi_index(tuple(np.moveaxis(place, -1, 0)), points))
    vertices = (lattice / np.array(counts) - 0.5) * np.array(sizes)
    return TetMesh.flipped(vertices, np.stack(paths, axis=1).reshape(-1, 4).astype(np.int32))


def sphere_tets(radius: float, *, edge: float | None = None) -> TetMesh:
    """A ball of `radius` [m]; `edge` [m] is radius / 4 if not given.

    The twenty tetrahedra between the faces of an icosahedron and its centre, each divided into s³, with all points moved
    onto spherical shells: the surface is that of `shapes.sphere`.
    """
    r = check_positive("radius of a ball", radius, unit="m")
    length = check_positive("edge of a ball", 0.25 * r if edge is None else edge, unit="m")
    count = _divisions("edge of a ball", length, 1.15 * r / length)
    _check_tetrahedra(f"edge of a ball = {length:g} m is too short: it", 20 * count**3, "use a longer edge")
    corners, faces = _icosahedron()
    weights, tets, octahedra = _divided_tetrahedron(count)
    # A point is named by its integer weights on the twelve corners, so that shared points of two parts are the same.
    names = np.zeros((len(faces), len(weights), 12), dtype=np.int32)
    for f, face in enumerate(faces):
        names[f][:, face] = weights
    unique, index = np.unique(names.reshape(-1, 12), axis=0, return_inverse=True)
    vertices = unique @ corners
    distance = np.linalg.norm(vertices, axis=1, keepdims=True)
    vertices *= r * unique.sum(axis=1, keepdims=True) / (count * np.where(distance > 0.0, distance, 1.0))
    starts = len(weights) * np.arange(len(faces))[:, None, None]
    number = index.ravel()
    whole = number[(tets[None] + starts).reshape(-1, 4)]
    split = _split_octahedra(vertices, number[(octahedra[None] + starts).reshape(-1, 6)])
    return TetMesh.flipped(vertices, np.concatenate([whole, split]))


def cylinder_tets(radius: float, height: float, *, edge: float | None = None) -> TetMesh:
    """A cylinder along z, of `radius` and `height` [m]; `edge` [m] is radius / 4 if not given.

    Layers of prisms over a disc of six sectors of triangles, each prism cut into three tetrahedra.
    """
    r = check_positive("radius of a cylinder", radius, unit="m")
    h = check_positive("height of a cylinder", height, unit="m")
    length = check_positive("edge of a cylinder", 0.25 * r if edge is None else edge, unit="m")
    rings = _divisions("edge of a cylinder", length, r / length)
    layers = _divisions("edge of a cylinder", length, h / (PRISM_HEIGHT * length))
    _check_tetrahedra(
        f"edge of a cylinder = {length:g} m is too short: it", 18 * rings**2 * layers, "use a longer edge"
    )
    disc, triangles = _disc(rings)
    n = len(disc)
    z = h * (np.arange(layers + 1) / layers - 0.5)
    vertices = np.column_stack([np.tile(r * disc, (layers + 1, 1)), np.repeat(z, n)])
    ordered = np.sort(triangles, axis=1)
    tetrahedra = []
    for layer in range(layers):
        # Diagonals of the prisms' sides run from the lower to the higher number upward, in every second layer downward.
        low, high = (layer, layer + 1) if layer % 2 == 0 else (layer + 1, layer)
        (a, b, c), (A, B, C) = (ordered + n * low).T, (ordered + n * high).T
        tetrahedra += [np.column_stack(t) for t in ((a, b, c, C), (a, b, B, C), (a, A, B, C))]
    return TetMesh.flipped(vertices, np.concatenate(tetrahedra))


PRISM_HEIGHT = 0.9
"""Height of a prism over its edge; a higher one would raise the smallest dihedral angle, 34°, and the largest, 121°."""


def _disc(rings: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points (n, 2) and triangles of the unit disc: ring k has 6 k points at radius k / rings."""
    points = [np.zeros((1, 2))]
    triangles: list[tuple[int, int, int]] = []
    start = [0] + [1 + 3 * k * (k - 1) for k in range(1, rings + 1)]
    for k in range(1, rings + 1):
        angle = 2.0 * np.pi * np.arange(6 * k) / (6 * k)
        points.append(k / rings * np.column_stack([np.cos(angle), np.sin(angle)]))
        inner = max(1, 6 * (k - 1))
        for sector in range(6):
            for i in range(k):
                outer0 = start[k] + sector * k + i
                outer1 = start[k] + (sector * k + i + 1) % (6 * k)
                inner0 = start[k - 1] + (sector * (k - 1) + i) % inner
                triangles.append((outer0, outer1, inner0))
                if i < k - 1:
                    triangles.append((outer1, start[k - 1] + (sector * (k - 1) + i + 1) % inner, inner0))
    return np.concatenate(points), np.array(triangles)


def _icosahedron() -> tuple[NDArray[np.float64], list[list[int]]]:
    """Twelve corners on the unit sphere and the twenty triples of neighbours."""
    golden = 0.5 * (1.0 + math.sqrt(5.0))
    corners = np.array(
        [np.roll((0.0, a, b * golden), shift) for shift in range(3) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    )
    near = np.linalg.norm(corners[:, None] - corners[None], axis=2) < 2.1
    faces = [list(c) for c in combinations(range(12), 3) if all(near[a, b] for a, b in combinations(c, 2))]
    return corners / math.sqrt(1.0 + golden * golden), faces


def _divided_tetrahedron(s: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Points of a tetrahedron divided s times along each edge, as weights (n, 3) on three of its corners, the small
    tetrahedra (t, 4) and octahedra (o, 6; opposite corners are k and k + 3) that it consists of."""
    points = [(i, j, k) for i in range(s + 1) for j in range(s + 1 - i) for k in range(s + 1 - i - j)]
    number = {p: n for n, p in enumerate(points)}

    def at(p: tuple[int, int, int], *steps: tuple[int, int, int]) -> list[int]:
        return [number[p[0] + d[0], p[1] + d[1], p[2] + d[2]] for d in steps]

    x, y, z, xy, xz, yz = (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)
    tets = [at(p, (0, 0, 0), x, y, z) for p in points if sum(p) <= s - 1]
    tets += [at(p, xy, xz, yz, (1, 1, 1)) for p in points if sum(p) <= s - 3]
    octahedra = [at(p, x, y, z, yz, xz, xy) for p in points if sum(p) <= s - 2]
    return np.array(points), np.array(tets), np.array(octahedra, dtype=np.int64).reshape(-1, 6)


def _split_octahedra(vertices: NDArray[np.float64], octahedra: NDArray[Any]) -> NDArray[Any]:
    """Four tetrahedra around the shortest diagonal of each octahedron (o, 6)."""
    diagonals = np.stack(
        [np.linalg.norm(vertices[octahedra[:, k]] - vertices[octahedra[:, k + 3]], axis=1) for k in range(3)]
    )
    # Equal lengths differ by rounding only: the first one within it, so that the result is the same everywhere.
    chosen = np.argmax(diagonals <= diagonals.min(axis=0) * (1.0 + 1e-9), axis=0)
    turned = np.take_along_axis(octahedra, (np.arange(3)[None] + chosen[:, None]) % 3, axis=1)
    opposite = np.take_along_axis(octahedra, 3 + (np.arange(3)[None] + chosen[:, None]) % 3, axis=1)
    a, b = turned[:, 0], opposite[:, 0]
    ring = [turned[:, 1], turned[:, 2], opposite[:, 1], opposite[:, 2]]
    return np.concatenate([np.column_stack([a, b, ring[k], ring[(k + 1) % 4]]) for k in range(4)])


def _cells(value: Any) -> tuple[int, int, int]:
    numbers = (value,) * 3 if isinstance(value, int | np.integer) else value
    valid = (
        isinstance(numbers, tuple | list | np.ndarray)
        and len(numbers) == 3
        and all(isinstance(n, int | np.integer) and not isinstance(n, bool) and n >= 1 for n in numbers)
    )
    if not valid:
        raise InputError(f"cells of a box must be an integer or 3 integers of at least 1, got {short(value)}")
    x, y, z = (int(n) for n in numbers)
    _check_tetrahedra(f"cells of a box = {short(value)}", 6 * x * y * z, "use fewer cells")
    return x, y, z


def _divisions(name: str, edge: float, count: float) -> int:
    if not count <= 10_000:
        raise InputError(f"{name} is too short for this shape: {edge:g} m would give {count:.0f} edges along one line")
    return max(1, round(count))


def _check_tetrahedra(what: str, count: int, remedy: str) -> None:
    check_room(what, count, "tetrahedra", BYTES_PER_TETRAHEDRON, remedy)

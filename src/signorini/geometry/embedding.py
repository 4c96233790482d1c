"""Embedding of points in a cage of tetrahedra, and the fraction of each tetrahedron inside a surface.

A point keeps its barycentric weights in the tetrahedron that holds it, so it follows every affine motion of the cage
exactly (so does Sifakis2008 couple such surfaces to a coarser volume).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from signorini.errors import InputError
from signorini.geometry import embedding_kernels as kernels
from signorini.geometry.inside import InsideTest
from signorini.geometry.mass_properties import check_closed, surface_parts
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh, as_points
from signorini.geometry.triangles import distance_to_triangles

OUTSIDE = -1e-9
"""A point with a weight below this in every tetrahedron lies outside the cage."""
TOUCH = 1e-10
"""A triangle that reaches less than this part of a tetrahedron's size into it does not cut it."""
SAMPLING_LEVELS = 3
"""A cut tetrahedron is divided into 8 to this power equal parts, and there is one sample in each."""
SMALLEST_FRACTION = 0.5 / 8**SAMPLING_LEVELS
"""The fraction of a tetrahedron none of whose samples is inside: half a sample, so that no mass vanishes."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """k points, each in one tetrahedron of a cage."""

    tetrahedra: NDArray[np.int32]
    """(k,)"""
    weights: NDArray[np.float64]
    """(k, 4) barycentric; they sum to 1 and are not negative but for rounding."""
    nodes: NDArray[np.int32]
    """(k, 4) the nodes to which the weights belong."""

    def __len__(self) -> int:
        return len(self.tetrahedra)

    def positions(self, node_positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """(k, 3) where the points are when the nodes of the cage are at `node_positions` (n, 3) [m]."""
        return np.einsum("kc,kci->ki", self.weights, node_positions[self.nodes])


def embed(
    cage: TetMesh, points: NDArray[np.float64], name: str = "surface", *, triangles: NDArray[np.int32] | None = None
) -> Embedding:
    """The tetrahedron in which each of the points (k, 3) [m] lies deepest, and its weights there.

    With the `triangles` (t, 3) between the points, all points of a connected part go into one connected part of the
    cage: where the cages of two parts overlap, as those of `lattice` may, each part rides in its own. Parts prefer the
    cage part of the same rank.
    """
    x = as_points(f"points of {name!r}", points)
    grid = _Grid(cage)
    parts = _cage_parts(cage)
    wanted = np.full(len(x), -1, dtype=np.int64)
    if triangles is not None and parts.max() > 0:
        wanted = _match_parts(grid, parts, TriangleMesh(x, triangles))
    tetrahedra, weights = grid.locate(parts, x, wanted)
    outside = np.flatnonzero((tetrahedra < 0) | (weights.min(axis=1) < OUTSIDE))
    if len(outside):
        first = int(outside[0])
        place = ", ".join(f"{c:.6g}" for c in x[first])
        raise InputError(
            f"{len(outside)} of {len(x)} vertices of {name!r} lie outside the tetrahedra that should carry it, the first is "
            f"vertex {first} at ({place}), {_distance(cage, x[first]):.3g} m away: use tetrahedra that contain the whole "
            "surface, such as lattice(surface, ...)"
        )
    return Embedding(tetrahedra, weights, cage.tetrahedra[tetrahedra])


def embedded_volume_fractions(cage: TetMesh, surface: TriangleMesh) -> NDArray[np.float64]:
    """(t,) which part of each tetrahedron, in (0, 1], lies inside a closed surface embedded in the cage.

    Multiply density and stiffness of each tetrahedron by it, and the cage weighs and resists like the solid itself. A
    tetrahedron that the surface cuts is sampled at 512 points (fixed ones: the result is the same every time).
    """
    check_closed(surface, "embedded surface")
    grid = _Grid(cage)
    cage_part = _cage_parts(cage)
    carrier = np.zeros(len(surface.triangles), dtype=np.int64)
    if cage_part.max() > 0:
        embedding = embed(cage, surface.vertices, "embedded surface", triangles=surface.triangles)
        carrier = cage_part[embedding.tetrahedra[surface.triangles[:, 0]]]
    fractions = np.zeros(len(cage.tetrahedra))
    samples = _samples(SAMPLING_LEVELS)
    for part in np.unique(carrier):
        piece = TriangleMesh(surface.vertices, surface.triangles[carrier == part])
        cut = np.zeros(len(cage.tetrahedra), dtype=np.bool_)
        kernels.mark_cut(*grid.arguments, piece.vertices, piece.triangles, TOUCH, cut)
        of_piece = np.zeros(len(cage.tetrahedra))
        kernels.sample_fractions(
            cage.vertices, cage.tetrahedra, cut, samples, *InsideTest(piece).arguments, of_piece
        )  # fmt: skip
        fractions[cage_part == part] = of_piece[cage_part == part]
    return np.maximum(fractions, SMALLEST_FRACTION)


class _Grid:
    """Boxes of equal size over a cage, each with a list of the tetrahedra that reach into it."""

    def __init__(self, cage: TetMesh) -> None:
        x, tetrahedra = cage.vertices, cage.tetrahedra
        low, high = x.min(axis=0), x.max(axis=0)
        # As large as a typical tetrahedron, but not more boxes than twice the tetrahedra.
        sizes = np.ptp(x[tetrahedra], axis=1).max(axis=1)
        smallest = float(((high - low).prod() / (2.0 * len(tetrahedra))) ** (1.0 / 3.0))
        scale = 1.0 / max(float(np.median(sizes)), smallest)
        n = np.maximum(1, np.ceil((high - low) * scale)).astype(np.int64)
        reach = 1e-6 * float(sizes.max())
        count = np.zeros(int(n.prod()) + 1, dtype=np.int64)
        nothing = np.zeros(0, dtype=np.int32)
        kernels.fill_grid(x, tetrahedra, low, scale, n, reach, count, nothing, False)
        start = np.concatenate([[0], np.cumsum(count[:-1])])
        items = np.empty(start[-1], dtype=np.int32)
        kernels.fill_grid(x, tetrahedra, low, scale, n, reach, start.copy(), items, True)
        self.arguments = (x, tetrahedra, low, scale, n, start, items)

    def locate(
        self, parts: NDArray[np.int64], points: NDArray[np.float64], wanted: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        found = np.full(len(points), -1, dtype=np.int32)
        weights = np.full((len(points), 4), -np.inf)
        kernels.locate(*self.arguments, parts, points, wanted, found, weights)
        return found, weights


def _cage_parts(cage: TetMesh) -> NDArray[np.int64]:
    """(t,) the connected part of each tetrahedron, numbered in the order of their first tetrahedra."""
    t = cage.tetrahedra
    links = coo_array(
        (np.ones(3 * len(t), dtype=np.int8), (t[:, [0, 0, 0]].ravel(), t[:, 1:].ravel())),
        shape=(len(cage.vertices),) * 2,
    )
    label = connected_components(links, directed=False)[1][t[:, 0]]
    _, first, part = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[part.ravel()].astype(np.int64)


def _match_parts(grid: _Grid, cage_parts: NDArray[np.int64], surface: TriangleMesh) -> NDArray[np.int64]:
    """(k,) the part of the cage for each vertex: of the parts that hold all of its surface part, the one of equal rank."""
    label = surface_parts(surface)
    count = int(cage_parts.max()) + 1
    wanted = np.full(len(surface.vertices), -1, dtype=np.int64)
    for k in range(int(label.max()) + 1):
        vertices = np.unique(surface.triangles[label == k])
        points = surface.vertices[vertices]
        for part in [k % count, *(p for p in range(count) if p != k % count)]:
            _, weights = grid.locate(cage_parts, points, np.full(len(points), part, dtype=np.int64))
            if (weights.min(axis=1) >= OUTSIDE).all():
                wanted[vertices] = part
                break
    return wanted


def _distance(cage: TetMesh, point: NDArray[np.float64]) -> float:
    """From a point outside the cage to its surface [m]."""
    surface, _ = cage.surface()
    return distance_to_triangles(point, surface.vertices[surface.triangles])


def _samples(levels: int) -> NDArray[np.float64]:
    """Barycentric weights (8^levels, 4) of one point in each of equal parts.

    The parts come from cutting off the four corners and cutting the octahedron that is left in four. Centres would lie in
    planes parallel to the faces, and a surface along such a plane would have all of them on one side; a sequence of low
    discrepancy places the samples instead.
    """
    parts = np.eye(4)[None]
    for _ in range(levels):
        a, b, c, d = (parts[:, k] for k in range(4))
        ab, ac, ad, bc, bd, cd = (0.5 * (p + q) for p, q in ((a, b), (a, c), (a, d), (b, c), (b, d), (c, d)))
        pieces = [(a, ab, ac, ad), (ab, b, bc, bd), (ac, bc, c, cd), (ad, bd, cd, d)]
        pieces += [(ac, bd, ab, bc), (ac, bd, bc, cd), (ac, bd, cd, ad), (ac, bd, ad, ab)]
        parts = np.concatenate([np.stack(piece, axis=1) for piece in pieces])
    root = 1.2207440846057596  # of x⁴ = x + 1: the additive sequence of lowest discrepancy in three dimensions
    unit = np.sort((0.5 + np.arange(len(parts))[:, None] * root ** -np.arange(1.0, 4.0)) % 1.0, axis=1)
    weights = np.diff(unit, axis=1, prepend=0.0, append=1.0)
    return np.einsum("sm,smc->sc", weights, parts)

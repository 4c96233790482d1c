"""Well-shaped triangles of plane figures with holes: constrained Delaunay, with inner points where there is room.

The triangles of ear clipping are improved by flipping edges until each is locally Delaunay (Lawson), except the edges of
the figure itself; then the points of a hexagonal grid that keep their distance from the outline are inserted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.ear_clipping import Ring, Triangle, clip_ears
from signorini.geometry.planar_predicates import Point, in_circle, orientation

CLEARANCE = 0.6
"""Least distance of inner points from the outline, in edges."""
_JITTER = 0.04
"""Largest offset of inner points from the hexagonal grid, in edges: points on one line or circle cost exact arithmetic."""


@dataclass(frozen=True, slots=True)
class PlanarMesh:
    """Triangles (t, 3) between points (n, 2), all turning left, and the directed edges (e, 2) of the boundary."""

    points: NDArray[np.float64]
    triangles: NDArray[np.int32]
    boundary: NDArray[np.int32]
    """The figure is on the left of each."""


def triangulate(contours: Sequence[NDArray[np.float64]], *, edge: float | None = None) -> PlanarMesh:
    """The figure between closed contours (n, 2), each a list of points; a contour inside another is a hole, and so on.

    The contours may have either orientation, and no points are added on them. `edge` is the distance of the inner
    points; without it there are none. Raises a `ValueError` if contours meet.
    """
    points: list[Point] = []
    rings: list[Ring] = []
    for contour in contours:
        rings.append(list(range(len(points), len(points) + len(contour))))
        points += [(float(x), float(y)) for x, y in contour]
    triangles: list[Triangle] = []
    boundary: list[tuple[int, int]] = []
    for outline, holes in _figures(points, rings):
        triangles += clip_ears(points, outline, holes)
        boundary += [(r[k - 1], r[k]) for r in (outline, *holes) for k in range(len(r))]
    mesh = _Flippable(points, triangles, {frozenset(e) for e in boundary})
    mesh.legalise(list(mesh.opposite))
    if edge is not None:
        for point in _inner_points(np.array(points), np.array(boundary), edge):
            mesh.insert(point)
    return PlanarMesh(np.array(mesh.points), mesh.triangles(), np.array(boundary, dtype=np.int32))


def signed_area(contour: NDArray[np.float64]) -> float:
    """Of a closed contour (n, 2), positive if it turns left."""
    x, y = (contour - contour[0]).T
    return 0.5 * float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())


def _figures(points: list[Point], rings: list[Ring]) -> list[tuple[Ring, list[Ring]]]:
    """Outlines, turning left, each with the holes directly inside it, turning right."""
    arrays = [np.array([points[i] for i in ring]) for ring in rings]
    areas = [signed_area(a) for a in arrays]
    around = [
        [j for j in range(len(rings)) if j != i and _is_inside(arrays[i][0], arrays[j])] for i in range(len(rings))
    ]
    figures: dict[int, tuple[Ring, list[Ring]]] = {}
    for i, ring in enumerate(rings):
        if len(around[i]) % 2 == 0:
            figures[i] = (ring if areas[i] > 0.0 else ring[::-1], [])
    for i, ring in enumerate(rings):
        if len(around[i]) % 2 == 1:
            owner = min(around[i], key=lambda j: abs(areas[j]))
            figures[owner][1].append(ring if areas[i] < 0.0 else ring[::-1])
    return list(figures.values())


def _is_inside(point: NDArray[np.float64], contour: NDArray[np.float64]) -> bool:
    a, b = contour, np.roll(contour, -1, axis=0)
    spans = (a[:, 1] <= point[1]) != (b[:, 1] <= point[1])
    a, b = a[spans], b[spans]
    x = a[:, 0] + (b[:, 0] - a[:, 0]) * (point[1] - a[:, 1]) / (b[:, 1] - a[:, 1])
    return bool((x > point[0]).sum() % 2)


def _inner_points(points: NDArray[np.float64], boundary: NDArray[np.integer], edge: float) -> list[Point]:
    """Points near those of a hexagonal grid, inside the figure and not near its boundary, row by row."""
    low, high = points.min(axis=0), points.max(axis=0)
    row = edge * math.sqrt(0.75)
    a, b = points[boundary[:, 0]], points[boundary[:, 1]]
    along = b - a
    squared = (along * along).sum(axis=1)
    kept: list[Point] = []
    columns = range(int((high[0] - low[0]) / edge) + 3)
    count = 0
    for j in range(int((high[1] - low[1]) / row) + 2):
        for i in columns if j % 2 else reversed(columns):  # to and fro: the next point is always near
            count += 1
            jitter = _JITTER * (np.array([0.7548776662466927, 0.5698402909980532]) * count % 1.0)
            p = low + edge * jitter + np.array([(i - 0.7 + 0.5 * (j % 2)) * edge, (j - 0.7) * row])
            s = np.clip(((p - a) * along).sum(axis=1) / squared, 0.0, 1.0)
            if np.linalg.norm(p - a - s[:, None] * along, axis=1).min() < CLEARANCE * edge:
                continue
            spans = (a[:, 1] <= p[1]) != (b[:, 1] <= p[1])
            x = a[spans, 0] + along[spans, 0] * (p[1] - a[spans, 1]) / along[spans, 1]
            if (x > p[0]).sum() % 2:
                kept.append((float(p[0]), float(p[1])))
    return kept


class _Flippable:
    """Triangles as a map from each directed edge to the corner on its left."""

    def __init__(self, points: list[Point], triangles: list[Triangle], fixed: set[frozenset[int]]) -> None:
        self.points = list(points)
        self.fixed = fixed
        self.opposite: dict[tuple[int, int], int] = {}
        for triangle in triangles:
            self._add(*triangle)
        self.latest = next(iter(self.opposite))
        """An edge of a triangle from which to start a walk."""

    def triangles(self) -> NDArray[np.int32]:
        """(t, 3), each once."""
        rows = [(a, b, c) for (a, b), c in self.opposite.items() if a < b and a < c]
        return np.array(rows, dtype=np.int32).reshape(-1, 3)

    def insert(self, point: Point) -> None:
        """Split the triangle around a point in three; a point on an edge is left out."""
        triangle = self._walk_to(point) or self._search_for(point)
        if triangle is None:
            return
        a, b, c = triangle
        self.points.append(point)
        new = len(self.points) - 1
        for p, q in ((a, b), (b, c), (c, a)):
            self._add(p, q, new)
        self.legalise([(a, b), (b, c), (c, a)])
        self.latest = next(edge for edge in ((a, new), (b, new), (c, new)) if edge in self.opposite)

    def _walk_to(self, point: Point) -> Triangle | None:
        """The triangle around a point, walking straight to it from the latest one; None if the boundary is between them."""
        a, b = self.latest
        for _ in range(len(self.points)):
            c = self.opposite[a, b]
            away = next((e for e in ((a, b), (b, c), (c, a)) if not self._left_of(e, point)), None)
            if away is None:
                return a, b, c
            b, a = away
            if (a, b) not in self.opposite:
                return None
        return None

    def _search_for(self, point: Point) -> Triangle | None:
        for (a, b), c in self.opposite.items():
            if a < b and a < c and all(self._left_of(e, point) for e in ((a, b), (b, c), (c, a))):
                return a, b, c
        return None

    def legalise(self, edges: list[tuple[int, int]]) -> None:
        """Flip edges, and then those around, until every edge that may be flipped is locally Delaunay."""
        x = self.points
        while edges:
            a, b = edges.pop()
            if frozenset((a, b)) in self.fixed or (a, b) not in self.opposite or (b, a) not in self.opposite:
                continue
            c, d = self.opposite[a, b], self.opposite[b, a]
            if in_circle(x[a], x[b], x[c], x[d]) <= 0:
                continue
            if orientation(x[c], x[a], x[d]) <= 0 or orientation(x[d], x[b], x[c]) <= 0:
                continue
            del self.opposite[a, b], self.opposite[b, a]
            self.latest = (c, a)
            self._add(c, a, d)
            self._add(d, b, c)
            edges += [(c, a), (a, d), (d, b), (b, c)]

    def _add(self, a: int, b: int, c: int) -> None:
        self.opposite[a, b], self.opposite[b, c], self.opposite[c, a] = c, a, b

    def _left_of(self, edge: tuple[int, int], point: Point) -> bool:
        return orientation(self.points[edge[0]], self.points[edge[1]], point) > 0

"""Plane figures with holes: exact predicates, areas, Delaunay edges, and inner points."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from signorini.geometry.planar_predicates import Point, in_circle, orientation, segments_meet
from signorini.geometry.triangulation import PlanarMesh, signed_area, triangulate

Array = NDArray[np.float64]
coordinate = st.floats(-1e6, 1e6, allow_nan=False)
point = st.tuples(coordinate, coordinate)
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def exact(p: Point) -> tuple[Fraction, Fraction]:
    return Fraction(p[0]), Fraction(p[1])


@settings(max_examples=200, deadline=None)
@given(a=point, b=point, s=st.floats(-2, 2), nudge=st.sampled_from([0.0, 1e-16, -1e-16, 1e-10]))
def test_orientation_is_exact_for_points_nearly_on_a_line(a: Point, b: Point, s: float, nudge: float) -> None:
    c = (a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]) + nudge)
    (ax, ay), (bx, by), (cx, cy) = map(exact, (a, b, c))
    assert orientation(a, b, c) == sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
    assert orientation(b, a, c) == -orientation(a, b, c)


@settings(max_examples=200, deadline=None)
@given(angles=st.lists(st.floats(0, 6.28), min_size=4, max_size=4), scale=st.sampled_from([1.0, 1e-8, 1e5]))
def test_in_circle_is_exact_for_points_nearly_on_a_circle(angles: list[float], scale: float) -> None:
    points = [(float(scale * np.cos(t)), float(scale * np.sin(t))) for t in angles]
    (dx, dy) = exact(points[3])
    rows = [[x - dx, y - dy, (x - dx) ** 2 + (y - dy) ** 2] for x, y in map(exact, points[:3])]
    value = Fraction(0)
    for i, j, k, s in ((0, 1, 2, 1), (1, 2, 0, 1), (2, 0, 1, 1), (0, 2, 1, -1), (1, 0, 2, -1), (2, 1, 0, -1)):
        value += s * rows[i][0] * rows[j][1] * rows[k][2]
    assert in_circle(*points) == sign(value)


@pytest.mark.parametrize(
    ("c", "d", "meet"),
    [
        ((1.0, -1.0), (1.0, 1.0), True),
        ((1.0, 0.0), (1.0, 1.0), True),  # ends on it
        ((2.0, 0.0), (3.0, 0.0), True),  # shares an end
        ((3.0, 0.0), (4.0, 0.0), False),  # on its line, beyond
        ((0.5, 0.0), (1.5, 0.0), True),  # inside it
        ((1.0, 1e-300), (1.0, 1.0), False),
        ((3.0, -1.0), (3.0, 1.0), False),
    ],
)
def test_segments_meet(c: Point, d: Point, meet: bool) -> None:
    assert segments_meet((0.0, 0.0), (2.0, 0.0), c, d) == meet
    assert segments_meet(d, c, (2.0, 0.0), (0.0, 0.0)) == meet


def star(rng: np.random.Generator, count: int, radius: float, centre: Array, spread: float = 0.7) -> Array:
    angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    radii = radius * (1.0 - spread * rng.random(count))
    return centre + radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def check(mesh: PlanarMesh, area: float) -> None:
    """Triangles turn left, cover the figure once, have the boundary as their boundary, and are locally Delaunay."""
    x = [(float(p), float(q)) for p, q in mesh.points]
    opposite = {}
    for a, b, c in mesh.triangles.tolist():
        assert orientation(x[a], x[b], x[c]) == 1
        for edge, corner in (((a, b), c), ((b, c), a), ((c, a), b)):
            assert edge not in opposite
            opposite[edge] = corner
    a, b, c = mesh.points[mesh.triangles].transpose(1, 0, 2)
    u, v = b - a, c - a
    assert 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum() == pytest.approx(area, rel=1e-12)
    boundary = set(map(tuple, mesh.boundary.tolist()))
    assert {(i, j) for i, j in opposite if (j, i) not in opposite} == boundary
    for (i, j), k in opposite.items():
        if (i, j) not in boundary:
            m = opposite[j, i]
            assert in_circle(x[i], x[j], x[k], x[m]) <= 0
    assert set(mesh.triangles.ravel().tolist()) == set(range(len(mesh.points)))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(3, 40), edge=st.sampled_from([None, 0.3]))
def test_star_with_holes_and_islands(seed: int, count: int, edge: float | None) -> None:
    rng = np.random.default_rng(seed)
    outline = np.concatenate([5.0 * SQUARE - 2.5])
    holes = [star(rng, count, 0.9, np.array(c)) for c in ((-1.2, -1.2), (1.2, 0.3), (-1.0, 1.4))]
    island = star(rng, 5, 0.15, np.array([1.2, 0.3]), 0.1)
    flip = rng.random(5) < 0.5
    contours = [c[::-1] if f else c for c, f in zip([outline, *holes, island], flip, strict=True)]
    if count < 12:  # an island in a hole of few points might cut it
        contours.pop()
    mesh = triangulate(contours, edge=edge)
    areas = [abs(signed_area(c)) for c in contours]
    check(mesh, areas[0] - sum(areas[1:4]) + sum(areas[4:]))
    assert edge is None or len(mesh.points) > sum(map(len, contours))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(3, 60))
def test_stars(seed: int, count: int) -> None:
    contour = star(np.random.default_rng(seed), count, 1.0, np.zeros(2), 0.95)
    mesh = triangulate([contour])
    assert len(mesh.triangles) == count - 2
    check(mesh, signed_area(contour))


def test_points_in_the_middle_of_straight_sides_are_used() -> None:
    n = 7
    side = np.arange(n)[:, None] / n
    ring = np.concatenate([p + side * (q - p) for p, q in zip(SQUARE, np.roll(SQUARE, -1, axis=0), strict=True)])
    hole = 0.25 + 0.5 * ring
    mesh = triangulate([ring, hole])
    assert len(mesh.points) == 8 * n
    check(mesh, 0.75)


def test_inner_points_make_even_triangles() -> None:
    n = 10
    side = np.arange(n)[:, None] / n
    ring = np.concatenate([p + side * (q - p) for p, q in zip(SQUARE, np.roll(SQUARE, -1, axis=0), strict=True)])
    mesh = triangulate([ring], edge=0.1)
    check(mesh, 1.0)
    x = mesh.points[mesh.triangles]
    lengths = np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2)
    assert lengths.max() < 0.19
    assert lengths.min() > 0.055
    assert len(mesh.triangles) == pytest.approx(2.0 / (0.1**2 * np.sqrt(0.75)), rel=0.2)


def test_contours_that_cross_are_refused() -> None:
    bow_tie = np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="meet"):
        triangulate([bow_tie])

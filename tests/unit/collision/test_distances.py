"""Distances of points, triangles and edges against exact rational arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reference import ccd as naive
from signorini.collision.edge_edge_kernels import edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors

CLOSEST = {"point_triangle": point_triangle_closest_vectors, "edge_edge": edge_edge_closest_vectors}
EPS = 2.0**-52


def touching_or_near(pair: str, kind: str, n: int, seed: int) -> naive.Array:
    """(n, 4, 3) configurations of one kind: touching, nearly touching, and apart."""
    rng = np.random.default_rng(seed)
    x, _ = naive.touching_shapes(pair, kind, n, rng)
    away = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-16.0, 1.0, (n, 1))
    away[::3] = 0.0
    x[: 1 if pair == "point_triangle" else 2] += away
    return naive.placed(kind, x).transpose(1, 0, 2)


@pytest.mark.parametrize("kind", [k for k in naive.KINDS if k not in ("at end", "at start", "no motion")])
@pytest.mark.parametrize("pair", naive.PAIRS)
def test_distance_is_exact_to_rounding(pair: str, kind: str) -> None:
    for x in touching_or_near(pair, kind, 150, seed=1):
        extent = np.ptp(x, axis=0).max()  # not the distance from the origin: differences of points are exact enough
        exact = math.sqrt(naive.exact_distance2(pair, x))
        computed = math.sqrt(CLOSEST[pair](*map(tuple, x))[0])
        assert abs(computed - exact) <= 4 * EPS * extent


def flat_shapes(pair: str, n: int, rng: np.random.Generator) -> naive.Array:
    """(n, 4, 3) needles and obtuse slivers, or nearly parallel edges, with the other side above an inner point.

    Widths go down to 1e-17 and heights to 1e-18.
    """
    x = rng.uniform(-1.0, 1.0, (4, n, 3))
    width = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-17.0, 0.0, (n, 1))
    height = 10.0 ** rng.uniform(-18.0, 0.0, (n, 1)) * (rng.random((n, 1)) < 0.8)
    if pair == "point_triangle":
        along = np.clip(rng.uniform(-1.0, 2.0, (n, 1)), 0.0, 1.0)  # at an end: a needle; between: obtuse
        x[3] = x[1] + along * (x[2] - x[1]) + width
        up = np.cross(x[2] - x[1], width)
        x[0] = np.einsum("nk,knd->nd", rng.dirichlet((0.5, 0.5, 0.5), n), x[1:])
        x[0] += height * up / np.linalg.norm(up, axis=1, keepdims=True)
        return np.array([q[[0, *(1 + rng.permutation(3))]] for q in x.transpose(1, 0, 2)])
    x[3] = x[2] + rng.uniform(-1.0, 1.0, (n, 1)) * (x[1] - x[0]) + width
    up = np.cross(x[1] - x[0], width)
    s, t = rng.random((2, n, 1))
    x[2:] += (1 - s) * x[0] + s * x[1] - (1 - t) * x[2] - t * x[3]
    x[2:] += height * up / np.linalg.norm(up, axis=1, keepdims=True)
    return x.transpose(1, 0, 2)


@pytest.mark.parametrize("pair", naive.PAIRS)
def test_distance_to_flat_shapes_is_exact_to_rounding(pair: str) -> None:
    """Choosing another side than the longest for the face, or the determinant instead of the normal, fails here."""
    for x in flat_shapes(pair, 1_000, np.random.default_rng(4)):
        exact = math.sqrt(naive.exact_distance2(pair, x))
        computed = math.sqrt(CLOSEST[pair](*map(tuple, x))[0])
        assert abs(computed - exact) <= 4 * EPS * np.ptp(x, axis=0).max()


@pytest.mark.parametrize("kind", naive.KINDS)
def test_triangle_weights_and_feature_describe_the_closest_point(kind: str) -> None:
    zero_weights = {0: (1, 2), 1: (0, 2), 2: (0, 1), 3: (2,), 4: (0,), 5: (1,), 6: ()}
    for x in touching_or_near("point_triangle", kind, 500, seed=2):
        d2, *weights, feature = point_triangle_closest_vectors(*map(tuple, x))
        assert min(weights) >= 0.0
        assert abs(sum(weights) - 1.0) <= 4 * EPS
        assert tuple(i for i in range(3) if weights[i] == 0.0) == zero_weights[feature]
        gap = np.linalg.norm(np.array(weights) @ (x[1:] - x[0]))
        assert abs(gap - math.sqrt(d2)) <= 12 * EPS * np.ptp(x, axis=0).max()


@pytest.mark.parametrize("kind", naive.KINDS)
def test_edge_parameters_and_feature_describe_the_closest_points(kind: str) -> None:
    def code(parameter: float) -> int:
        return {0.0: 0, 1.0: 1}.get(parameter, 2)

    for x in touching_or_near("edge_edge", kind, 500, seed=3):
        d2, s, t, feature = edge_edge_closest_vectors(*map(tuple, x))
        assert 0.0 <= s <= 1.0
        assert 0.0 <= t <= 1.0
        assert feature == 3 * code(s) + code(t)
        gap = np.linalg.norm((x[2] - x[0]) + t * (x[3] - x[2]) - s * (x[1] - x[0]))
        assert abs(gap - math.sqrt(d2)) <= 12 * EPS * np.ptp(x, axis=0).max()


@pytest.mark.parametrize(
    ("point", "distance2", "weights", "feature"),
    [
        ((-1.0, -1.0, 0.0), 2.0, (1, 0, 0), 0),
        ((5.0, -1.0, 0.0), 2.0, (0, 1, 0), 1),
        ((-1.0, 5.0, 0.0), 2.0, (0, 0, 1), 2),
        ((1.0, -2.0, 0.0), 4.0, (0.75, 0.25, 0), 3),
        ((3.0, 3.0, 1.0), 3.0, (0, 0.5, 0.5), 4),
        ((-2.0, 1.0, 0.0), 4.0, (0.75, 0, 0.25), 5),
        ((1.0, 1.0, 3.0), 9.0, (0.5, 0.25, 0.25), 6),
    ],
)
def test_every_feature_of_a_triangle(
    point: tuple[float, ...], distance2: float, weights: tuple[float, ...], feature: int
) -> None:
    triangle = (0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 4.0, 0.0)
    result = point_triangle_closest_vectors(point, *triangle)
    assert result == pytest.approx((distance2, *weights, feature), abs=1e-14)


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        (((1.0, -1.0, 2.0), (1.0, 1.0, 2.0)), (4.0, 0.25, 0.5, 8)),  # a crossing
        (((-1.0, 0.0, 0.0), (-2.0, 3.0, 0.0)), (1.0, 0.0, 0.0, 0)),  # two end points
        (((4.0, 1.0, 0.0), (4.0, 5.0, 0.0)), (1.0, 1.0, 0.0, 3)),
        (((2.0, 1.0, 0.0), (2.0, 5.0, 0.0)), (1.0, 0.5, 0.0, 6)),  # an end of b inside a
        (((-1.0, -1.0, 0.0), (-1.0, 1.0, 0.0)), (1.0, 0.0, 0.5, 2)),  # an end of a inside b
        (((1.0, 1.0, 0.0), (1.0, 1.0, 0.0)), (1.0, 0.25, 0.0, 6)),  # b is a point
    ],
)
def test_features_of_two_edges(edge: tuple[tuple[float, ...], ...], expected: tuple[float, ...]) -> None:
    result = edge_edge_closest_vectors((0.0, 0.0, 0.0), (4.0, 0.0, 0.0), *edge)
    assert result == pytest.approx(expected, abs=1e-14)

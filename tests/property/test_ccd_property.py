"""Properties of distances and times of impact that hold for all inputs, searched for counterexamples by hypothesis."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from reference import ccd as naive
from signorini.collision import ccd
from signorini.collision.edge_edge_kernels import edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors

# Few distinct values, so that parallel, coplanar and coinciding points are common, and values of any size up to 100.
coordinates = st.one_of(
    st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0, 1.0 + 2.0**-52, 1e-9, 1e-18]),
    st.floats(-100.0, 100.0, allow_nan=False),
)
four_points = hnp.arrays(np.float64, (4, 3), elements=coordinates)
eight_points = hnp.arrays(np.float64, (8, 3), elements=coordinates)
TOI = {"point_triangle": ccd.point_triangle, "edge_edge": ccd.edge_edge}
ROUNDING = 64 * 2.0**-52
unhurried = settings(deadline=None)  # the first example may have to compile the kernels


def triangle_distance(x: naive.Array) -> float:
    return math.sqrt(point_triangle_closest_vectors(*map(tuple, x))[0])


def edge_distance(x: naive.Array) -> float:
    return math.sqrt(edge_edge_closest_vectors(*map(tuple, x))[0])


@unhurried
@given(four_points)
def test_triangle_distance_does_not_depend_on_the_order_of_vertices(x: naive.Array) -> None:
    distances = [triangle_distance(x[[0, *order]]) for order in itertools.permutations((1, 2, 3))]
    assert max(distances) - min(distances) <= ROUNDING * np.abs(x).max()


@unhurried
@given(four_points)
def test_edge_distance_does_not_depend_on_order(x: naive.Array) -> None:
    orders = ([0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 0, 1], [3, 2, 1, 0])
    distances = [edge_distance(x[order]) for order in orders]
    assert max(distances) - min(distances) <= ROUNDING * np.abs(x).max()


@unhurried
@given(four_points, hnp.arrays(np.float64, 3, elements=coordinates))
def test_distance_does_not_change_with_translation(x: naive.Array, shift: naive.Array) -> None:
    size = np.abs(x).max() + np.abs(shift).max()
    for distance in (triangle_distance, edge_distance):
        assert abs(distance(x + shift) - distance(x)) <= ROUNDING * size


@unhurried
@given(four_points, st.integers(0, 2**32 - 1))
def test_distance_is_never_above_that_of_sampled_points(x: naive.Array, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rounding = ROUNDING * np.abs(x).max()
    on_triangle = rng.dirichlet((0.5, 0.5, 0.5), 200) @ (x[1:] - x[0])
    assert triangle_distance(x) <= np.linalg.norm(on_triangle, axis=1).min() + rounding
    s, t = rng.random((2, 200, 1))
    between = (x[2] - x[0]) + t * (x[3] - x[2]) - s * (x[1] - x[0])
    assert edge_distance(x) <= np.linalg.norm(between, axis=1).min() + rounding


@pytest.mark.parametrize("pair", naive.PAIRS)
@unhurried
@given(x=four_points)
def test_distance_agrees_with_exact_arithmetic(pair: str, x: naive.Array) -> None:
    exact = math.sqrt(naive.exact_distance2(pair, x))
    computed = triangle_distance(x) if pair == "point_triangle" else edge_distance(x)
    assert abs(computed - exact) <= ROUNDING / 2 * np.abs(x).max()


@pytest.mark.parametrize("pair", naive.PAIRS)
@unhurried
@given(x=eight_points, min_distance=st.sampled_from([0.0, 1e-3, 0.3]))
def test_impact_time_is_not_after_any_sampled_contact(pair: str, x: naive.Array, min_distance: float) -> None:
    toi = float(TOI[pair](*x, min_distance=min_distance)[0])
    times = np.linspace(0.0, 1.0, 65)
    distances = naive.sampled_distances(pair, x[:, None], times)[:, 0]
    close = times[distances <= min_distance]
    assert close.size == 0 or toi <= close[0]


@pytest.mark.parametrize("pair", naive.PAIRS)
@unhurried
@given(x=eight_points, min_distance=st.sampled_from([1e-3, 0.3]))
def test_distance_is_kept_at_the_impact_time(pair: str, x: naive.Array, min_distance: float) -> None:
    toi = float(TOI[pair](*x, min_distance=min_distance)[0])
    if 0.0 < toi <= 1.0:
        exact = math.sqrt(naive.exact_distance2(pair, naive.at_time(x[:, None], toi)[:, 0]))
        assert exact >= min_distance - ROUNDING * np.abs(x).max()


@pytest.mark.parametrize("pair", naive.PAIRS)
@unhurried
@given(x=eight_points, w=hnp.arrays(np.float64, 2, elements=st.floats(0, 1)), time=st.sampled_from([0, 0.25, 0.5, 1]))
def test_a_motion_through_a_contact_is_found(pair: str, x: naive.Array, w: naive.Array, time: float) -> None:
    """The first half of x is the configuration at the contact, made to touch; the second half are displacements."""
    at_contact, moved = x[:4].copy(), x[4:]
    if pair == "point_triangle":
        u, v = w[0], w[1] * (1.0 - w[0])
        at_contact[0] = (1.0 - u - v) * x[1] + u * x[2] + v * x[3]
    else:
        at_contact[2:] += x[0] + w[0] * (x[1] - x[0]) - (x[2] + w[1] * (x[3] - x[2]))
    toi = TOI[pair](*(at_contact - time * moved), *(at_contact + (1.0 - time) * moved))[0]
    assert toi <= time

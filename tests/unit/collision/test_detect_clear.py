"""Separating axes: a pair that an axis tells apart is never near during the motion."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from reference import detection as naive
from signorini.collision import separating_axes_kernels as kernels

positions = st.lists(st.floats(-1.0, 1.0, width=32), min_size=24, max_size=24).map(
    lambda values: np.array(values, dtype=np.float64).reshape(2, 4, 3)
)
TIMES = np.linspace(0.0, 1.0, 21)


@settings(max_examples=100, deadline=None)
@given(motion=positions, distance=st.sampled_from([0.0, 1e-3, 0.1, 0.5]), apart=st.floats(0.0, 2.0))
def test_vertex_that_stays_clear_is_never_near(motion: naive.Array, distance: float, apart: float) -> None:
    x0, x1 = motion[0].copy(), motion[0] + 0.5 * motion[1]
    x0[0, 2] += apart
    x1[0, 2] += apart
    clear, least = kernels.vertex_stays_clear(x0, x1, 0, 1, 2, 3, distance)
    if not clear:
        return
    assume(np.linalg.norm(np.cross(x0[2] - x0[1], x0[3] - x0[1])) > 1e-6)
    assert distance < least <= np.linalg.norm(x0[0] - naive.point_triangle(x0[0], x0[1:]) @ x0[1:])
    for t in TIMES:
        x = x0 + t * (x1 - x0)
        assume(np.linalg.norm(np.cross(x[2] - x[1], x[3] - x[1])) > 1e-6)
        assert np.linalg.norm(x[0] - naive.point_triangle(x[0], x[1:]) @ x[1:]) > distance


@settings(max_examples=100, deadline=None)
@given(motion=positions, distance=st.sampled_from([0.0, 1e-3, 0.1, 0.5]), apart=st.floats(0.0, 2.0))
def test_edges_that_stay_clear_are_never_near(motion: naive.Array, distance: float, apart: float) -> None:
    x0, x1 = motion[0].copy(), motion[0] + 0.5 * motion[1]
    x0[:2, 2] += apart
    x1[:2, 2] += apart
    clear, least = kernels.edges_stay_clear(x0, x1, 0, 1, 2, 3, distance)
    if not clear:
        return
    assume(min(np.linalg.norm(x0[1] - x0[0]), np.linalg.norm(x0[3] - x0[2])) > 1e-6)
    wa, wb = naive.edge_edge(x0[:2], x0[2:])
    assert distance < least <= np.linalg.norm(wa @ x0[:2] - wb @ x0[2:])
    for t in TIMES:
        x = x0 + t * (x1 - x0)
        assume(min(np.linalg.norm(x[1] - x[0]), np.linalg.norm(x[3] - x[2])) > 1e-6)
        wa, wb = naive.edge_edge(x[:2], x[2:])
        assert np.linalg.norm(wa @ x[:2] - wb @ x[2:]) > distance


def test_clear_pairs_exist() -> None:
    x = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]])
    assert kernels.vertex_stays_clear(x, x, 0, 1, 2, 3, 0.9)[0]
    assert not kernels.vertex_stays_clear(x, x, 0, 1, 2, 3, 1.0)[0]
    assert not kernels.vertex_stays_clear(x, x - [[0, 0, 2], [0, 0, 0], [0, 0, 0], [0, 0, 0]], 0, 1, 2, 3, 0.9)[0]


def test_pairs_that_only_a_normal_tells_apart_are_clear() -> None:
    x = np.array([[0.8, 0.1, 0.1], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    for side in (1.0, -1.0):
        flipped = x * [1.0, 1.0, side]
        assert kernels.vertex_stays_clear(flipped, flipped, 0, 1, 2, 3, 0.09)[0]
        assert not kernels.vertex_stays_clear(flipped, flipped, 0, 1, 2, 3, 0.1)[0]
        cross = np.array([[-1.0, 0.0, 0.1], [0.1, 0.0, 0.1], [0.0, -1.0, 0.0], [0.0, 0.1, 0.0]]) * [1.0, 1.0, side]
        assert kernels.edges_stay_clear(cross, cross, 0, 1, 2, 3, 0.09)[0]
        assert not kernels.edges_stay_clear(cross, cross, 0, 1, 2, 3, 0.1)[0]


@settings(max_examples=200, deadline=None)
@given(
    tilt=st.sampled_from([0.0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5]),
    turn=st.floats(0.0, 3.0),
    height=st.floats(1e-3, 1.0),
    slope=st.floats(-1.0, 1.0),
)
@example(tilt=0.0, turn=0.0, height=1.0, slope=3.5e-219)  # the square of their common normal underflows
@example(tilt=0.0, turn=0.0, height=1.0, slope=1e-155)
def test_no_axis_parts_nearly_parallel_edges_that_are_near(
    tilt: float, turn: float, height: float, slope: float
) -> None:
    c, s = np.cos(turn), np.sin(turn)
    along, across = np.array([c, s, slope]), np.array([-s, c, 0.3])
    x = np.array([0.0 * along, along, height * across, height * across + along + tilt * np.array([s, 1.0, c])])
    wa, wb = naive.edge_edge(x[:2], x[2:])
    distance = float(np.linalg.norm(wa @ x[:2] - wb @ x[2:]))
    assert not kernels.edges_stay_clear(x, x, 0, 1, 2, 3, distance * (1.0 + 1e-8))[0]

"""Distance bounds against the distances themselves, and their kernels against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from reference import detection as naive
from reference.soups import random_soup
from signorini.collision import distance_bounds_kernels as kernels
from signorini.collision.broad_phase import BoxTree, Candidates
from signorini.collision.detect import detect_continuous, detect_proximity
from signorini.collision.separation import Separation
from signorini.collision.surface import Surface

REACH = 0.05


def soup(seed: int = 3) -> tuple[Surface, np.ndarray, Candidates]:
    """A soup with pairs that are searched far ahead."""
    surface, x = random_soup(seed, bodies=3, triangles=6, whiskers=1)
    return surface, x, BoxTree(surface, x).find_candidates(x, x, distance=REACH, margin=0.3)


def distances(surface: Surface, candidates: Candidates, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of all vertex-triangle and edge-edge pairs."""
    triangles = [
        naive.measure_vertex_triangle(surface, x, v, t).distance for v, t in candidates.vertex_triangle.tolist()
    ]
    edges = [naive.measure_edge_edge(surface, x, e, f).distance for e, f in candidates.edge_edge.tolist()]
    return np.array(triangles), np.array(edges)


@pytest.mark.parametrize("speed", [0.0, 0.5])
def test_bounds_are_below_the_distances_and_most_pairs_at_rest_need_no_test(speed: float) -> None:
    surface, x = random_soup(5, bodies=3, triangles=6, whiskers=1)
    flight = np.array([speed, 0.0, 0.0])
    candidates = BoxTree(surface, x).find_candidates(x, x + flight, distance=REACH, margin=0.3, steps=8.0)
    rng = np.random.default_rng(1)
    for k in range(8):
        at = x + k * flight + 1e-3 * k * rng.normal(size=x.shape)
        detect_proximity(surface, candidates, at, distance=REACH)
        # A distance of inf selects all pairs, and what is known of them.
        for selected, true in zip(candidates.bounds.near(at, np.inf), distances(surface, candidates, at), strict=True):
            assert len(selected.pairs) == len(true)
            assert (selected.distance <= true + 1e-14).all()
    near = sum(len(selected.pairs) for selected in candidates.bounds.near(at, REACH))
    truly = sum(int((true < REACH).sum()) for true in distances(surface, candidates, at))
    assert 0 < truly <= near < 0.5 * (len(candidates.vertex_triangle) + len(candidates.edge_edge))


def test_bounds_of_unknown_pairs_select_all_in_the_order_of_the_candidates() -> None:
    _, x, candidates = soup()
    triangles, edges = candidates.bounds.near(x, 1e-9)
    np.testing.assert_array_equal(triangles.pairs, candidates.vertex_triangle)
    np.testing.assert_array_equal(edges.pairs, candidates.edge_edge)
    assert (triangles.distance == -np.inf).all()


def test_rejected_motions_use_up_nothing_and_the_way_there_and_back_does() -> None:
    surface, x, candidates = soup()
    detect_proximity(surface, candidates, x, distance=REACH)
    before = candidates.bounds.near(x, np.inf)[0].distance
    away, separation = x + 0.2, Separation.uniform(surface, 1e-3)
    for _ in range(3):
        detect_continuous(surface, candidates, x, away, separation=separation)
        assert (candidates.bounds.near(x, np.inf)[0].distance >= before).all()
    before = candidates.bounds.near(x, np.inf)[0].distance
    candidates.bounds.near(away, REACH)
    after = candidates.bounds.near(x, np.inf)[0].distance
    np.testing.assert_allclose(before - after, 4.0 * np.sqrt(3.0) * 0.2, rtol=1e-12)


def test_after_a_position_that_is_not_a_number_all_pairs_are_tested() -> None:
    surface, x, candidates = soup()
    detect_proximity(surface, candidates, x, distance=REACH)
    lost = x.copy()
    lost[0] = np.nan
    assert len(candidates.bounds.approaching(x, lost, 1e-9)[0].pairs) == len(candidates.vertex_triangle)
    assert len(candidates.bounds.near(x, 1e-9)[0].pairs) < len(candidates.vertex_triangle)
    candidates.bounds.near(lost, REACH)
    for _ in range(2):
        triangles, edges = candidates.bounds.near(x, 1e-9)
        assert len(triangles.pairs) == len(candidates.vertex_triangle)
        assert len(edges.pairs) == len(candidates.edge_edge)
        detect_proximity(surface, candidates, x, distance=REACH)


def test_path_lengths_are_those_of_the_fastest_vertices() -> None:
    surface, x, _ = soup()
    rng = np.random.default_rng(2)
    vertex, triangle, edge = (np.zeros(len(of)) for of in (x, surface.triangles, surface.edges))
    expected = [np.zeros_like(of) for of in (vertex, triangle, edge)]
    for bend in (np.zeros(0), rng.uniform(0.0, 0.1, len(x))):
        end = x + rng.normal(size=x.shape)
        kernels.lengthen(x, end, bend, 2.0, surface.triangles, surface.edges, vertex, triangle, edge)
        step = 2.0 * (np.linalg.norm(end - x, axis=1) + (bend if len(bend) else 0.0))
        for total, fastest in zip(
            expected, (step, step[surface.triangles].max(axis=1), step[surface.edges].max(axis=1)), strict=True
        ):
            total += fastest
    for found, true in zip((vertex, triangle, edge), expected, strict=True):
        np.testing.assert_allclose(found, true, rtol=1e-14)
        assert (found >= true * (1.0 - 2e-16)).all()


def test_frames_separate_by_the_lengths_of_their_relative_motions() -> None:
    rng = np.random.default_rng(3)
    start, end = rng.normal(size=(2, 4, 3))
    between = np.ones((3, 3))  # the last frame is that of the world
    kernels.separate(start, end, 2.0, between)
    moved = (end - start)[:3]
    expected = 2.0 * np.linalg.norm(moved[:, None] - moved[None], axis=2)
    np.testing.assert_allclose(between, 1.0 + expected, rtol=1e-14)


@pytest.mark.parametrize("bodies", [1, 3])
def test_selected_pairs_are_those_that_paths_may_have_brought_near(bodies: int) -> None:
    rng = np.random.default_rng(4)
    pairs = rng.integers(0, 10, (50, 2)).astype(np.int32)
    first, second = rng.uniform(size=(2, 10))
    between = rng.uniform(size=(bodies, bodies))
    first_body, second_body = rng.integers(0, bodies, (2, 10)).astype(np.int32)
    bound = rng.uniform(0.0, 4.0, 50)
    bound[7] = np.nan
    i, j = pairs.T
    spent = first[i] + second[j] + (between[first_body[i], second_body[j]] if bodies > 1 else 0.0)
    rows = np.empty(50, np.int32)
    sides = (first, second, between, first_body, second_body)
    rows = rows[: kernels.select(pairs, bound, 1.0, *sides, rows)]
    np.testing.assert_array_equal(rows, np.flatnonzero(~(bound - spent > 1.0)))
    taken, distance = np.empty((len(rows), 2), np.int32), np.empty(len(rows))
    kernels.take(pairs, rows, bound, *sides, taken, distance)
    np.testing.assert_array_equal(taken, pairs[rows])
    np.testing.assert_allclose(distance, (bound - spent)[rows], atol=1e-15)
    distance[:] = 9.0
    expected = bound.copy()
    expected[rows] = 9.0 + spent[rows]
    kernels.learn(taken, distance, rows, *sides, bound)
    np.testing.assert_allclose(bound, expected, rtol=1e-15)


def test_largest_value_leaves_out_what_is_not_a_number() -> None:
    assert kernels.largest(np.array([[1.0, -3.0], [np.nan, 2.0]])) == 3.0
    assert kernels.largest(np.zeros(0)) == 0.0

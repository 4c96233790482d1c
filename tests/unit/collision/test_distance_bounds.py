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


def test_before_any_test_bounds_are_the_gaps_of_the_boxes() -> None:
    surface, x, candidates = soup()
    selected = candidates.bounds.near(x, np.inf)
    np.testing.assert_array_equal(selected[0].pairs, candidates.vertex_triangle)
    np.testing.assert_array_equal(selected[1].pairs, candidates.edge_edge)

    def corners(of):
        return x[of].min(axis=1), x[of].max(axis=1)

    vertices, triangles, edges = (x, x), corners(surface.triangles), corners(surface.edges)
    for pairs, sides in zip(selected, ((vertices, triangles), (edges, edges)), strict=True):
        (low_a, high_a), (low_b, high_b) = sides
        i, j = pairs.pairs.T
        apart = np.maximum(0.0, np.maximum(low_a[i] - high_b[j], low_b[j] - high_a[i]))
        gap = np.linalg.norm(apart, axis=1)
        assert (gap > REACH).any() and (gap == 0.0).any()
        np.testing.assert_allclose(pairs.distance, gap, rtol=1e-5, atol=1e-5)
        assert (pairs.distance <= gap).all()


def test_rejected_motions_use_up_nothing() -> None:
    surface, x, candidates = soup()
    detect_proximity(surface, candidates, x, distance=REACH)
    before = candidates.bounds.near(x, np.inf)[0].distance
    away, separation = x + 0.2 * np.random.default_rng(6).normal(size=x.shape), Separation.uniform(surface, 1e-3)
    for _ in range(3):
        detect_continuous(surface, candidates, x, away, separation=separation)
        assert (candidates.bounds.near(x, np.inf)[0].distance >= before).all()


def test_way_there_and_back_uses_up_the_relative_motion_of_each_pair() -> None:
    surface, x, candidates = soup()
    detect_proximity(surface, candidates, x, distance=REACH)
    before = candidates.bounds.near(x, np.inf)[0].distance
    away = x + 0.2 + 1e-3 * np.random.default_rng(6).normal(size=x.shape)
    candidates.bounds.near(away, np.inf)
    after = candidates.bounds.near(x.copy(), np.inf)[0].distance
    v, t = candidates.vertex_triangle.T
    u = away - x
    mean = u[surface.triangles].mean(axis=1)
    off = np.linalg.norm(u[surface.triangles] - mean[:, None], axis=2).max(axis=1)
    expected = 2.0 * (np.linalg.norm(u[v] - mean[t], axis=1) + off[t])
    np.testing.assert_allclose(before - after, expected, rtol=1e-9, atol=1e-13)
    assert (before - after >= expected).all()


def test_pairs_are_left_out_of_a_motion_only_if_their_distance_stays_above() -> None:
    surface, x, candidates = soup()
    detect_proximity(surface, candidates, x, distance=REACH)
    away = x + 0.3 + 0.02 * np.random.default_rng(6).normal(size=x.shape)
    least = np.min(
        [np.concatenate(distances(surface, candidates, x + t * (away - x))) for t in np.linspace(0, 1, 21)], axis=0
    )
    selected = candidates.bounds.approaching(x, away, REACH)
    rows = np.concatenate([selected[0].rows, selected[1].rows + len(candidates.vertex_triangle)])
    left_out = np.delete(least, rows)
    assert len(left_out) > 0.2 * len(least)
    assert (left_out > REACH).all()
    assert (least[rows] < REACH).any()


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
    for _ in range(2):
        end = x + rng.normal(size=x.shape)
        longest = kernels.lengthen(x, end, surface.triangles, surface.edges, vertex, triangle, edge)
        assert longest == vertex.max()
        step = np.linalg.norm(end - x, axis=1)
        for total, fastest in zip(
            expected, (step, step[surface.triangles].max(axis=1), step[surface.edges].max(axis=1)), strict=True
        ):
            total += fastest
    for found, true in zip((vertex, triangle, edge), expected, strict=True):
        np.testing.assert_allclose(found, true, rtol=1e-14)
        assert (found >= true * (1.0 - 2e-16)).all()


@pytest.mark.parametrize("bent", [False, True])
def test_motions_are_means_and_the_largest_differences_from_them(bent: bool) -> None:
    surface, x, _ = soup()
    rng = np.random.default_rng(2)
    end, bend = x + rng.normal(size=x.shape), rng.uniform(0.0, 0.1, len(x) if bent else 0)
    found = [np.empty((len(of), 4)) for of in (x, surface.triangles, surface.edges)]
    longest = kernels.find_motions(x, end, bend, surface.triangles, surface.edges, *found)
    u, off = end - x, bend if bent else np.zeros(len(x))
    assert longest == pytest.approx((np.linalg.norm(u, axis=1) + off).max(), rel=1e-14)
    for motion, corners in zip(found, (np.arange(len(x))[:, None], surface.triangles, surface.edges), strict=True):
        mean = u[corners].mean(axis=1)
        np.testing.assert_allclose(motion[:, :3], mean, atol=1e-15)
        differs = np.linalg.norm(u[corners] - mean[:, None], axis=2).max(axis=1) + off[corners].max(axis=1)
        np.testing.assert_allclose(motion[:, 3], differs, atol=1e-15)
    end[0] = np.nan
    assert kernels.find_motions(x, end, bend, surface.triangles, surface.edges, *found) == np.inf


def test_frames_separate_by_the_lengths_of_their_relative_motions() -> None:
    rng = np.random.default_rng(3)
    start, end = rng.normal(size=(2, 4, 3))
    between = np.ones((3, 3))  # the last frame is that of the world
    kernels.separate(start, end, between)
    moved = (end - start)[:3]
    expected = np.linalg.norm(moved[:, None] - moved[None], axis=2)
    np.testing.assert_allclose(between, 1.0 + expected, rtol=1e-14)


@pytest.mark.parametrize("bodies", [1, 3])
def test_selected_pairs_are_those_that_paths_and_motions_may_have_brought_near(bodies: int) -> None:
    rng = np.random.default_rng(4)
    pairs = rng.integers(0, 10, (200, 2)).astype(np.int32)
    first, second, older_first, older_second = rng.uniform(size=(4, 10)) * np.array([[1.0], [1.0], [0.5], [0.5]])
    between = rng.uniform(size=(bodies, bodies))
    older_between = 0.5 * between
    first_body, second_body = rng.integers(0, bodies, (2, 10)).astype(np.int32)
    motions = 0.5 * rng.uniform(size=(2, 10, 4))
    bound, loss = rng.uniform(0.0, 4.0, 200), 0.01
    bound[7] = np.nan
    i, j = pairs.T

    def spent(first, second, between):
        return first[i] + second[j] + (between[first_body[i], second_body[j]] if bodies > 1 else 0.0)

    def room():
        return np.empty(200, np.int32), np.empty((200, 2), np.int32), np.empty(200)

    moved = np.linalg.norm((motions[0][i] - motions[1][j])[:, :3], axis=1) + motions[0][i, 3] + motions[1][j, 3]
    used = spent(first, second, between)
    known = bound - used
    sides = (first, second, between, first_body, second_body)
    found = room()
    count = kernels.select_approaching(pairs, bound, 0.5, 0.2, *sides, *motions, *found)
    expected = np.flatnonzero(~((known - 0.8 > 0.5) | (known - moved > 0.5)))
    assert 0 < len(expected) < 200
    for array, true in zip(found, (expected, pairs[expected], known[expected]), strict=True):
        np.testing.assert_allclose(array[:count], true, rtol=1e-13, atol=1e-15)

    found, raised = room(), bound.copy()
    count = kernels.select_near(
        pairs, raised, 0.5, loss, older_first, older_second, older_between, *sides, *motions, *found
    )
    better = bound - spent(older_first, older_second, older_between) - loss - moved
    raises = (known <= 0.5) & (better > known)
    known = np.where(raises, better, known)
    expected = np.flatnonzero(~(known > 0.5))
    assert raises.any() and 0 < len(expected) < 200
    for array, true in zip(found, (expected, pairs[expected], known[expected]), strict=True):
        np.testing.assert_allclose(array[:count], true, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(raised, np.where(raises, better + used, bound), rtol=1e-13)

    rows, taken, distance = (array[:count] for array in found)
    distance[:] = 9.0
    expected_bound = raised.copy()
    expected_bound[rows] = 9.0 + used[rows]
    kernels.learn(taken, distance, rows, *sides, raised)
    np.testing.assert_allclose(raised, expected_bound, rtol=1e-15)


def test_largest_value_leaves_out_what_is_not_a_number() -> None:
    assert kernels.largest(np.array([[1.0, -3.0], [np.nan, 2.0]])) == 3.0
    assert kernels.largest(np.zeros(0)) == 0.0

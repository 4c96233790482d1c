"""Frames that ride with bodies: chosen by NumPy's means, and as many pairs of fast bodies as of slow ones."""

from __future__ import annotations

import numpy as np
import pytest

from reference import broad_phase as naive
from reference.soups import random_soup, single_bodies
from signorini.collision import body_frames_kernels as kernels
from signorini.collision.body_frames import BodyFrames
from signorini.collision.broad_phase import BoxTree, Candidates
from signorini.collision.surface import Surface

MARGIN = 0.02


def pairs_of(candidates: Candidates) -> tuple[naive.Pairs, naive.Pairs]:
    return (
        {(v, t) for v, t in candidates.vertex_triangle.tolist()},
        {(min(p), max(p)) for p in candidates.edge_edge.tolist()},
    )


def sheets(*heights: float, ground: bool = False) -> tuple[Surface, np.ndarray]:
    """Flat sheets of 5 × 5 vertices above one another."""
    side = np.linspace(0.0, 1.0, 5)
    flat = np.array([[a, b, 0.0] for b in side for a in side])
    corners = [5 * j + i for j in range(4) for i in range(4)]
    faces = np.array([t for c in corners for t in ([c, c + 1, c + 6], [c, c + 6, c + 5])])
    planes = (((0.0, 0.0, 1.0), -0.5),) if ground else ()
    return single_bodies([(flat + np.array([0.0, 0.0, h]), faces) for h in heights], planes=planes)


def test_frames_ride_with_what_moves_as_a_whole() -> None:
    surface, x = sheets(0.0, 1.0, 2.0, 3.0)
    body, rng = surface.vertex_body, np.random.default_rng(1)
    step = np.zeros_like(x)
    step[body == 0] = [0.5, 0.1, 0.0] + 0.01 * rng.normal(size=(25, 3))
    step[body == 1] = 0.5 * rng.normal(size=(25, 3))  # no common motion
    step[body == 2] = [0.0, 0.5 * MARGIN, 0.0]  # too slow to matter
    frames = BodyFrames.chosen(surface, x, x + step, MARGIN)
    assert frames.rides.tolist() == [True, False, False, False, False]
    np.testing.assert_allclose(frames.sweep[0], step[body == 0].mean(axis=0), rtol=1e-14)
    assert (frames.sweep[1:] == 0.0).all()
    relative, shift = frames.place(x + 0.7 * step)
    np.testing.assert_allclose(shift[0], 0.7 * frames.sweep[0], rtol=1e-13)
    np.testing.assert_allclose(relative, x + 0.7 * step - shift[body], atol=1e-15)
    assert not frames.alone
    assert frames.expect(shift)
    shift[0, 2] += 0.9 * MARGIN
    assert frames.expect(shift)
    shift[0, 2] += 0.2 * MARGIN
    assert not frames.expect(shift)
    assert not BodyFrames.chosen(surface, x, np.full_like(x, np.nan), MARGIN).rides.any()


def test_sweeps_are_the_boxes_of_the_relative_motion() -> None:
    rides, sweep = (
        np.array([True, True, False, False]),
        np.array([[1.0, -2.0, 0.0], [0.5, 0.0, 0.0], [0, 0, 0], [0, 0, 0]]),
    )
    low, high = kernels.sweep_between(rides, sweep, 0.1, 0, 1)
    np.testing.assert_allclose([low, high], [[-0.6, -0.1, -0.1], [0.1, 2.1, 0.1]], atol=1e-11)
    for a, b in ((0, 0), (2, 3)):
        assert not kernels.are_moving(rides, a, b)
        np.testing.assert_array_equal(kernels.sweep_between(rides, sweep, 0.1, a, b), 0.0)
    frames = BodyFrames(np.zeros(0, np.int32), np.zeros((0, 3)), rides, sweep, 0.1, alone=False)
    for body in range(4):
        box = kernels.sweep_between(rides, sweep, 0.1, 3, body)
        np.testing.assert_allclose([corner[body] for corner in frames.swept()], box, atol=1e-14)


@pytest.mark.parametrize("speed", [1.0, 30.0, 300.0])
def test_fast_bodies_have_the_pairs_of_slow_ones(speed: float) -> None:
    """Within each body, and between two that fly together."""
    surface, x = sheets(0.0, 0.08)
    tree, rng = BoxTree(surface, x), np.random.default_rng(2)
    shake = 1e-3 * rng.normal(size=x.shape)
    slow, fast = (
        tree.find_candidates(x, x + shake + v, distance=0.05, margin=MARGIN, steps=4.0)
        for v in (0.0, [speed, 0.0, -speed])
    )
    assert pairs_of(slow)[0] <= pairs_of(fast)[0] and pairs_of(slow)[1] <= pairs_of(fast)[1]
    assert len(fast) <= 1.3 * len(slow)
    for k in range(1, 5):
        at = x + k * shake + [k * speed, 0.0, -k * speed]
        assert fast.cover(at)
        assert not slow.cover(at)
    assert not fast.cover(x + 0.5 * np.where(surface.vertex_body[:, None] == 0, [1.0, 0.0, 0.0], 0.0))


def test_one_body_in_free_flight_is_covered_wherever_it_goes() -> None:
    surface, x = sheets(0.0)
    candidates = BoxTree(surface, x).find_candidates(x, x + 1.0, distance=0.05, margin=MARGIN)
    assert candidates.cover(x - [7.0, 0.0, 3.0])
    surface, x = sheets(0.0, ground=True)
    candidates = BoxTree(surface, x).find_candidates(x, x + 1.0, distance=0.05, margin=MARGIN)
    assert not candidates.cover(x - [7.0, 0.0, 3.0])
    assert candidates.cover(x + 0.3)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("speed", [0.0, 2.0])
def test_no_pair_is_missing_for_a_motion_that_is_covered(seed: int, speed: float) -> None:
    """Bodies fly together or past each other; their boxes and those of mixed nodes of the tree are seen from moving frames."""
    surface, x0 = random_soup(seed, bodies=4, triangles=4, whiskers=1, kinematic=1, planes=(((0.0, 0.6, 0.8), -0.2),))
    rng = np.random.default_rng(seed)
    flight = speed * (rng.normal(size=3) + (0.5 * rng.normal(size=(4, 3)) if seed % 2 else 0.0 * np.ones((4, 3))))
    x1 = x0 + flight[surface.vertex_body] + 0.01 * rng.normal(size=x0.shape)
    candidates = BoxTree(surface, x0).find_candidates(x0, x1, distance=0.1, margin=MARGIN)
    vertex_triangle, edge_edge = pairs_of(candidates)
    planes = {(v, p) for v, p in candidates.vertex_plane.tolist()}
    covered = 0
    for time in rng.uniform(size=4):
        x = x0 + time * (x1 - x0) + 0.4 * MARGIN * rng.uniform(-1.0, 1.0, x0.shape)
        x += (MARGIN * rng.uniform(-0.6, 0.6, (4, 3)))[surface.vertex_body]
        if candidates.cover(x):
            covered += 1
            near = naive.near_pairs(surface, x, 0.1)
            assert near[0] <= vertex_triangle and near[1] <= edge_edge
            assert naive.plane_pairs(surface, x, x, 0.1) <= planes
    assert covered > 0


def test_boxes_cover_what_is_in_them() -> None:
    x = np.random.default_rng(5).normal(size=(9, 3))
    assert kernels.covers(x, x, x)
    for corner in (x.copy(), np.full_like(x, np.nan)):
        corner[5, 1] = np.nextafter(x[5, 1], 9.0)
        assert not kernels.covers(corner, corner, x) and not kernels.covers(x, x, corner)

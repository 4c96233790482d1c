"""Bent paths against dense samples of the rotation: places, deviations, boxes and times of impact."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from signorini.collision import paths_kernels as kernels
from signorini.collision.ccd_kernels import row
from signorini.collision.path_ccd_kernels import path_toi, plane_toi
from signorini.collision.paths import STRAIGHT, Paths
from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors

NONE = np.zeros(0, np.int32)
T = np.linspace(0.0, 1.0, 2001)


def turning(arms: np.ndarray, turn: np.ndarray, straight: int = 0) -> Paths:
    """Vertices of one rigid body with these arms (v, 3) that turns by `turn` (3,), and then some that move straight."""
    count = len(arms) + straight
    indptr = np.minimum(np.arange(count + 1), len(arms)).astype(np.int32)
    entries = len(arms)
    return Paths(
        kernels.trace(
            indptr, np.zeros(entries, np.int32), np.zeros(entries), np.zeros(entries, np.int32), arms, count, turn[None],
            NONE, NONE, np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0), np.zeros((1, 0, 3)),
        )
    )  # fmt: skip


def rotated(arms: np.ndarray, turn: np.ndarray, shift: np.ndarray, t: np.ndarray) -> np.ndarray:
    """(t, v, 3) where they truly are."""
    R = Rotation.from_rotvec(t[:, None] * turn).as_matrix()
    return t[:, None, None] * shift + np.einsum("tij,vj->tvi", R, arms)


def random_turn(seed: int, angle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    axis = rng.standard_normal(3)
    return rng.standard_normal((4, 3)), angle * axis / np.linalg.norm(axis), rng.standard_normal(3)


@pytest.mark.parametrize("angle", [1e-3, 0.7, 2.5, 4.0, 40.0])
def test_places_and_boxes_are_those_of_the_rotation(angle: float) -> None:
    arms, turn, shift = random_turn(int(angle), angle)
    x = rotated(arms, turn, shift, T)
    paths = turning(arms, turn)
    for k in (0, 1, 700, 2000):
        np.testing.assert_allclose(paths.at(x[0], x[-1], T[k]), x[k], atol=1e-12)
    low, high = paths.boxes(x[0], x[-1])
    assert (x.min(axis=0) >= low - 1e-12).all()
    assert (x.max(axis=0) <= high + 1e-12).all()
    span = (x.max(axis=0) - x.min(axis=0)).max()
    assert (high - low).max() < 3.5 * span  # not larger than the swept ball asks for


@pytest.mark.parametrize("angle", [0.05, 1.0, 3.0, 9.0, 60.0])
def test_deviations_from_straight_pieces_are_bounds(angle: float) -> None:
    arms, turn, shift = random_turn(7, angle)
    x = rotated(arms, turn, shift, T)
    paths = turning(arms, turn)
    start, end = np.empty((1, 3)), np.empty((1, 3))
    for a, b in ((0, 2000), (0, 500), (300, 1100), (1999, 2000)):
        for i in range(len(arms)):
            bound = kernels.cut_path(paths.arrays, x[0], x[-1], i, T[a], T[b], start, end, 0)
            part = ((T[a : b + 1] - T[a]) / (T[b] - T[a]))[:, None]
            truly = np.linalg.norm(x[a : b + 1, i] - (1 - part) * start - part * end, axis=1).max()
            assert truly <= bound + 1e-12
            assert bound <= 1.01 * np.linalg.norm(arms[i])  # at most the radius
            if b - a > 1 and (b - a) / 2000 * angle < 1.0:
                assert truly > 0.9 * bound


@pytest.mark.parametrize("seed", range(8))
def test_times_of_impact_are_never_late_and_rarely_early(seed: int) -> None:
    """A vertex of a turning body and a triangle at rest: the distance at the time is what is kept, at most a quarter more."""
    rng = np.random.default_rng(seed)
    arms, turn, shift = random_turn(seed, float(rng.uniform(0.5, 15.0)))
    arms, keep = arms[:1], 0.02
    triangle = rng.standard_normal((3, 3))
    x = np.concatenate([rotated(arms, turn, shift, T), np.broadcast_to(triangle, (len(T), 3, 3))], axis=1)
    distance = np.array([np.sqrt(point_triangle_closest_vectors(*(row(y, i) for i in range(4)))[0]) for y in x])
    if distance[0] < 2 * keep:
        return
    paths = turning(arms, turn, straight=3)
    toi = path_toi(paths.arrays, x[0], x[-1], 0, 1, 2, 3, False, keep, np.zeros(1, np.int64))
    late = distance <= keep
    assert toi <= T[np.argmax(late)] if late.any() else True
    if toi == np.inf:
        assert distance.min() > keep
    else:
        y = paths.at(x[0], x[-1], toi)
        reached = np.sqrt(point_triangle_closest_vectors(*(row(y, i) for i in range(4)))[0])
        assert keep <= reached <= 1.55 * keep


def test_an_arc_that_dips_below_a_plane_and_comes_back_is_seen() -> None:
    """Half a turn from height 0.1 to height 0.1 goes through −0.9."""
    arms, turn = np.array([[1.0, 0.0, 0.1]]), np.array([0.0, np.pi, 0.0])
    x = rotated(arms, turn, np.array([2.0, 0, 0.2]), T)
    assert x[-1, 0, 2] == pytest.approx(0.1)
    paths = turning(arms, turn)
    up = np.array([0.0, 0.0, 1.0])
    toi = plane_toi(paths.arrays, x[0], x[-1], 0, up, 0.0, 0.01, np.zeros(1, np.int64))
    below = T[np.argmax(x[:, 0, 2] < 0.01)]
    assert 0.9 * below < toi <= below
    assert plane_toi(paths.arrays, x[0], x[-1], 0, up, -1.2, 0.01, np.zeros(1, np.int64)) == np.inf


def test_many_turns_are_bounded_work() -> None:
    """A body of 10,000 rad beside a triangle: decided or given up within the pieces of one pair; clear outside its circle."""
    arms, turn = np.array([[1.0, 0.0, 0.0]]), np.array([0.0, 0.0, 1e4])
    x = rotated(arms, turn, np.zeros(3), T)
    for at, clear in ((0.999, False), (1.001, True)):
        triangle = np.array([[at, -1, -1], [at, 1, -1], [at, 0, 1.0]])
        x0, x1, work = np.concatenate([x[0], triangle]), np.concatenate([x[-1], triangle]), np.zeros(1, np.int64)
        toi = path_toi(turning(arms, turn, straight=3).arrays, x0, x1, 0, 1, 2, 3, False, 1e-4, work)
        assert (toi == np.inf) is clear
        assert work[0] <= 400


def test_straight_paths_have_no_bends() -> None:
    x0, x1 = np.zeros((2, 3)), np.ones((2, 3))
    assert STRAIGHT.straight
    np.testing.assert_array_equal(STRAIGHT.at(x0, x1, 0.5), 0.5 * x1)
    assert not turning(np.ones((1, 3)), np.array([0, 0, 1.0])).straight

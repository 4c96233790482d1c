"""Packed boxes against comparisons of their corners."""

from __future__ import annotations

import numpy as np
import pytest

from signorini.collision.boxes.box_registers_kernels import around, box_at, meet_boxes, meet_swept, put_box
from signorini.collision.boxes.packed_boxes import box_gaps, joined_boxes, middle_of, packed_boxes
from signorini.compiled import kernel

ORIGIN = np.zeros(3)


@kernel
def _compare(first, second, sweep, out):
    """Whether boxes meet, at rest and in a sweep; one around both is written over the first."""
    for k in range(len(out)):
        a, b = box_at(first, k), box_at(second, k)
        out[k, 0], out[k, 1] = meet_boxes(a, b), meet_swept(a, b, box_at(sweep, 0))
        put_box(first, k, around(a, b))


def random_boxes(seed: int, count: int = 500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    low = rng.uniform(-1.0, 1.0, (count, 3))
    return low, low + rng.uniform(0.0, 0.8, (count, 3))


def overlap(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return ((a[0] <= b[1]) & (b[0] <= a[1])).all(axis=1)


def test_boxes_meet_as_their_corners_say_at_rest_and_in_a_sweep() -> None:
    a, b, (back, ahead) = random_boxes(1), random_boxes(2), (np.array([-0.3, 0.0, -0.1]), np.array([0.0, 0.4, 0.2]))
    first, second = packed_boxes(*a, 0.0, ORIGIN), packed_boxes(*b, 0.0, ORIGIN)
    sweep = np.concatenate([-ahead, [0.0], back, [0.0]]).astype(np.float32)[None]
    found = np.zeros((len(first), 2), np.bool_)
    _compare(first, second, sweep, found)
    expected = overlap(a, b), overlap(a, (b[0] + back, b[1] + ahead))
    assert 20 <= expected[0].sum() < expected[1].sum() < 250
    np.testing.assert_array_equal(found.T, expected)
    np.testing.assert_allclose(first[:, :3], np.minimum(a[0], b[0]), atol=1e-5)
    np.testing.assert_allclose(-first[:, 4:7], np.maximum(a[1], b[1]), atol=1e-5)


def test_boxes_that_touch_meet_and_those_of_nan_do_not() -> None:
    low = np.array([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    first, found = packed_boxes(low, low, 0.0, ORIGIN), np.zeros((2, 2), np.bool_)
    second = packed_boxes(np.zeros((2, 3)), np.zeros((2, 3)), 0.0, ORIGIN)
    _compare(first, second, np.zeros((1, 8), np.float32), found)
    np.testing.assert_array_equal(found, [[True, True], [False, False]])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_packed_boxes_contain_the_boxes_and_gaps_are_below_the_distances(scale: float) -> None:
    low, high = (scale * side for side in random_boxes(3))
    packed = packed_boxes(low, high, 0.1 * scale, ORIGIN)
    assert (packed[:, :3] <= low - 0.1 * scale).all() and (-packed[:, 4:7] >= high + 0.1 * scale).all()
    np.testing.assert_allclose(packed[:, :3], low - 0.1 * scale, atol=3e-6 * scale)
    corners = np.random.default_rng(4).integers(0, len(low), (60, 3)).astype(np.int32)
    joined = joined_boxes(corners, packed)
    np.testing.assert_array_equal(joined, packed[corners].min(axis=1))
    pairs = np.random.default_rng(5).integers(0, len(low), (400, 2)).astype(np.int32)
    i, j = pairs.T
    points = packed_boxes(low, low, 0.0, ORIGIN)
    true = np.linalg.norm(low[i] - low[j], axis=1)
    gaps = box_gaps(pairs, points, points)
    assert (gaps <= true).all()
    np.testing.assert_allclose(gaps, true, atol=1e-5 * scale)


def test_boxes_far_from_the_origin_keep_their_digits_when_seen_from_their_middle() -> None:
    low, high = (1e6 + side for side in random_boxes(6))
    middle = middle_of(low, high)
    np.testing.assert_allclose(middle, 0.5 * (low.min(axis=0) + high.max(axis=0)), rtol=1e-15)
    packed = packed_boxes(low, high, 0.1, middle)
    np.testing.assert_allclose(packed[:, :3], low - middle - 0.1, atol=3e-6)
    np.testing.assert_allclose(-packed[:, 4:7], high - middle + 0.1, atol=3e-6)
    low[3], high[7] = np.nan, np.inf
    kept = np.delete(np.arange(len(low)), [3, 7])
    np.testing.assert_array_equal(middle_of(low, high), middle_of(low[kept], high[kept]))
    np.testing.assert_array_equal(middle_of(low[3:4], high[3:4]), np.zeros(3))

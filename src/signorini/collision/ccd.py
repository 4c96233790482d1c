"""Times of impact of moving vertices, triangles and edges, without a false negative.

Implements: the continuous test of Otaduy2009 §3.2 ii by additive CCD (Li et al. 2021), see `ccd_kernels`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.collision import ccd_kernels as kernels
from signorini.errors import InputError

LARGEST_COORDINATE = 1e70
"""Largest coordinate [m] that is accepted: products of four lengths must stay finite."""


def point_triangle(
    p_t0: ArrayLike,
    a_t0: ArrayLike,
    b_t0: ArrayLike,
    c_t0: ArrayLike,
    p_t1: ArrayLike,
    a_t1: ArrayLike,
    b_t1: ArrayLike,
    c_t1: ArrayLike,
    min_distance: float = 0.0,
) -> NDArray[np.float64]:
    """The first times at which points come within `min_distance` of triangles.

    All vertices move on straight lines at constant speed, from `_t0` at time 0 to `_t1` at time 1. The points are
    (n, 3) or (3,) arrays in metres, p the point and a, b, c the triangle; `min_distance` is in metres.

    Returns the (n,) times in [0, 1], as a fraction of the motion, `inf` where there is no impact. A time is never late:
    before it the distance is above `min_distance`. It is 0 where the motion starts at that distance or closer.
    """
    start = {"p_t0": p_t0, "a_t0": a_t0, "b_t0": b_t0, "c_t0": c_t0}
    end = {"p_t1": p_t1, "a_t1": a_t1, "b_t1": b_t1, "c_t1": c_t1}
    return _times_of_impact(kernels.point_triangle_queries, start, end, min_distance)


def edge_edge(
    ea0_t0: ArrayLike,
    ea1_t0: ArrayLike,
    eb0_t0: ArrayLike,
    eb1_t0: ArrayLike,
    ea0_t1: ArrayLike,
    ea1_t1: ArrayLike,
    eb0_t1: ArrayLike,
    eb1_t1: ArrayLike,
    min_distance: float = 0.0,
) -> NDArray[np.float64]:
    """The first times at which the edges ea0-ea1 and eb0-eb1 come within `min_distance` of each other.

    All vertices move on straight lines at constant speed, from `_t0` at time 0 to `_t1` at time 1. The points are
    (n, 3) or (3,) arrays in metres; `min_distance` is in metres.

    Returns the (n,) times in [0, 1], as a fraction of the motion, `inf` where there is no impact. A time is never late:
    before it the distance is above `min_distance`. It is 0 where the motion starts at that distance or closer.
    """
    start = {"ea0_t0": ea0_t0, "ea1_t0": ea1_t0, "eb0_t0": eb0_t0, "eb1_t0": eb1_t0}
    end = {"ea0_t1": ea0_t1, "ea1_t1": ea1_t1, "eb0_t1": eb0_t1, "eb1_t1": eb1_t1}
    return _times_of_impact(kernels.edge_edge_queries, start, end, min_distance)


def _times_of_impact(
    kernel: Callable[..., None], start: dict[str, ArrayLike], end: dict[str, ArrayLike], min_distance: float
) -> NDArray[np.float64]:
    """Check the eight arrays of points, run the kernel over the queries, and return the (n,) times."""
    points = {name: _checked_points(name, value) for name, value in (start | end).items()}
    first, count = next((name, len(value)) for name, value in points.items())
    for name, value in points.items():
        if len(value) != count:
            raise InputError(f"{name} has {len(value)} points but {first} has {count}; give one of each per query")
    distance = _checked_distance(min_distance)
    x0 = np.stack([points[name] for name in start], axis=1).reshape(-1, 3)
    x1 = np.stack([points[name] for name in end], axis=1).reshape(-1, 3)
    toi = np.empty(count)
    kernel(x0, x1, distance, kernels.MAX_ITERATIONS, toi)
    return toi


def _checked_points(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """The points as an (n, 3) float64 array, or an `InputError` that names them."""
    try:
        points = np.atleast_2d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers of shape (n, 3), got {type(value).__name__}") from None
    if points.ndim != 2 or points.shape[1] != 3:
        raise InputError(f"{name} must have shape (n, 3) or (3,), got {np.shape(value)}")
    bad = ~(np.abs(points) <= LARGEST_COORDINATE)  # nan compares false
    if bad.any():
        i, axis = np.argwhere(bad)[0]
        raise InputError(
            f"{name} must hold finite coordinates of at most {LARGEST_COORDINATE:g} m, "
            f"got {points[i, axis]:g} in point {i}, axis {axis}"
        )
    return points


def _checked_distance(min_distance: float) -> float:
    """The minimum distance as a float, or an `InputError`."""
    try:
        distance = float(min_distance)
    except (TypeError, ValueError):
        raise InputError(f"min_distance must be a number, got {min_distance!r}") from None
    if not math.isfinite(distance) or distance < 0.0:
        raise InputError(f"min_distance must be finite and at least 0 m, got {distance:g}")
    return distance

"""Continuous collision detection without false negatives: first times at which moving primitives come too close.

Implements: additive CCD (Li et al. 2021, Codimensional IPC), lengthened by the directional bound of conservative
advancement (Mirtich 1996); used for Otaduy2009 §3.2 ii.

Two steps forward in time are safe, and the longer one is taken. Additive: no two points of the pair approach faster
than the sum of the largest displacements. Directional: the gap between two convex sets along any fixed direction is
a lower bound of their distance and its ends move linearly, so the time at which it closes follows from the vertices.
"""

from __future__ import annotations

import math

import numpy as np

from signorini.collision.edge_edge_kernels import CROSSING, edge_edge_closest_vectors
from signorini.collision.point_triangle_kernels import (
    FACE,
    add_scaled,
    cross,
    dot,
    point_triangle_closest_vectors,
    subtract,
)
from signorini.compiled import kernel

MARGIN = 64.0 * 2.0**-52
"""Bound of the rounding of distances and gaps over the largest coordinate: 64 eps (see docs/ccd.md)."""
SMALLEST_LENGTH = 1e-75
"""Least margin [m]: products of four lengths underflow below it."""
TOLERANCE = 1e-6
"""Fraction of the gap at the start at which a hit is reported (or two margins, whichever is more)."""
MAX_ITERATIONS = 500
"""Iterations that callers allow. On random motion 60 % of the hits need 16 or fewer, 1 in 700 over 256."""


@kernel
def row(x, i):
    """Row i of an (n, 3) array as a tuple."""
    return (x[i, 0], x[i, 1], x[i, 2])


@kernel
def norm(a):
    """The length of a."""
    return math.sqrt(dot(a, a))


@kernel
def largest_coordinate(x, i, j, k, m):
    """The largest absolute coordinate in four rows of x."""
    largest = 0.0
    for axis in range(3):
        pair = max(abs(x[i, axis]), abs(x[j, axis]))
        largest = max(largest, pair, abs(x[k, axis]), abs(x[m, axis]))
    return largest


@kernel
def rounding_margin(x0, x1, i, j, k, m):
    """An upper bound of the rounding error [m] of the distances and gaps of four moving vertices."""
    extent = max(largest_coordinate(x0, i, j, k, m), largest_coordinate(x1, i, j, k, m))
    return MARGIN * extent + SMALLEST_LENGTH


@kernel
def relative_displacements(x0, x1, i, j, k, m):
    """The displacements of four vertices less their mean: a common translation brings nothing closer."""
    ui, uj = subtract(row(x1, i), row(x0, i)), subtract(row(x1, j), row(x0, j))
    uk, um = subtract(row(x1, k), row(x0, k)), subtract(row(x1, m), row(x0, m))
    mean = (
        0.25 * (ui[0] + uj[0] + uk[0] + um[0]),
        0.25 * (ui[1] + uj[1] + uk[1] + um[1]),
        0.25 * (ui[2] + uj[2] + uk[2] + um[2]),
    )
    return subtract(ui, mean), subtract(uj, mean), subtract(uk, mean), subtract(um, mean)


@kernel
def direction(apart, distance, normal, use_normal):
    """A unit vector along which the pair is separated: any will do for safety, the best one gives the longest step.

    The vector between the closest points loses its direction to rounding when they nearly touch; the normal of a face
    or of two crossing edges does not.
    """
    length = norm(normal)
    if use_normal and length > 0.0:
        if dot(apart, normal) < 0.0:
            length = -length
        return (normal[0] / length, normal[1] / length, normal[2] / length)
    return (apart[0] / distance, apart[1] / distance, apart[2] / distance)


@kernel
def closing_time(n, keep, a, ua, b, ub):
    """Time until the gap n·(a - b) of two moving vertices falls to `keep`; 0 if it is there, inf if it never does."""
    gap = dot(n, subtract(a, b)) - keep
    if not gap > 0.0:
        return 0.0
    closing = -dot(n, subtract(ua, ub))
    return gap / closing if closing > 0.0 else np.inf


@kernel
def point_triangle_toi(x0, x1, p, a, b, c, min_distance, max_iterations):
    """First time in [0, 1] at which vertex p is within min_distance [m] of triangle a, b, c; inf for none.

    x0, x1: (n, 3) positions [m] at the start and the end of a linear motion; p, a, b, c: rows. Never late: the distance
    is above min_distance at all earlier times. 0 when the motion starts closer. Out of iterations is a hit.
    """
    origin = row(x0, p)
    qa, qb, qc = subtract(row(x0, a), origin), subtract(row(x0, b), origin), subtract(row(x0, c), origin)
    up, ua, ub, uc = relative_displacements(x0, x1, p, a, b, c)
    longest = norm(up) + math.sqrt(max(dot(ua, ua), dot(ub, ub), dot(uc, uc)))
    margin = rounding_margin(x0, x1, p, a, b, c)
    keep = min_distance + margin
    zero = (0.0, 0.0, 0.0)
    t = enough = 0.0
    for _ in range(max_iterations):
        xp = add_scaled(zero, t, up)
        xa, xb, xc = add_scaled(qa, t, ua), add_scaled(qb, t, ub), add_scaled(qc, t, uc)
        d2, _, wb, wc, feature = point_triangle_closest_vectors(xp, xa, xb, xc)
        d = math.sqrt(d2)
        gap = d - keep
        if not gap > 0.0:
            return t
        if gap > (1.0 - t) * longest:  # also when nothing moves
            return np.inf
        apart = add_scaled(add_scaled(subtract(xp, xa), -wb, subtract(xb, xa)), -wc, subtract(xc, xa))
        n = direction(apart, d, cross(subtract(xb, xa), subtract(xc, xa)), feature == FACE)
        step = min(
            closing_time(n, keep, xp, up, xa, ua),
            closing_time(n, keep, xp, up, xb, ub),
            closing_time(n, keep, xp, up, xc, uc),
        )
        if t + step > 1.0:
            return np.inf
        if t == 0.0:
            enough = max(TOLERANCE * gap, 2.0 * margin)
        if gap <= enough:
            return t
        t += max(step, gap / longest)
        if t > 1.0:
            return np.inf
    return t


@kernel
def edge_edge_toi(x0, x1, a0, a1, b0, b1, min_distance, max_iterations):
    """First time in [0, 1] at which edges a0-a1 and b0-b1 are within min_distance [m]; inf for none.

    x0, x1: (n, 3) positions [m] at the start and the end of a linear motion; a0, a1, b0, b1: rows. Never late: the
    distance is above min_distance at all earlier times. 0 when the motion starts closer. Out of iterations is a hit.
    """
    origin = row(x0, a0)
    qa1, qb0, qb1 = subtract(row(x0, a1), origin), subtract(row(x0, b0), origin), subtract(row(x0, b1), origin)
    ua0, ua1, ub0, ub1 = relative_displacements(x0, x1, a0, a1, b0, b1)
    longest = math.sqrt(max(dot(ua0, ua0), dot(ua1, ua1))) + math.sqrt(max(dot(ub0, ub0), dot(ub1, ub1)))
    margin = rounding_margin(x0, x1, a0, a1, b0, b1)
    keep = min_distance + margin
    zero = (0.0, 0.0, 0.0)
    t = enough = 0.0
    for _ in range(max_iterations):
        xa0, xa1 = add_scaled(zero, t, ua0), add_scaled(qa1, t, ua1)
        xb0, xb1 = add_scaled(qb0, t, ub0), add_scaled(qb1, t, ub1)
        d2, r, s, feature = edge_edge_closest_vectors(xa0, xa1, xb0, xb1)
        d = math.sqrt(d2)
        gap = d - keep
        if not gap > 0.0:
            return t
        if gap > (1.0 - t) * longest:  # also when nothing moves
            return np.inf
        da, db = subtract(xa1, xa0), subtract(xb1, xb0)
        apart = add_scaled(add_scaled(subtract(xa0, xb0), r, da), -s, db)
        n = direction(apart, d, cross(da, db), feature == CROSSING)
        step = min(
            closing_time(n, keep, xa0, ua0, xb0, ub0),
            closing_time(n, keep, xa0, ua0, xb1, ub1),
            closing_time(n, keep, xa1, ua1, xb0, ub0),
            closing_time(n, keep, xa1, ua1, xb1, ub1),
        )
        if t + step > 1.0:
            return np.inf
        if t == 0.0:
            enough = max(TOLERANCE * gap, 2.0 * margin)
        if gap <= enough:
            return t
        t += max(step, gap / longest)
        if t > 1.0:
            return np.inf
    return t


@kernel
def point_triangle_queries(x0, x1, min_distance, max_iterations, toi):
    """Times of impact of n queries; rows 4i..4i+3 of x0 and x1 are the vertex and the triangle of query i."""
    for i in range(len(toi)):
        toi[i] = point_triangle_toi(x0, x1, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, min_distance, max_iterations)


@kernel
def edge_edge_queries(x0, x1, min_distance, max_iterations, toi):
    """Times of impact of n queries; rows 4i..4i+3 of x0 and x1 are the two edges of query i."""
    for i in range(len(toi)):
        toi[i] = edge_edge_toi(x0, x1, 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3, min_distance, max_iterations)

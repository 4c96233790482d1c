"""Separating axes: quick proofs that two primitives are apart, at one state or during a straight motion."""

from __future__ import annotations

import numpy as np

from signorini.collision.point_triangle_kernels import cross, dot, negate, subtract
from signorini.compiled import kernel

ROUNDING = 1.0 + 1e-9
"""Factor on a distance that exceeds the rounding of the products of a gap."""
LEAST_SQUARE = 1e-280
"""Least squared length of a separating axis: smaller ones lose their digits to underflow."""


@kernel
def seen_from(x, origin, i):
    """Where vertex i is, seen from vertex `origin`."""
    return (x[i, 0] - x[origin, 0], x[i, 1] - x[origin, 1], x[i, 2] - x[origin, 2])


@kernel
def is_wide(gap, m, distance):
    """Whether a gap m·(a - b) is one of more than `distance`."""
    square = dot(m, m)
    return square > LEAST_SQUARE and gap > distance * np.sqrt(square) * ROUNDING


@kernel
def clearance(gap, m):
    """The gap m·(a - b) as a distance [m], rounded down."""
    square = dot(m, m)
    return gap / (np.sqrt(square) * ROUNDING) if square > LEAST_SQUARE else -np.inf


@kernel
def vertex_gap(m, a, b, c):
    """How far ahead of a triangle, seen from there, a vertex is in the direction m."""
    return -max(dot(m, a), dot(m, b), dot(m, c))


@kernel
def edge_gap(m, a1, b0, b1):
    """How far ahead of edge b the edge from 0 to a1 is in the direction m."""
    return min(0.0, dot(m, a1)) - max(dot(m, b0), dot(m, b1))


@kernel
def vertex_stays_clear(x0, x1, v, a, b, c, distance):
    """Whether an axis shows that a vertex stays apart from a triangle: the line to its centroid, or its normal.

    A gap along an axis is linear in time, so that it is enough to know it at the start and at the end of the motion. Returns
    also a lower bound of the distance at the start [m], -inf if no axis shows it.
    """
    a0, b0, c0 = seen_from(x0, v, a), seen_from(x0, v, b), seen_from(x0, v, c)
    a1, b1, c1 = seen_from(x1, v, a), seen_from(x1, v, b), seen_from(x1, v, c)
    m = (-a0[0] - b0[0] - c0[0], -a0[1] - b0[1] - c0[1], -a0[2] - b0[2] - c0[2])
    gap = vertex_gap(m, a0, b0, c0)
    if is_wide(gap, m, distance) and is_wide(vertex_gap(m, a1, b1, c1), m, distance):
        return True, clearance(gap, m)
    n = cross(subtract(b0, a0), subtract(c0, a0))
    if dot(n, m) < 0.0:
        n = negate(n)
    gap = vertex_gap(n, a0, b0, c0)
    if is_wide(gap, n, distance) and is_wide(vertex_gap(n, a1, b1, c1), n, distance):
        return True, clearance(gap, n)
    return False, -np.inf


@kernel
def edges_stay_clear(x0, x1, a, a_end, b, b_end, distance):
    """Whether an axis shows that two edges stay apart: the line between their midpoints, or the normal of both.

    Returns also a lower bound of the distance at the start [m], -inf if no axis shows it.
    """
    u0, v0, w0 = seen_from(x0, a, a_end), seen_from(x0, a, b), seen_from(x0, a, b_end)
    u1, v1, w1 = seen_from(x1, a, a_end), seen_from(x1, a, b), seen_from(x1, a, b_end)
    m = (u0[0] - v0[0] - w0[0], u0[1] - v0[1] - w0[1], u0[2] - v0[2] - w0[2])
    gap = edge_gap(m, u0, v0, w0)
    if is_wide(gap, m, distance) and is_wide(edge_gap(m, u1, v1, w1), m, distance):
        return True, clearance(gap, m)
    n = cross(u0, subtract(w0, v0))
    if dot(n, m) < 0.0:
        n = negate(n)
    gap = edge_gap(n, u0, v0, w0)
    if is_wide(gap, n, distance) and is_wide(edge_gap(n, u1, v1, w1), n, distance):
        return True, clearance(gap, n)
    return False, -np.inf

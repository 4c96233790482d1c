"""Closest points of two edges, accurate to rounding also for parallel edges and edges of length zero.

Implements: the edge-edge distance behind Otaduy2009 §3.2.
"""

from __future__ import annotations

from signorini.collision.point_triangle_kernels import add_scaled, cross, dot, negate, origin_segment_closest, subtract
from signorini.compiled import kernel

START, END, INTERIOR = range(3)
"""Places of a closest point on an edge."""
CROSSING = 3 * INTERIOR + INTERIOR
"""Feature of two edges whose closest points are inside both."""


@kernel
def place_on_edge(parameter):
    """0 at the start of an edge, 1 at its end, 2 between."""
    if parameter == 0.0:
        return START
    return END if parameter == 1.0 else INTERIOR


@kernel
def edge_edge_closest_vectors(a0, a1, b0, b1):
    """(squared distance [m²], s, t, feature) of the edges a0-a1 and b0-b1 (tuples).

    The closest points are a0 + s (a1 - a0) and b0 + t (b1 - b0). `feature` is 3 f(s) + f(t), with f = 0 at the start of
    an edge, 1 at its end and 2 between: 8 is a crossing inside both edges, 0, 1, 3, 4 are two end points.
    """
    da, db = subtract(a1, a0), subtract(b1, b0)
    v00, v01 = subtract(b0, a0), subtract(b1, a0)
    v10, v11 = subtract(b0, a1), subtract(b1, a1)
    # Every candidate is a valid pair of points, so their minimum can only err by rounding.
    d2, t = origin_segment_closest(v00, v01, db)
    s = 0.0
    e2, u = origin_segment_closest(v10, v11, db)
    if e2 < d2:
        d2, s, t = e2, 1.0, u
    e2, u = origin_segment_closest(negate(v00), negate(v10), da)
    if e2 < d2:
        d2, s, t = e2, u, 0.0
    e2, u = origin_segment_closest(negate(v01), negate(v11), da)
    if e2 < d2:
        d2, s, t = e2, u, 1.0

    # Inside both edges. The normal comes from a cross product: |da|²|db|² - (da·db)² loses half of the digits. An error
    # of s is harmless after t is found by projection: for nearly parallel edges it hardly changes the distance.
    n = cross(da, db)
    u = dot(cross(v00, db), n) / dot(n, n)  # parallel edges give nan or inf, which fails the next test
    if 0.0 < u < 1.0:
        from_a = add_scaled(v00, -u, da)
        w = -dot(from_a, db) / dot(db, db)
        if 0.0 < w < 1.0:
            v = add_scaled(from_a, w, db)
            e2 = dot(v, v)
            if e2 < d2:
                return e2, u, w, CROSSING
    return d2, s, t, 3 * place_on_edge(s) + place_on_edge(t)

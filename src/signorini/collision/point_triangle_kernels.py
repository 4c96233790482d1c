"""Closest points of a point and a triangle, accurate to rounding also for slivers and degenerate triangles.

Implements: the point-triangle distance behind Otaduy2009 §3.2 and the vector helpers of the collision kernels. Vectors
are tuples of three floats: the compiler keeps them in registers, and nothing is allocated.
"""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel

VERTEX_A, VERTEX_B, VERTEX_C, EDGE_AB, EDGE_BC, EDGE_CA, FACE = range(7)
"""Features of a triangle that a closest point is inside of."""


@kernel
def subtract(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def add_scaled(a, s, b):
    """a + s b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def negate(a):
    """-a."""
    return (-a[0], -a[1], -a[2])


@kernel
def dot(a, b):
    """The scalar product a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """The vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def origin_segment_closest(a, b, ab):
    """(squared distance, parameter in [0, 1]) of the point of segment a, b = a + ab that is closest to the origin."""
    length2 = dot(ab, ab)
    u = -dot(a, ab)
    if u <= 0.0:  # also a segment of length zero
        return dot(a, a), 0.0
    if u >= length2:
        return dot(b, b), 1.0
    u /= length2
    v = add_scaled(a, u, ab)
    return dot(v, v), u


@kernel
def origin_face_closest(p, r, pq, qr, rp):
    """(squared distance, weight of q, weight of r) for the projection of the origin onto the face p, q, r.

    The squared distance is inf where the projection is not strictly inside. `pq` must be the longest side: the weight
    of r then carries an error that moves the point by rounding only (it is measured across the smallest height), and
    the place along pq is found by a projection that does not involve the normal, however thin the triangle is.
    """
    n = cross(qr, rp)
    wr = dot(cross(p, pq), n) / dot(n, n)  # a triangle without area gives nan or inf, which fails the next test
    if not (0.0 < wr < 1.0):
        return np.inf, 0.0, 0.0
    base = add_scaled(p, -wr, rp)
    wq = -dot(base, pq) / dot(pq, pq)
    if not (0.0 < wq < 1.0 - wr):
        return np.inf, 0.0, 0.0
    v = add_scaled(base, wq, pq)
    return dot(v, v), wq, wr


@kernel
def point_triangle_closest_vectors(point, a, b, c):
    """(squared distance [m²], wa, wb, wc, feature) of a point p and a triangle a, b, c (tuples).

    The closest point is wa a + wb b + wc c, with weights in [0, 1] that add up to 1. `feature` says where it lies:
    0, 1, 2 the vertex a, b, c; 3, 4, 5 the inside of the edge ab, bc, ca; 6 the inside of the face.
    """
    pa, pb, pc = subtract(a, point), subtract(b, point), subtract(c, point)
    ab, bc, ca = subtract(b, a), subtract(c, b), subtract(a, c)
    # Every candidate is a valid point of the triangle, so their minimum can only err by rounding.
    d2, wb = origin_segment_closest(pa, pb, ab)
    wa, wc = 1.0 - wb, 0.0
    feature = VERTEX_A if wb == 0.0 else (VERTEX_B if wb == 1.0 else EDGE_AB)
    e2, u = origin_segment_closest(pb, pc, bc)
    if e2 < d2:
        d2, wa, wb, wc = e2, 0.0, 1.0 - u, u
        feature = VERTEX_B if u == 0.0 else (VERTEX_C if u == 1.0 else EDGE_BC)
    e2, u = origin_segment_closest(pc, pa, ca)
    if e2 < d2:
        d2, wa, wb, wc = e2, u, 0.0, 1.0 - u
        feature = VERTEX_C if u == 0.0 else (VERTEX_A if u == 1.0 else EDGE_CA)

    ab2, bc2, ca2 = dot(ab, ab), dot(bc, bc), dot(ca, ca)
    if ab2 >= bc2 and ab2 >= ca2:
        e2, u, w = origin_face_closest(pa, pc, ab, bc, ca)
        fa, fb, fc = 1.0 - w - u, u, w
    elif bc2 >= ca2:
        e2, u, w = origin_face_closest(pb, pa, bc, ca, ab)
        fa, fb, fc = w, 1.0 - w - u, u
    else:
        e2, u, w = origin_face_closest(pc, pb, ca, ab, bc)
        fa, fb, fc = u, w, 1.0 - w - u
    if e2 < d2:
        return e2, fa, fb, fc, FACE
    return d2, wa, wb, wc, feature

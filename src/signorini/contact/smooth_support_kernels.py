"""Geometry of smooth patches: their farthest point in a direction, and the patch that faces a direction.

A patch is that of `model/smooth_patches`: `outward`, `along`, `radius` and `tube`, in the frame of its body, which `turn` turns
into the world. Its support in the direction d is its farthest point in that direction.
"""

from __future__ import annotations

import numpy as np

from signorini.collision.point_triangle_kernels import dot, subtract
from signorini.compiled import kernel
from signorini.model.rigid_bodies_kernels import rotate, rotate_back

MARGIN = 1e-9
"""By which a point may be outside of a triangle, as a part of its size, and a direction better than another: rounding."""


@kernel
def support(v, turn, d, outward, along, radius, tube):
    """From vertex v to the support of its patch in the direction d, and the cosine of the angle between d and the normal at v.

    For a curve or a cylinder, only the part of d across it counts; its length is the last value, 1 for other patches.
    """
    x, y, z = rotate_back(turn, d[0], d[1], d[2])
    N, e = outward[v], along[v]
    on_n, on_e = x * N[0] + y * N[1] + z * N[2], x * e[0] + y * e[1] + z * e[2]
    across = np.sqrt(on_n * on_n + on_e * on_e)
    if across < 1e-12:
        return (0.0, 0.0, 0.0), 0.0, 0.0
    f, g = radius[v] - tube[v], tube[v]
    n_part, e_part = f * on_n / across - radius[v], f * on_e / across
    sx, sy, sz = rotate(
        turn,
        n_part * N[0] + e_part * e[0] + g * x,
        n_part * N[1] + e_part * e[1] + g * y,
        n_part * N[2] + e_part * e[2] + g * z,
    )
    if g > 0.0:
        return (sx, sy, sz), on_n, 1.0
    return (sx, sy, sz), on_n / across, across


@kernel
def climb(v, turn, d, outward, starts, neighbours):
    """The vertex from v on, neighbour by neighbour, at which no neighbour's normal is closer to the direction d."""
    x, y, z = rotate_back(turn, d[0], d[1], d[2])
    best = x * outward[v, 0] + y * outward[v, 1] + z * outward[v, 2]
    for _ in range(len(outward)):
        at = v
        for k in range(starts[at], starts[at + 1]):
            j = neighbours[k]
            value = x * outward[j, 0] + y * outward[j, 1] + z * outward[j, 2]
            if value > best + MARGIN:
                best, v = value, j
        if v == at:
            break
    return v


@kernel
def touches(v, turn, d, flat, outward, along, radius, tube, least_cosine):
    """The step from vertex v to the support of its patch in the direction d, and whether the support is on the patch.

    It is not if the curve is a rim that lies flat, with its centre less than `flat` above its lowest point.
    """
    step, cosine, across = support(v, turn, d, outward, along, radius, tube)
    return step, cosine >= least_cosine[v] and across * radius[v] > flat


@kernel
def project(p, a, b, c):
    """Barycentric coordinates of the projection of p onto the plane of a triangle."""
    u, w, q = subtract(b, a), subtract(c, a), subtract(p, a)
    uu, uw, ww, qu, qw = dot(u, u), dot(u, w), dot(w, w), dot(q, u), dot(q, w)
    size = uu * ww - uw * uw
    s, t = (ww * qu - uw * qw) / size, (uu * qw - uw * qu) / size
    return 1.0 - s - t, s, t


@kernel
def point(x, i):
    """Position of vertex i."""
    return (x[i, 0], x[i, 1], x[i, 2])

"""The nearest triangle of each point, by trying all; once per simulation."""

from __future__ import annotations

import numpy as np

from signorini.collision.point_triangle_kernels import point_triangle_closest_vectors
from signorini.compiled import kernel


@kernel
def corner(x, i):
    """A row as a tuple."""
    return x[i, 0], x[i, 1], x[i, 2]


@kernel
def nearest_triangles(points, x, triangles, nearest, weights):
    """Number of the nearest triangle of each point and the weights (k, 3) of the nearest point on it."""
    for p in range(len(points)):
        best = np.inf
        for t in range(len(triangles)):
            d2, wa, wb, wc, _ = point_triangle_closest_vectors(
                corner(points, p), corner(x, triangles[t, 0]), corner(x, triangles[t, 1]), corner(x, triangles[t, 2])
            )
            if d2 < best:
                best = d2
                nearest[p] = t
                weights[p, 0], weights[p, 1], weights[p, 2] = wa, wb, wc

"""Depth map of a scene in one direction, and the points that it hides: the loops of `light`."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def visible_from(points, samples, u, v, w, depth, seen):  # pragma: no cover
    """Add to `seen` (n,), for each point, the share of five cells around it that nothing hides from direction w.

    `depth` (c, c) is scratch space. `u`, `v`, `w` (3,) are orthonormal.
    """
    cells = depth.shape[0]
    low_u = low_v = np.inf
    high_u = high_v = -np.inf
    for k in range(len(samples)):
        x, y, z = samples[k, 0], samples[k, 1], samples[k, 2]
        a = x * u[0] + y * u[1] + z * u[2]
        b = x * v[0] + y * v[1] + z * v[2]
        low_u, high_u = min(low_u, a), max(high_u, a)
        low_v, high_v = min(low_v, b), max(high_v, b)
    cell = max(high_u - low_u, high_v - low_v, 1e-9) / (cells - 3)
    depth[:] = -np.inf
    for k in range(len(samples)):
        x, y, z = samples[k, 0], samples[k, 1], samples[k, 2]
        i = int((x * u[0] + y * u[1] + z * u[2] - low_u) / cell) + 1
        j = int((x * v[0] + y * v[1] + z * v[2] - low_v) / cell) + 1
        depth[i, j] = max(depth[i, j], x * w[0] + y * w[1] + z * w[2])
    for k in range(len(points)):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        i = min(max(int((x * u[0] + y * u[1] + z * u[2] - low_u) / cell) + 1, 1), cells - 2)
        j = min(max(int((x * v[0] + y * v[1] + z * v[2] - low_v) / cell) + 1, 1), cells - 2)
        limit = x * w[0] + y * w[1] + z * w[2] + 2.5 * cell
        hidden = 0
        hidden += depth[i, j] > limit
        hidden += depth[i + 1, j] > limit
        hidden += depth[i - 1, j] > limit
        hidden += depth[i, j + 1] > limit
        hidden += depth[i, j - 1] > limit
        seen[k] += 1.0 - hidden / 5.0

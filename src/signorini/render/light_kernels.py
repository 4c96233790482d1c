"""Depth map of a scene in one direction, and the points that it hides: the loops of `light`."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def visible_from(points, samples, u, v, w, low, cell, depth, seen):  # pragma: no cover
    """Add to `seen` (n,), for each point, the share of five cells around it that nothing hides from direction w.

    `depth` (c, c) is scratch space, a map of cells of side `cell` [m] that begins at low (2,) along u and v. `u`, `v`, `w` (3,)
    are orthonormal; all samples lie in the map.
    """
    cells = depth.shape[0]
    low_u, low_v = low[0], low[1]
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

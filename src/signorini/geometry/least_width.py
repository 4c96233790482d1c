"""Least width of a set of points: how thick a body is, however its mesh is rotated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

Floats = NDArray[np.float64]


def least_width(points: Floats) -> float:
    """The least extent [m] of points (n, 3) [m] along the normals of the facets of their convex hull.

    Points in a plane have none. The exact least width may also lie across two edges and is then a little smaller.
    """
    try:
        hull = ConvexHull(points)
    except QhullError:
        return 0.0
    corners, normals = points[hull.vertices], np.unique(hull.equations[:, :3], axis=0)
    return float(
        min(np.ptp(corners @ part.T, axis=0).min() for part in np.array_split(normals, len(normals) // 256 + 1))
    )

"""Inside test of points against a closed surface."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from signorini.geometry import inside_kernels as kernels


class ClosedSurface(Protocol):
    """Triangles that enclose something: a `TriangleMesh`, or the like with vertices that have moved."""

    @property
    def vertices(self) -> NDArray[np.float64]: ...
    @property
    def triangles(self) -> NDArray[np.int32]: ...


class InsideTest:
    """The triangles of a closed outward surface, listed by vertical columns, ready for many questions.

    The answer is the winding number along a ray upward; it is exact except within rounding of the surface itself.
    """

    def __init__(self, surface: ClosedSurface) -> None:
        x, triangles = surface.vertices, surface.triangles
        corners = x[triangles].reshape(-1, 3)
        low, high = corners.min(axis=0), corners.max(axis=0)
        extent = np.maximum(high - low, 1e-300)[:2]
        # About as many columns as triangles, of square cross-section.
        scale = float(np.sqrt(len(triangles) / extent.prod()))
        nx, ny = (max(1, int(np.ceil(e * scale))) for e in extent)
        reach = 1e-9 * float(extent.max())
        count = np.zeros(nx * ny + 1, dtype=np.int64)
        nothing = np.zeros(0, dtype=np.int32)
        kernels.fill_columns(x, triangles, low, scale, nx, ny, reach, count, nothing, False)
        start = np.concatenate([[0], np.cumsum(count[:-1])])
        items = np.empty(start[-1], dtype=np.int32)
        kernels.fill_columns(x, triangles, low, scale, nx, ny, reach, start.copy(), items, True)
        self.arguments = (x, triangles, low, scale, nx, ny, start, items)
        """What the kernels take."""

    def contains(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """(k,) for points (k, 3)."""
        inside = np.zeros(len(points), dtype=np.bool_)
        kernels.contains(*self.arguments, np.ascontiguousarray(points), inside)
        return inside

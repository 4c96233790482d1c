"""Links of a chain: a round wire along a stadium."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.gallery.mechanisms.swept_shapes import ring_surface
from signorini.geometry.triangle_mesh import TriangleMesh


def link(*, straight: float, bend: float, wire: float, bend_points: int = 6, wire_points: int = 6) -> TriangleMesh:
    """A link in the plane z = 0, its long side along x.

    Two straight pieces of length `straight` [m] between half circles of radius `bend` [m] of the middle of the wire, whose
    own radius is `wire` [m]: `straight` + 2 (`bend` + `wire`) long, 2 (`bend` + `wire`) wide.
    """
    angles = np.concatenate([np.linspace(-0.5, 0.5, bend_points), np.linspace(0.5, 1.5, bend_points)]) * np.pi
    outward = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
    side = np.repeat([0.5, -0.5], bend_points)
    middle = bend * outward + np.outer(side * straight, (1.0, 0.0, 0.0))
    around = 2.0 * np.pi * np.arange(wire_points) / wire_points
    across: NDArray[np.float64] = outward[:, None] * np.cos(around)[:, None] - np.sin(around)[:, None] * (0.0, 0.0, 1.0)
    return ring_surface(middle[:, None] + wire * across, joined=True)

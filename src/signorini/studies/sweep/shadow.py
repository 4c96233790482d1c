"""Shadows: the area that bodies cover when they are seen from above, by filling their triangles in a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PIXELS = 1024
"""Pixels along the longer side of the picture: the area of a disc of that width is within 0.5 % of its triangles'."""

Surface = tuple[NDArray[np.float64], NDArray[np.int32]]
"""Vertices (n, 3) [m] and triangles (t, 3)."""


def shadow_area(surfaces: Sequence[Surface]) -> float:
    """Area [m²] of the union of the triangles projected along z."""
    from PIL import Image, ImageDraw

    filled = [(points[:, :2], triangles) for points, triangles in surfaces if len(triangles)]
    if not filled:
        return 0.0
    low = np.min([points.min(axis=0) for points, _ in filled], axis=0)
    high = np.max([points.max(axis=0) for points, _ in filled], axis=0)
    size = float((high - low).max())
    if size <= 0.0:
        return 0.0
    scale = PIXELS / size
    width, height = (max(int(np.ceil(side * scale)), 1) for side in high - low)
    picture = Image.new("1", (width, height))
    draw = ImageDraw.Draw(picture)
    for points, triangles in filled:
        for corners in ((points[triangles] - low) * scale - 0.5).reshape(-1, 6):
            draw.polygon(corners.tolist(), fill=1)
    return float(np.count_nonzero(np.asarray(picture))) / scale**2

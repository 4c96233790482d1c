"""Patterns on surfaces: woven threads, checks and stripes, along texture coordinates or on the shape with which a body starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangles import area_vectors
from signorini.render import raster_kernels as kernels

Floats = NDArray[np.float64]
Triangles = NDArray[np.int32]
PATTERNS = {"": kernels.PLAIN, "woven": kernels.WOVEN, "checks": kernels.CHECKS, "stripes": kernels.STRIPES}
PERIODS = {"": 1.0, "woven": 1.0 / 110.0, "checks": 1.0 / 24.0, "stripes": 1.0 / 24.0}
"""Periods over the width of the body: threads are thicker than real ones, so that they are seen at all."""
FLAT = 1e-12
"""Area in texture coordinates, over the square of their extent, below which a triangle has none."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A pattern on n drawn points and t drawn triangles."""

    number: int
    """Of the kernel."""
    places: Floats
    """(k, 2) in periods."""
    corners: Triangles
    """(t, 3) the places of the corners of the triangles: a point on a seam has several."""
    period: Floats
    """(n,) least length of a period at the points [m]."""


def make_pattern(finish: str, points: Floats, triangles: Triangles, uv: Floats | None = None) -> Pattern:
    """The pattern of a finish ("woven", "checks", "stripes" or else none) on points (n, 3) in their first pose [m].

    With texture coordinates `uv` (t, 3, 2) of the corners of the triangles (t, 3), threads run along the lines of equal u and
    of equal v; how close they lie varies as the coordinates do, and on the whole they are as far apart in both directions.
    Without, places are measured along the two longest axes of the body.
    """
    finish = finish if finish in PATTERNS else ""
    spread = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(spread.T @ spread)
    flat = _aligned(spread @ axes[:, np.argsort(values)[:0:-1]])
    period = PERIODS[finish] * max(float(np.ptp(flat, axis=0).min()), 1e-9)
    lengths = None if uv is None or not finish else _lengths(points, triangles, uv)
    if uv is None or lengths is None:
        every = np.full(len(points), period)
        return Pattern(PATTERNS[finish], (flat - flat.min(axis=0)) / period, triangles, every)
    area = np.linalg.norm(area_vectors(points, triangles), axis=1)
    mean = area.sum() / (area[:, None] / lengths).sum(axis=0)  # so that the surface has as many threads as evenly laid
    least = np.full(len(points), np.inf)
    np.minimum.at(least, triangles, np.repeat((lengths / mean).min(axis=1)[:, None], 3, axis=1))
    least[np.isinf(least)] = 1.0
    corners = np.arange(3 * len(triangles), dtype=np.int32).reshape(-1, 3)
    return Pattern(PATTERNS[finish], uv.reshape(-1, 2) * mean / period, corners, period * least)


def _lengths(points: Floats, triangles: Triangles, uv: Floats) -> Floats | None:
    """(t, 2) how long one unit of u and one of v are in each triangle [m], inf where the coordinates have no area.

    None if they have none anywhere, as those that a program wrote because the format wants some.
    """
    corners = points[triangles]
    sides, changes = corners[:, 1:] - corners[:, :1], uv[:, 1:] - uv[:, :1]
    turned = changes[:, 0, 0] * changes[:, 1, 1] - changes[:, 1, 0] * changes[:, 0, 1]
    extent = float(np.ptp(uv.reshape(-1, 2), axis=0).max()) if np.isfinite(uv).all() else 0.0
    good = np.abs(turned) > FLAT * extent**2
    if not good.any() or not extent > 0.0:
        return None
    # sides = changes (∂x/∂u, ∂x/∂v)
    along = np.stack(
        [
            changes[:, 1, 1, None] * sides[:, 0] - changes[:, 0, 1, None] * sides[:, 1],
            changes[:, 0, 0, None] * sides[:, 1] - changes[:, 1, 0, None] * sides[:, 0],
        ],
        axis=1,
    )
    lengths = np.full((len(triangles), 2), np.inf)
    lengths[good] = np.maximum(np.linalg.norm(along[good], axis=2) / np.abs(turned[good])[:, None], 1e-300)
    return lengths


def _aligned(flat: Floats) -> Floats:
    """Places (n, 2) turned so that their bounding rectangle is smallest: threads then run along the sides of a sheet."""
    best, area = flat, np.inf
    for angle in np.radians(np.arange(0.0, 90.0, 3.0)):
        c, s = np.cos(angle), np.sin(angle)
        turned = flat @ np.array([[c, -s], [s, c]])
        size = float(np.prod(np.ptp(turned, axis=0)))
        if size < area * (1.0 - 1e-9):
            best, area = turned, size
    return best

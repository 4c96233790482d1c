"""Patterns on surfaces: woven threads, checks and stripes, laid out on the shape with which a body starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.render import raster_kernels as kernels

Floats = NDArray[np.float64]
PATTERNS = {"": kernels.PLAIN, "woven": kernels.WOVEN, "checks": kernels.CHECKS, "stripes": kernels.STRIPES}
PERIODS = {"": 1.0, "woven": 1.0 / 110.0, "checks": 1.0 / 24.0, "stripes": 1.0 / 24.0}
"""Periods over the width of the body: threads are thicker than real ones, so that they are seen at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A pattern on n drawn points."""

    number: int
    """Of the kernel."""
    places: Floats
    """(n, 2) in periods."""
    period: float
    """[m]"""


def make_pattern(finish: str, points: Floats) -> Pattern:
    """The pattern of a finish ("woven", "checks", "stripes" or else none) on points (n, 3) in their first pose [m].

    Places are measured along the two longest axes of the body.
    """
    finish = finish if finish in PATTERNS else ""
    spread = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(spread.T @ spread)
    flat = spread @ axes[:, np.argsort(values)[:0:-1]]
    flat = _aligned(flat)
    period = PERIODS[finish] * max(float(np.ptp(flat, axis=0).min()), 1e-9)
    return Pattern(PATTERNS[finish], (flat - flat.min(axis=0)) / period, period)


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

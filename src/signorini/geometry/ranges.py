"""Ranges of lengths: what lies outside is an error of units or a damaged file, and would only overflow or be lost in rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError

SMALLEST_BODY = 1e-6
"""Largest extent that a body must have at least [m]."""
LARGEST = 1e6
"""Largest coordinate of a point [m], and of a velocity, an acceleration or a rotation vector in SI units."""


def check_extent(name: str, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points (n, 3) [m], if they are of a body of a sensible size at a sensible place; else an `InputError`."""
    far = float(np.abs(points).max())
    if far > LARGEST:
        raise InputError(
            f"{name} reaches to {far:.3g} m from the origin, but must be within {LARGEST:g} m: check its position and the unit "
            "of its mesh, lengths are in metres"
        )
    size = float(np.ptp(points, axis=0).max())
    if size < SMALLEST_BODY:
        raise InputError(
            f"{name} is {size:.3g} m large, but must be at least {SMALLEST_BODY:g} m: check the unit of its mesh, lengths are in "
            "metres"
        )
    return points

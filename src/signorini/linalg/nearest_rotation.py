"""Rotations that fit two sets of points to each other in least squares (Kabsch 1976)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def nearest_rotation(correlation: Floats) -> Floats:
    """R (..., 3, 3) that takes points a nearest to points b, from their correlations C = Σ m b a' (..., 3, 3): max tr(R' C)."""
    U, _, Vt = np.linalg.svd(correlation)
    # Where U V' is a reflection, the direction of the least singular value is mirrored.
    U[..., :, 2] *= np.sign(np.linalg.det(U @ Vt))[..., None]
    return U @ Vt

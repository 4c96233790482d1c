"""Strain of deformed triangles and tetrahedra, from their shapes at rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def triangle_strain(rest: Floats, positions: Floats, triangles: NDArray[np.integer]) -> Floats:
    """(t,) the principal stretch of each triangle that differs most from 1, less 1; `rest` and `positions` (n, 3) [m]."""
    return principal_strain(triangle_gradients(rest, positions, triangles))


def triangle_gradients(rest: Floats, positions: Floats, triangles: NDArray[np.integer]) -> Floats:
    """(t, 3, 2) deformation gradients from the plane of each triangle at rest, whose first axis is along its first side."""
    sides = rest[triangles[:, 1:]] - rest[triangles[:, :1]]
    u = sides[:, 0] / np.linalg.norm(sides[:, 0], axis=1, keepdims=True)
    w = np.cross(np.cross(sides[:, 0], sides[:, 1]), u)
    w /= np.linalg.norm(w, axis=1, keepdims=True)
    plane = np.einsum("tai,tki->tka", np.stack([u, w], axis=1), sides)  # rows: the sides in the plane at rest
    now = positions[triangles[:, 1:]] - positions[triangles[:, :1]]
    return np.einsum("tki,tak->tia", now, np.linalg.inv(plane))


def principal_strain(F: Floats) -> Floats:
    """(e,) the principal stretch that differs most from 1, less 1, of deformation gradients (e, 3, 2) or (e, 3, 3)."""
    strain: Floats = np.asarray(np.linalg.svd(F, compute_uv=False) - 1.0, dtype=np.float64)
    largest = np.abs(strain).argmax(axis=1)
    return np.take_along_axis(strain, largest[:, None], axis=1)[:, 0]


def tetrahedron_gradients(nodes: NDArray[np.integer], rest_inverse: Floats, q: Floats) -> Floats:
    """(t, 3, 3) F = [x1 − x0, x2 − x0, x3 − x0] D⁻¹ for nodes (t, 4), D⁻¹ (t, 3, 3) [1/m] and positions (n, 3) [m]."""
    sides = q[nodes[:, 1:]] - q[nodes[:, :1]]
    return np.einsum("tki,tkc->tic", sides, rest_inverse)

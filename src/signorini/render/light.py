"""Soft light for pictures: the part of sky and sun that each vertex sees, from depth maps in many directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from signorini.geometry.triangles import area_vectors
from signorini.render.light_kernels import visible_from

MOST_SAMPLES = 150_000
"""Points on a body for its shadow; a mesh that would need more gets 15 on each triangle."""
CELLS = 256
"""Cells along a side of a depth map, which covers the whole scene."""
_SKY_DIRECTIONS = 20
"""Directions of the upper half sphere in which the visibility of the sky is sampled."""


def surface_samples(points: Any, triangles: NDArray[np.int32], *, spacing: float = 0.0) -> NDArray[np.float64]:
    """Points spread over all triangles: 15 on each, or as many as are not more than `spacing` [m] apart, if they are not too
    many.
    """
    corners = np.asarray(points, dtype=np.float64)[triangles]
    steps = 4
    if spacing > 0.0 and len(triangles):
        edge = float(np.quantile(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1), 0.9))
        most = max(4, int(np.sqrt(2.0 * MOST_SAMPLES / len(triangles))) - 2)
        steps = int(np.clip(np.ceil(edge / spacing), 1, min(most, 24)))
    weights = np.array([(a, b, steps - a - b) for a in range(steps + 1) for b in range(steps + 1 - a)]) / steps
    return (weights @ corners).reshape(-1, 3)


def normal_map(triangles: NDArray[np.int32], vertex_count: int) -> csr_array:
    """(n, t) the sparse matrix that sums the area vectors of the triangles at each vertex."""
    rows, columns = triangles.ravel(), np.repeat(np.arange(len(triangles)), 3)
    return coo_array((np.ones(len(rows)), (rows, columns)), shape=(vertex_count, len(triangles))).tocsr()


def smooth_normals(
    points: NDArray[np.float64], triangles: NDArray[np.int32], summed: csr_array | None = None
) -> NDArray[np.float32]:
    """Area-weighted vertex normals (n, 3); `summed` is the `normal_map`, if it is known."""
    summed = normal_map(triangles, len(points)) if summed is None else summed
    normals = summed @ area_vectors(points, triangles)
    return (normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """Visibility of sky and sun from a set of n points, 0 to 1."""

    sky: NDArray[np.float64]
    """(k, n) for each of the k directions of the sky."""
    sun: NDArray[np.float64]
    """(n,)"""

    def on(self, normals: Any, rows: slice, *, sun: NDArray[np.float64], view: NDArray[np.float64]) -> Any:
        """Brightness (n,) of the side with these normals: sky, sun, the bright floor, a lamp at the camera."""
        n = np.asarray(normals, dtype=np.float64)
        directions = _sky()
        cosine = np.maximum(n @ directions.T, 0.0)
        sky = (cosine * self.sky[:, rows].T).sum(axis=1) / directions[:, 2].sum()
        direct = np.maximum(n @ sun, 0.0) * self.sun[rows]
        floor = 0.5 * (1.0 - n[:, 2])
        return 0.19 + 0.42 * sky + 0.46 * direct + 0.13 * floor + 0.17 * np.maximum(n @ view, 0.0)


def light_in(points: NDArray[np.float64], samples: NDArray[np.float64], *, sun: NDArray[np.float64]) -> Light:
    """The light that reaches `points` (n, 3) in a scene given by a dense cloud of surface points `samples` (m, 3)."""
    box = np.array([samples.min(axis=0), samples.max(axis=0)]) if len(samples) else np.zeros((2, 3))
    sky = np.array([_visible(points, samples, direction, box) for direction in _sky()])
    wobble = 0.035 * np.array([[1.0, 0.0, 0.0], [-0.5, 0.87, 0.0], [-0.5, -0.87, 0.0]])
    return Light(sky, np.mean([_visible(points, samples, sun + offset, box) for offset in wobble], axis=0))


def smoothed(values: NDArray[np.float64], triangles: NDArray[np.int32], *, rounds: int = 2) -> NDArray[np.float64]:
    """Vertex values averaged over the neighbouring triangles, to hide the cells of the depth maps."""
    count = np.bincount(triangles.ravel(), minlength=len(values))
    for _ in range(rounds):
        mean = values[triangles].mean(axis=1)
        total = np.bincount(triangles.ravel(), weights=np.repeat(mean, 3), minlength=len(values))
        values = np.where(count > 0, total / np.maximum(count, 1), values)
    return values


def _sky() -> NDArray[np.float64]:
    """Directions spread evenly over the upper half sphere (a Fibonacci spiral)."""
    k = np.arange(_SKY_DIRECTIONS)
    z = (k + 0.5) / _SKY_DIRECTIONS
    angle = k * np.pi * (3.0 - np.sqrt(5.0))
    rho = np.sqrt(1.0 - z * z)
    return np.column_stack([rho * np.cos(angle), rho * np.sin(angle), z])


def _visible(
    points: NDArray[np.float64],
    samples: NDArray[np.float64],
    direction: NDArray[np.float64],
    box: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Visible part of the neighbourhood of each point from far away in `direction`, 0 to 1; box (2, 3) holds all samples."""
    w = direction / np.linalg.norm(direction)
    u = np.cross(w, [0.0, 1.0, 0.0] if abs(w[1]) < 0.9 else [1.0, 0.0, 0.0])
    u /= np.linalg.norm(u)
    v = np.cross(w, u)
    corners = np.array([[box[i][0], box[j][1], box[k][2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    flat = np.column_stack([corners @ u, corners @ v])
    cell = max(float(np.ptp(flat, axis=0).max()), 1e-9) / (CELLS - 3)
    seen = np.zeros(len(points))
    visible_from(points, samples, u, v, w, flat.min(axis=0), cell, np.empty((CELLS, CELLS)), seen)
    return seen

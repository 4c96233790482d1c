"""Points that follow a scripted surface, however it deforms: each keeps its place relative to the nearest triangle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from signorini.model import followers_kernels as kernels
from signorini.model.contribution import Script, Turning

Floats = NDArray[np.float64]


class Follower:
    """A motion of points that are attached to a surface whose vertices are at `place(time)`, (v, 3) [m]."""

    def __init__(
        self,
        points: Floats,
        triangles: NDArray[np.int32],
        place: Callable[[float], Floats],
        motion: Script | None = None,
    ) -> None:
        self._motion = motion
        start = np.ascontiguousarray(place(0.0))
        nearest = np.empty(len(points), dtype=np.int64)
        self._weights = np.empty((len(points), 3))
        kernels.nearest_triangles(np.ascontiguousarray(points), start, triangles, nearest, self._weights)
        self._corners = triangles[nearest]
        self._place = place
        base, axes = self._frames(start)
        self._offset = np.einsum("kij,kj->ki", axes, points - base)

    def positions(self, rest: Floats, time: float) -> Floats:
        """Where the points are at a time, (k, 3) [m]; the same points as those that it was made with."""
        base, axes = self._frames(self._place(time))
        return base + np.einsum("kij,ki->kj", axes, self._offset)

    def turning(self, start: float, end: float) -> Turning | None:
        """How the motion of the surface, if it is known, turns between two times [s]."""
        return None if self._motion is None else self._motion.turning(start, end)

    def _frames(self, x: Floats) -> tuple[Floats, Floats]:
        """The point (k, 3) on each triangle and the axes (k, 3, 3) along its first edge, across, and normal to it."""
        a, b, c = (x[self._corners[:, k]] for k in range(3))
        base = np.einsum("kc,kci->ki", self._weights, x[self._corners])
        along = _unit(b - a)
        normal = _unit(np.cross(b - a, c - a))
        return base, np.stack([along, np.cross(normal, along), normal], axis=1)


def _unit(vectors: Floats) -> Floats:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)

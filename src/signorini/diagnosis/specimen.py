"""A surface under examination: arrays as they come from a file, good or bad."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangle_mesh import DEGENERATE
from signorini.geometry.triangles import side_lengths, triangle_areas

NEAR = 1e-7
"""Distance over the size of a mesh below which two vertices are one: the rounding of single precision."""


@dataclass(frozen=True, eq=False)
class Specimen:
    """Vertices (n, 3) [m] and triangles (t, 3) of a body; nothing about them is certain."""

    name: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    kind: str = "mesh"
    """What it shall be: cloth, rigid, kinematic, soft_solid; "mesh": unknown."""
    hollow: bool = False
    """Whether it may be inside-out."""

    @classmethod
    def of(cls, name: str, vertices: Any, triangles: Any, **options: Any) -> Specimen:
        """The arrays with the types that the examinations expect; a ValueError or TypeError if they are no such arrays."""
        x, t = np.asarray(vertices, dtype=np.float64), np.asarray(triangles)
        if x.ndim != 2 or x.shape[1:] != (3,) or t.ndim != 2 or t.shape[1:] != (3,) or t.dtype.kind not in "iu":
            raise ValueError("vertices must have shape (n, 3) and triangles, integers, shape (t, 3)")
        return cls(name, x, t.astype(np.int64), **options)

    @property
    def is_thick(self) -> bool:
        """Whether it must enclose a volume."""
        return self.kind in ("rigid", "soft_solid")

    @property
    def is_deformable(self) -> bool:
        """Whether its parts collide with each other."""
        return self.kind in ("cloth", "soft_solid", "mesh")

    @cached_property
    def size(self) -> float:
        """The largest extent of its finite vertices [m]."""
        finite = self.vertices[np.isfinite(self.vertices).all(axis=1)]
        return float(np.ptp(finite, axis=0).max()) if len(finite) else 0.0

    @cached_property
    def bad_vertices(self) -> NDArray[np.int64]:
        """Vertices that are not finite."""
        return np.flatnonzero(~np.isfinite(self.vertices).all(axis=1))

    @cached_property
    def missing(self) -> NDArray[np.int64]:
        """Triangles that name vertices which do not exist."""
        return np.flatnonzero(((self.triangles < 0) | (self.triangles >= len(self.vertices))).any(axis=1))

    @cached_property
    def readable(self) -> NDArray[np.int64]:
        """Triangles with three vertices that exist and are finite."""
        good = np.ones(len(self.triangles), dtype=bool)
        good[self.missing] = False
        good[good] = np.isfinite(self.vertices[self.triangles[good]]).all(axis=(1, 2))
        return np.flatnonzero(good)

    @cached_property
    def degenerate(self) -> NDArray[np.int64]:
        """Readable triangles without an area."""
        corners = self.triangles[self.readable].astype(np.int32)
        longest = side_lengths(self.vertices, corners).max(axis=1, initial=0.0)
        flat = 2.0 * triangle_areas(self.vertices, corners) <= DEGENERATE * longest * longest
        return self.readable[flat]

    @cached_property
    def sound(self) -> NDArray[np.int64]:
        """Readable triangles with an area."""
        return np.setdiff1d(self.readable, self.degenerate, assume_unique=True)

    @cached_property
    def unique(self) -> NDArray[np.int64]:
        """Sound triangles without those that repeat another one."""
        _, first = np.unique(np.sort(self.triangles[self.sound], axis=1), axis=0, return_index=True)
        return self.sound[np.sort(first)]

    def centres(self, triangles: NDArray[np.int64]) -> NDArray[np.float64]:
        """(k, 3) centres of triangles of these numbers [m]."""
        return self.vertices[self.triangles[triangles]].mean(axis=1)

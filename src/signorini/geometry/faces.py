"""Polygons and texture coordinates of a surface as its file has them; the triangles of the simulation are made from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.geometry.ear_clipping import clip_ears
from signorini.geometry.triangles import area_vectors

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """Polygons over the vertices of a mesh, in the order of the file, with texture coordinates at their corners."""

    counts: Ints
    """(f,) corners of each polygon."""
    corners: Ints
    """(c,) vertices of all corners, polygon after polygon."""
    uv: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """(k, 2) texture coordinates."""
    uv_corners: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    """(c,) row of `uv` at each corner, -1 where there is none; empty if the mesh has no texture coordinates."""

    @property
    def starts(self) -> Ints:
        """(f,) where the corners of each polygon begin."""
        return (np.cumsum(self.counts) - self.counts).astype(np.int32)

    @property
    def has_uv(self) -> bool:
        """Whether every corner has texture coordinates."""
        return len(self.uv_corners) > 0 and bool((self.uv_corners >= 0).all())

    def triangle_corners(self, triangles: NDArray[np.integer]) -> Ints:
        """(t, 3) the corner, of all c, at which each corner of the triangles (t, 3) is that were made from the polygons."""
        polygon = np.repeat(np.arange(len(self.counts)), self.counts - 2)  # the triangles of a polygon stand together
        sizes, starts = self.counts[polygon], self.starts[polygon]
        found = np.zeros(triangles.shape, np.int32)
        for place in range(int(self.counts.max(initial=0))):
            at = np.where(place < sizes, starts + place, starts)
            here = self.corners[at][:, None] == triangles
            found = np.where(here, at[:, None], found)
        return found.astype(np.int32)

    def triangle_uv(self, triangles: NDArray[np.integer]) -> Floats:
        """(t, 3, 2) texture coordinates at the corners of the triangles (t, 3) that were made from the polygons."""
        return self.uv[self.uv_corners[self.triangle_corners(triangles)]]

    @property
    def are_plain_triangles(self) -> bool:
        """Whether the triangles of the mesh say as much."""
        return not len(self.uv_corners) and bool((self.counts == 3).all())

    @classmethod
    def of_triangles(cls, triangles: NDArray[np.integer]) -> Faces:
        """Triangles (t, 3) as polygons."""
        return cls(np.full(len(triangles), 3, np.int32), np.ascontiguousarray(triangles, dtype=np.int32).ravel())

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], vertex_count: int) -> Faces | None:
        """The polygons that `to_arrays` has written, None if there are none; an `InputError` says what is wrong with them."""
        if "face_counts" not in arrays:
            return None
        try:
            counts, corners = (np.asarray(arrays[name]).astype(np.int32) for name in ("face_counts", "face_corners"))
            uv = np.asarray(arrays.get("uv", np.zeros((0, 2))), dtype=np.float64)
            uv_corners = np.asarray(arrays.get("uv_corners", np.zeros(0, np.int32))).astype(np.int32)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"faces cannot be read ({error})") from None
        fits = (
            counts.ndim == corners.ndim == uv_corners.ndim == 1
            and (uv.ndim, uv.shape[-1]) == (2, 2)
            and (counts >= 3).all()
            and counts.sum() == len(corners)
            and len(uv_corners) in (0, len(corners))
        )
        if not fits or _outside(corners, 0, vertex_count) or _outside(uv_corners, -1, len(uv)):
            raise InputError(
                "faces must be polygons of at least three corners, at vertices and texture coordinates that exist"
            )
        return cls(counts, corners, uv, uv_corners)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The polygons as arrays of a file."""
        arrays: dict[str, NDArray[Any]] = {"face_counts": self.counts, "face_corners": self.corners}
        return {**arrays, "uv": self.uv, "uv_corners": self.uv_corners} if len(self.uv_corners) else arrays

    def triangulated(self, vertices: Floats) -> Ints:
        """(t, 3) triangles, polygon after polygon: n − 2 of a polygon of n corners, also where it is concave."""
        first = np.cumsum(self.counts - 2) - (self.counts - 2)
        triangles = np.zeros((int((self.counts - 2).sum()), 3), dtype=np.int32)
        for size in np.unique(self.counts).tolist():
            which = np.flatnonzero(self.counts == size)
            polygons = self.corners[self.starts[which][:, None] + np.arange(size)]
            if size == 3:
                triangles[first[which]] = polygons
            elif size == 4:
                triangles[first[which]], triangles[first[which] + 1] = _halves(vertices, polygons)
            else:
                for start, polygon in zip(first[which].tolist(), polygons, strict=True):
                    triangles[start : start + size - 2] = _clipped(vertices, polygon)
        return triangles


def _outside(values: Ints, low: int, stop: int) -> bool:
    return bool(((values < low) | (values >= stop)).any())


def _halves(vertices: Floats, quads: Ints) -> tuple[Ints, Ints]:
    """Two triangles (q, 3) of each quadrilateral: along ac, or along bd where ac lies outside."""
    ac = quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]
    bd = quads[:, [1, 2, 3]], quads[:, [1, 3, 0]]
    with np.errstate(invalid="ignore"):  # a vertex that is not finite is named later
        inside = [np.einsum("qi,qi->q", *(area_vectors(vertices, half) for half in pair)) > 0.0 for pair in (ac, bd)]
    use_bd = (~inside[0] & inside[1])[:, None]
    return np.where(use_bd, bd[0], ac[0]), np.where(use_bd, bd[1], ac[1])


def _clipped(vertices: Floats, polygon: Ints) -> Ints:
    """Triangles (n - 2, 3) of a polygon (n,), by ears in the plane that fits it best; a fan if it crosses itself there."""
    n = len(polygon)
    fan = np.column_stack([np.zeros(n - 2, int), np.arange(1, n - 1), np.arange(2, n)])
    corners = vertices[polygon]
    if not np.isfinite(corners).all():
        return polygon[fan]
    corners = corners - corners.mean(axis=0)
    normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    along = corners[np.argmax((corners**2).sum(axis=1))]
    across = np.cross(normal, along)
    if not np.linalg.norm(across) > 0.0:
        return polygon[fan]
    flat = np.column_stack([corners @ along / np.linalg.norm(along), corners @ across / np.linalg.norm(across)])
    try:
        return polygon[np.array(clip_ears([tuple(p) for p in flat.tolist()], list(range(n)), []))]
    except ValueError:
        return polygon[fan]

"""Triangle mesh: vertices and triangles, checked once when it is made, with its edges and areas."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.checks import told_size
from signorini.errors import InputError, short
from signorini.geometry.faces import Faces
from signorini.geometry.ranges import LARGEST
from signorini.geometry.triangles import Edges, find_edges, side_lengths, triangle_areas, vertex_areas
from signorini.geometry.vertex_groups import Groups, checked_groups

DEGENERATE = 1e-8
"""Height over longest side below which a triangle is refused: rounding leaves it no normal and no stiffness."""

QUICK = 100_000
"""Triangles of a mesh that says whether it is closed when it is printed; finding the edges of a larger one takes a while."""


@dataclass(frozen=True, eq=False)
class TriangleMesh:
    """Vertices (n, 3) [m] and triangles (t, 3), indices into the vertices; neither may change after construction."""

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    faces: Faces | None = None
    """The polygons and texture coordinates of the file that it was read from; None: there are only triangles."""
    groups: Groups = field(default_factory=dict)
    """Numbers of the vertices of named groups, such as the physical groups of a Gmsh file."""

    def __post_init__(self) -> None:
        vertices = as_points("vertices", self.vertices)
        triangles = as_corners("triangle", "triangles", self.triangles, corners=3, vertex_count=len(vertices))
        _check_areas(vertices, triangles)
        if self.faces is not None and int((self.faces.counts - 2).sum()) != len(triangles):
            raise InputError(f"faces must be those that the {len(triangles)} triangles were made from: leave them out")
        vertices.setflags(write=False)
        triangles.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "triangles", triangles)
        object.__setattr__(self, "groups", checked_groups(self.groups, len(vertices)))

    def __repr__(self) -> str:
        counts = f"{len(self.vertices)} vertices and {len(self.triangles)} triangles"
        closed = "" if len(self.triangles) > QUICK else ", closed" if self.is_closed else ", open"
        return f"TriangleMesh of {counts}, {told_size(self.vertices)}{closed}"

    @cached_property
    def edges(self) -> Edges:
        """The edges, each once, with their triangles."""
        return find_edges(self.triangles)

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """(t,) areas of the triangles [m²]."""
        return triangle_areas(self.vertices, self.triangles)

    @property
    def vertex_areas(self) -> NDArray[np.float64]:
        """(n,) a third of the area of the triangles at each vertex [m²]; 0 for a vertex without triangles."""
        return vertex_areas(self.vertices, self.triangles)

    @property
    def side_lengths(self) -> NDArray[np.float64]:
        """(t, 3) lengths of the sides ab, bc, ca of each triangle [m]."""
        return side_lengths(self.vertices, self.triangles)

    @property
    def least_height(self) -> float:
        """The least height of a triangle over its longest side [m]."""
        return float((2.0 * self.areas / self.side_lengths.max(axis=1)).min())

    @property
    def is_closed(self) -> bool:
        """Whether no edge is a border; which side is the inside, `mass_properties.encloses_volume` tells."""
        return self.edges.closed

    def moved(self, rotation: NDArray[np.float64], translation: NDArray[np.float64]) -> TriangleMesh:
        """The mesh with every vertex x at `rotation @ x + translation`."""
        return TriangleMesh(self.vertices @ rotation.T + translation, self.triangles, self.faces, self.groups)


def as_floats(value: Any) -> NDArray[np.float64]:
    """A fresh contiguous float array, or a TypeError or ValueError: complex numbers and texts are none."""
    given = np.asarray(value)
    if given.dtype.kind not in "biufO":
        raise TypeError(f"{given.dtype} is no real number")
    return np.array(given, dtype=np.float64, order="C")


def as_points(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """A fresh contiguous (n, 3) float array, or an `InputError` that names the first bad entry."""
    try:
        points = as_floats(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be numbers of shape (n, 3)") from None
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise InputError(f"{name} must have shape (n, 3) with n > 0, got {points.shape}")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise InputError(
            f"{name} must be finite: {len(bad)} of {len(points)} are not, the first is number {bad[0]} "
            f"with {tuple(float(c) for c in points[bad[0]])}"
        )
    far = np.flatnonzero((np.abs(points) > LARGEST).any(axis=1))
    if len(far):
        raise InputError(
            f"{name} must be within {LARGEST:g} in SI units: {len(far)} of {len(points)} are not, the first is number {far[0]} "
            f"with {tuple(float(c) for c in points[far[0]])}; check the unit"
        )
    return points


def as_vector(name: str, value: Any) -> NDArray[np.float64]:
    """A finite (3,) vector, or an `InputError` that names it."""
    try:
        vector = as_floats(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be three numbers, got {short(value)}") from None
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise InputError(f"{name} must be three finite numbers, got {short(value)}")
    if np.abs(vector).max() > LARGEST:
        raise InputError(
            f"{name} must be three numbers of at most {LARGEST:g} in SI units, got {short(value)}: check the unit"
        )
    return vector


def as_corners(one: str, many: str, value: ArrayLike, *, corners: int, vertex_count: int) -> NDArray[np.int32]:
    """The vertices (t, corners) of triangles or tetrahedra as an array of its own, or an `InputError`.

    `one` and `many` of them are called so in messages; the mesh has `vertex_count` vertices.
    """
    try:
        given = np.asarray(value)
    except ValueError:
        raise InputError(f"{many} must have shape (t, {corners}): rows of different length are none") from None
    if given.ndim != 2 or given.shape[1] != corners or len(given) == 0:
        raise InputError(f"{many} must have shape (t, {corners}) with t > 0, got {given.shape}")
    if not np.issubdtype(given.dtype, np.integer):
        raise InputError(f"{many} must be integers, got {given.dtype}")
    bad = np.flatnonzero(((given < 0) | (given >= vertex_count)).any(axis=1))
    if len(bad):
        raise InputError(
            f"{one} {bad[0]} has indices {tuple(int(i) for i in given[bad[0]])}, but the mesh has vertices 0 to "
            f"{vertex_count - 1} ({len(bad)} such {one if len(bad) == 1 else many})"
        )
    return np.array(given, dtype=np.int32, order="C")


def _check_areas(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> None:
    """Reject degenerate triangles."""
    longest = side_lengths(vertices, triangles).max(axis=1)
    area = triangle_areas(vertices, triangles)
    bad = np.flatnonzero(2.0 * area <= DEGENERATE * longest * longest)
    if len(bad):
        raise InputError(
            f"triangle {bad[0]} with vertices {tuple(int(i) for i in triangles[bad[0]])} is degenerate (area "
            f"{area[bad[0]]:.3g} m²); {len(bad)} of {len(triangles)} are: merge double vertices or remesh"
        )

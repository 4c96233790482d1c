"""A tetrahedral mesh: vertices and positively oriented tetrahedra, checked once when it is made."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from signorini.checks import named_list, told_size
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import TriangleMesh, as_corners, as_points
from signorini.geometry.vertex_groups import Groups, checked_groups, selected_groups

FLATTEST = 1e-8
"""A tetrahedron whose six-fold volume is below this times its longest edge cubed has no shape to work with."""
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
"""The faces of a tetrahedron of positive volume, counter-clockwise seen from outside."""


@dataclass(frozen=True, slots=True, eq=False)
class TetMesh:
    """Vertices (n, 3) [m] and tetrahedra (t, 4), indices into the vertices; neither may change after construction.

    Every tetrahedron a, b, c, d has a positive volume (b − a) × (c − a) · (d − a) / 6, and every vertex belongs to one.
    `TetMesh.flipped` and `TetMesh.without_unused` mend meshes that are not like this.
    """

    vertices: NDArray[np.float64]
    tetrahedra: NDArray[np.int32]
    groups: Groups = field(default_factory=dict)
    """Numbers of the vertices of named groups, such as the physical groups of a Gmsh file."""

    def __post_init__(self) -> None:
        vertices = as_points("vertices", self.vertices)
        tetrahedra = _as_tetrahedra(self.tetrahedra, len(vertices))
        _check_volumes(vertices, tetrahedra)
        _check_used(len(vertices), tetrahedra)
        vertices.setflags(write=False)
        tetrahedra.setflags(write=False)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "tetrahedra", tetrahedra)
        object.__setattr__(self, "groups", checked_groups(self.groups, len(vertices)))

    def __repr__(self) -> str:
        counts = f"{len(self.vertices)} vertices and {len(self.tetrahedra)} tetrahedra"
        groups = f", groups {named_list(self.groups)}" if self.groups else ""
        return f"TetMesh of {counts}, {told_size(self.vertices)}, {self.volumes().sum():.3g} m³{groups}"

    @classmethod
    def flipped(cls, vertices: ArrayLike, tetrahedra: ArrayLike, groups: Groups | None = None) -> TetMesh:
        """The mesh with two corners swapped in every tetrahedron of negative volume; flat ones remain an error."""
        points = as_points("vertices", vertices)
        nodes = _as_tetrahedra(tetrahedra, len(points))
        inverted = signed_volumes(points, nodes) < 0.0
        nodes[inverted] = nodes[inverted][:, [0, 2, 1, 3]]
        return cls(points, nodes, groups or {})

    @classmethod
    def without_unused(cls, vertices: ArrayLike, tetrahedra: ArrayLike, groups: Groups | None = None) -> TetMesh:
        """The mesh without the vertices that belong to no tetrahedron; the others keep their order."""
        points = as_points("vertices", vertices)
        nodes = _as_tetrahedra(tetrahedra, len(points))
        used, renumbered = np.unique(nodes, return_inverse=True)
        kept = selected_groups(checked_groups(groups or {}, len(points)), used)
        return cls(points[used], renumbered.reshape(nodes.shape).astype(np.int32), kept)

    def moved(self, rotation: NDArray[np.float64], translation: NDArray[np.float64]) -> TetMesh:
        """The mesh with every vertex x at `rotation @ x + translation`."""
        return TetMesh(self.vertices @ rotation.T + translation, self.tetrahedra, self.groups)

    def volumes(self) -> NDArray[np.float64]:
        """(t,) [m³]"""
        return signed_volumes(self.vertices, self.tetrahedra)

    def volume(self) -> float:
        """Of all tetrahedra together [m³]."""
        return float(self.volumes().sum())

    def surface(self) -> tuple[TriangleMesh, NDArray[np.int32]]:
        """The faces that belong to one tetrahedron, outward, and the node (s,) of each of that surface's s vertices."""
        faces = self.tetrahedra[:, FACES].reshape(-1, 3)
        triangles = faces[_unshared(faces)]
        nodes, renumbered = np.unique(triangles, return_inverse=True)
        corners, groups = renumbered.reshape(triangles.shape).astype(np.int32), selected_groups(self.groups, nodes)
        surface = TriangleMesh(self.vertices[nodes], corners, groups=groups)
        return surface, nodes.astype(np.int32)


def signed_volumes(vertices: NDArray[np.float64], tetrahedra: NDArray[np.int32]) -> NDArray[np.float64]:
    """(t,) [m³], negative for inverted tetrahedra."""
    a, b, c, d = (vertices[tetrahedra[:, k]] for k in range(4))
    return np.einsum("ti,ti->t", np.cross(b - a, c - a), d - a) / 6.0


def _unshared(faces: NDArray[np.int32]) -> NDArray[np.intp]:
    """The rows of faces (f, 3) that occur once; a face of three or of two on the same side is an `InputError`."""
    ordered = np.sort(faces, axis=1)
    order = np.lexsort(ordered.T[::-1])
    ordered = ordered[order]
    begins = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    first = np.flatnonzero(begins)
    count = np.diff(np.append(first, len(faces)))
    if (count > 2).any():
        bad = int(np.argmax(count > 2))
        raise InputError(
            f"the face {_tuple(ordered[first[bad]])} belongs to {count[bad]} tetrahedra, a face may belong to two at most"
        )
    two = first[count == 2]
    same_side = _is_even(faces[order[two]]) == _is_even(faces[order[two + 1]])
    if same_side.any():
        bad = two[np.argmax(same_side)]
        raise InputError(
            f"the tetrahedra {order[bad] // 4} and {order[bad + 1] // 4} are on the same side of their common face "
            f"{_tuple(ordered[bad])}: they overlap"
        )
    return np.sort(order[first[count == 1]])


def _is_even(faces: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether the corners (f, 3) are an even permutation of their ascending order."""
    a, b, c = faces.T
    return ((a < b) & (b < c)) | ((b < c) & (c < a)) | ((c < a) & (a < b))


def _as_tetrahedra(value: ArrayLike, vertex_count: int) -> NDArray[np.int32]:
    return as_corners("tetrahedron", "tetrahedra", value, corners=4, vertex_count=vertex_count)


def _check_volumes(vertices: NDArray[np.float64], tetrahedra: NDArray[np.int32]) -> None:
    corners = vertices[tetrahedra]
    pairs = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    longest = np.linalg.norm(corners[:, pairs[:, 0]] - corners[:, pairs[:, 1]], axis=2).max(axis=1)
    volume = signed_volumes(vertices, tetrahedra)
    flat = np.flatnonzero(6.0 * np.abs(volume) <= FLATTEST * longest**3)
    if len(flat):
        raise InputError(
            f"{len(flat)} of {len(tetrahedra)} tetrahedra are flat, the first are {_list(flat)} (volume "
            f"{volume[flat[0]]:.3g} m³): merge double vertices or remesh"
        )
    inverted = np.flatnonzero(volume < 0.0)
    if len(inverted) == len(tetrahedra):
        raise InputError(
            f"all {len(tetrahedra)} tetrahedra are inverted (negative volume): the mesh numbers their corners the other "
            "way round, make it with TetMesh.flipped(vertices, tetrahedra)"
        )
    if len(inverted):
        raise InputError(
            f"{len(inverted)} of {len(tetrahedra)} tetrahedra are inverted (negative volume), the first are "
            f"{_list(inverted)}: if only the order of their corners is wrong, use TetMesh.flipped(vertices, tetrahedra)"
        )


def _check_used(vertex_count: int, tetrahedra: NDArray[np.int32]) -> None:
    unused = np.flatnonzero(np.bincount(tetrahedra.ravel(), minlength=vertex_count) == 0)
    if len(unused):
        raise InputError(
            f"{len(unused)} of {vertex_count} vertices belong to no tetrahedron, the first are {_list(unused)}: drop them "
            "with TetMesh.without_unused(vertices, tetrahedra)"
        )


def _tuple(row: NDArray[np.integer]) -> tuple[int, ...]:
    return tuple(int(i) for i in row)


def _list(numbers: NDArray[np.intp]) -> str:
    shown = ", ".join(str(int(n)) for n in numbers[:5])
    return f"{shown}, ..." if len(numbers) > 5 else shown

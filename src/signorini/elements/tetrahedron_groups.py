"""Groups of neighbouring tetrahedra of a mesh: those around each edge, and a division into small disjoint groups."""

from __future__ import annotations

import numpy as np

from signorini.elements import tetrahedron_groups_kernels as kernels
from signorini.elements.element import Ints

FACES = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
GROUP_SIZE = 8
"""Tetrahedra of a disjoint group: SouzaNeto2005's number. With 6 a bar of 651 tetrahedra at ν = 0.499 is 8 % too stiff, with
8 3 %; with 12 and more, coarse bars become up to 14 % too soft (decision 0018)."""


def around_edges(tetrahedra: Ints) -> tuple[Ints, Ints]:
    """For each of the six edges of each tetrahedron (t, 4) the number of the edge and of the tetrahedron, (6t,) both."""
    ends = np.sort(tetrahedra[:, EDGES].reshape(-1, 2), axis=1).astype(np.int64)
    _, edge = np.unique(ends[:, 0] * (int(tetrahedra.max()) + 1) + ends[:, 1], return_inverse=True)
    return edge.ravel().astype(np.int32), np.repeat(np.arange(len(tetrahedra), dtype=np.int32), 6)


def face_neighbours(tetrahedra: Ints) -> Ints:
    """(t, 4) the tetrahedron on the other side of the face opposite to each corner; -1: none."""
    faces = np.sort(tetrahedra[:, FACES].reshape(-1, 3), axis=1)
    order = np.lexsort(faces.T)
    same = (faces[order[1:]] == faces[order[:-1]]).all(axis=1)
    one, other = order[:-1][same], order[1:][same]
    neighbours = np.full(4 * len(tetrahedra), -1, np.int32)
    neighbours[one], neighbours[other] = other // 4, one // 4
    return neighbours.reshape(-1, 4)


def disjoint_groups(tetrahedra: Ints, size: int = GROUP_SIZE) -> Ints:
    """(t,) the group of each tetrahedron: compact groups of about `size`, numbered from 0 without gaps."""
    owner = np.empty(len(tetrahedra), np.int32)
    kernels.divide(np.ascontiguousarray(tetrahedra, dtype=np.int32), face_neighbours(tetrahedra), size, owner)
    return np.unique(owner, return_inverse=True)[1].ravel().astype(np.int32)

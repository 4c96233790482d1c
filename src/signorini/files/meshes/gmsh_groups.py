"""Physical groups of Gmsh files: the nodes of points, curves, surfaces and volumes that their author has named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
TRIANGLE, TETRAHEDRON, POINT = 2, 4, 15
"""Gmsh's numbers of types of elements."""
CURVES, SURFACES = (1, 8, 26, 27, 28), (2, 3, 9, 10, 16, *range(20, 26))
"""Types of elements of one and two dimensions; all others but points have three."""
WORDS = ("point", "curve", "surface", "volume")
"""What a group of each dimension is called where its name alone does not tell it from another one."""


@dataclass(slots=True)
class GroupedElements:
    """The elements of a file with their nodes, sorted by type and physical group."""

    others: set[str] = field(default_factory=set)
    """What the file has beside tetrahedra of four nodes, for the message where it has no tetrahedra."""
    nodes_of: dict[tuple[int, int], list[Ints]] = field(default_factory=dict)
    """Numbers of the nodes of each physical group, by dimension and number of the group."""
    _rows: dict[int, list[tuple[Ints, Ints]]] = field(default_factory=dict)

    def add(self, kind: int, nodes: Ints, groups: Iterable[int], *, order: Ints) -> None:
        """Elements (k, c) of a type, the physical groups that they all belong to, and their places (k,) in the file."""
        if kind in (TRIANGLE, TETRAHEDRON):
            self._rows.setdefault(kind, []).append((order, nodes))
        if kind != TETRAHEDRON:
            self.others.add("second-order tetrahedra" if kind == 11 else f"elements of Gmsh type {kind}")
        dimension = 0 if kind == POINT else 1 if kind in CURVES else 2 if kind in SURFACES else 3
        for group in groups:
            if group:  # 0: none; a negative number only tells the orientation
                self.nodes_of.setdefault((dimension, abs(group)), []).append(np.unique(nodes))

    def tetrahedra(self) -> Ints:
        """(t, 4) numbers of nodes, in the order of the file."""
        return self._sorted(TETRAHEDRON, 4)

    def triangles(self) -> Ints:
        """(t, 3)"""
        return self._sorted(TRIANGLE, 3)

    def _sorted(self, kind: int, corners: int) -> Ints:
        found = self._rows.get(kind, [])
        order = np.concatenate([np.zeros(0, np.int64), *(o for o, _ in found)])
        nodes = np.concatenate([np.zeros((0, corners), np.int64), *(n for _, n in found)])
        return nodes[np.argsort(order, kind="stable")]


@dataclass(slots=True)
class PhysicalGroups:
    """Physical groups of a Gmsh file."""

    names: dict[tuple[int, int], str] = field(default_factory=dict)
    """By dimension and number of the group; groups need not have names."""
    of_parts: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    """Groups of each part of the geometry, by its dimension and number; in files of version 4.1."""

    def by_name(self, found: GroupedElements) -> dict[str, Ints]:
        """The nodes of each group by its name, or by its number if it has none.

        Gmsh numbers and names the groups of each dimension by themselves: "surface 1" and "volume 1" are the names where two
        groups would have the same.
        """
        labels = {key: self.names.get(key) or str(key[1]) for key in found.nodes_of}
        often = Counter(labels.values())
        return {
            label if often[label] == 1 else f"{WORDS[key[0]]} {label}": np.unique(np.concatenate(found.nodes_of[key]))
            for key, label in sorted(labels.items())
        }

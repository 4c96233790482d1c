"""From nodes to surface vertices: a sparse map whose blocks are weight·I − [arm]×.

The identity (cloth, the surface of a mesh of tetrahedra), barycentric weights (a surface inside tetrahedra), v + ω × arm (rigid
bodies and what is attached to them) and nothing (kinematic vertices) all have this form (decision 0007).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from signorini.model import surface_map_kernels as kernels

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class SurfaceMap:
    """v surface vertices as linear functions of nodes, compressed by rows.

    Entry e of a vertex adds `weight[e] · velocity[node[e]] + velocity[node[e]] × arm[e]`. For an entry with a rotor (the angular
    node of a rigid body, whose velocity is ω) the weight is 0, and `arm` is `rest_arm` turned with that rigid body.
    """

    indptr: Ints
    """(v+1,)"""
    nodes: Ints
    """(k,)"""
    weights: Floats
    """(k,)"""
    rotor: Ints
    """(k,) number of the rigid body that turns the arm, -1 where there is none."""
    rest_arms: Floats
    """(k, 3) in the frame of the rigid body [m]."""
    arms: Floats
    """(k, 3) in the world [m]; zero without a rotor."""

    @property
    def vertex_count(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def widest(self) -> int:
        """The most nodes that a vertex has."""
        return int(np.diff(self.indptr).max(initial=0))

    @cached_property
    def rotating(self) -> bool:
        """Whether some vertices turn with a rigid body."""
        return bool((self.rotor >= 0).any())

    def turned(self, rotations: Floats) -> SurfaceMap:
        """The map with the arms of rigid bodies in the orientation of unit quaternions (b, 4)."""
        if not len(rotations):
            return self
        arms = np.zeros_like(self.rest_arms)
        kernels.turn_arms(self.rotor, self.rest_arms, rotations, arms)
        return replace(self, arms=arms)

    def positions(self, q: Floats, rotations: Floats) -> Floats:
        """Positions (v, 3) of the vertices [m], exact for rigid bodies too; kinematic vertices are left at zero."""
        x = np.empty((self.vertex_count, 3))
        kernels.positions(self.indptr, self.nodes, self.weights, self.rotor, self.rest_arms, q, rotations, x)
        return x

    def velocities(self, v: Floats) -> Floats:
        """Velocities of the vertices (v, 3) [m/s] for velocities (n, 3) of the nodes; zero for kinematic vertices."""
        out = np.empty((self.vertex_count, 3))
        kernels.velocities(self.indptr, self.nodes, self.weights, self.arms, v, out)
        return out

    def moved_by(self, movable: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Which vertices (v,) have a node that is movable (n,)."""
        entries = np.concatenate([[0], np.cumsum(movable[self.nodes])])
        return entries[self.indptr[1:]] > entries[self.indptr[:-1]]


@dataclass(slots=True)
class MapRows:
    """One part of a map while it is put together: the entries of some consecutive vertices."""

    counts: Ints
    """(v,) entries of each vertex."""
    nodes: Ints
    weights: Floats
    rotor: Ints
    rest_arms: Floats

    def shifted(self, first_node: int, rigid: int) -> MapRows:
        """The rows of a body whose nodes count from `first_node` on and which is rigid body number `rigid`, if it is one."""
        rotor = np.where(self.rotor >= 0, rigid, -1).astype(np.int32)
        return replace(self, nodes=(self.nodes + first_node).astype(np.int32), rotor=rotor)


def node_rows(nodes: NDArray[np.integer]) -> MapRows:
    """Vertices that are nodes themselves, (v,)."""
    k = len(nodes)
    return MapRows(np.ones(k, np.int32), nodes.astype(np.int32), np.ones(k), np.full(k, -1, np.int32), np.zeros((k, 3)))


def weighted_rows(nodes: NDArray[np.integer], weights: Floats) -> MapRows:
    """Vertices that are weighted means of several nodes, both (v, c); weights of zero are left out."""
    used = weights != 0.0
    k = int(used.sum())
    return MapRows(
        used.sum(axis=1).astype(np.int32),
        nodes[used].astype(np.int32),
        np.ascontiguousarray(weights[used]),
        np.full(k, -1, np.int32),
        np.zeros((k, 3)),
    )


def rigid_rows(rest_arms: Floats, first_node: int = 0, body: int = 0) -> MapRows:
    """Vertices of rigid body number `body` at `rest_arms` (v, 3) from its centre of mass, in its own frame."""
    k = len(rest_arms)
    arms = np.zeros((2 * k, 3))
    arms[1::2] = rest_arms
    return MapRows(
        np.full(k, 2, np.int32),
        np.tile(np.array([first_node, first_node + 1], np.int32), k),
        np.tile([1.0, 0.0], k),
        np.tile(np.array([-1, body], np.int32), k),
        arms,
    )


def prescribed_rows(count: int) -> MapRows:
    """Vertices that no node moves."""
    return MapRows(
        np.zeros(count, np.int32), np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.int32), np.zeros((0, 3))
    )


def join_rows(parts: list[MapRows]) -> SurfaceMap:
    """The map of all parts, one after the other."""
    counts = np.concatenate([part.counts for part in parts])
    rest_arms = np.concatenate([part.rest_arms for part in parts])
    return SurfaceMap(
        indptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        nodes=np.concatenate([part.nodes for part in parts]),
        weights=np.concatenate([part.weights for part in parts]),
        rotor=np.concatenate([part.rotor for part in parts]),
        rest_arms=rest_arms,
        arms=np.zeros_like(rest_arms),
    )

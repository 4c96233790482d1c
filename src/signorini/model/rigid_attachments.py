"""Nodes that are part of a rigid body: where they are, how they move, and how the surface depends on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.model.rigid_bodies import turned_vectors
from signorini.model.surface_map import SurfaceMap

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RigidAttachments:
    """a nodes that move with rigid bodies."""

    nodes: Ints
    """(a,)"""
    rotor: Ints
    """(a,) number of the rigid body."""
    linear: Ints
    """(a,) the linear node of that body; the angular one follows."""
    rest_arms: Floats
    """(a, 3) from the centre of mass, in the frame of the body's mesh [m]."""

    def __len__(self) -> int:
        return len(self.nodes)

    def arms(self, rotations: Floats) -> Floats:
        """(a, 3) from the centre of mass, in the world [m]."""
        return turned_vectors(rotations[self.rotor], self.rest_arms)

    def place(self, q: Floats, rotations: Floats) -> None:
        """Put the attached nodes of q (n, 3) where their bodies are."""
        if len(self):
            q[self.nodes] = q[self.linear] + self.arms(rotations)

    def carry(self, v: Floats, rotations: Floats) -> None:
        """Give the attached nodes of v (n, 3) the velocities of their bodies."""
        if len(self):
            v[self.nodes] = v[self.linear] + np.cross(v[self.linear + 1], self.arms(rotations))


def attached_map(surface_map: SurfaceMap, attachments: RigidAttachments) -> SurfaceMap:
    """The map with every attached node replaced by the two nodes of its body."""
    if not len(attachments):
        return surface_map
    number = np.full(int(surface_map.nodes.max()) + 1, -1, np.int32)
    used = attachments.nodes <= surface_map.nodes.max()
    number[attachments.nodes[used]] = np.flatnonzero(used).astype(np.int32)
    k = number[surface_map.nodes]
    attached = k >= 0
    copies = np.where(attached, 2, 1)
    at = np.cumsum(copies) - copies
    source = np.repeat(np.arange(len(k)), copies)
    nodes, weights = surface_map.nodes[source], surface_map.weights[source]
    rotor, arms = surface_map.rotor[source], surface_map.rest_arms[source]
    linear, angular, a = at[attached], at[attached] + 1, k[attached]
    nodes[linear], nodes[angular] = attachments.linear[a], attachments.linear[a] + 1
    rotor[angular] = attachments.rotor[a]
    arms[angular] = surface_map.weights[attached, None] * attachments.rest_arms[a]
    weights[angular] = 0.0
    return SurfaceMap(
        indptr=np.append(at, len(source))[surface_map.indptr].astype(np.int32),
        nodes=nodes,
        weights=weights,
        rotor=rotor,
        rest_arms=arms,
        arms=np.zeros_like(arms),
    )

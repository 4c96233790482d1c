"""Detection: contacts that are near at the start of a step, and those that a motion would cause.

Implements: Otaduy2009 §3.2, (i) proximity and (ii) continuous detection.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import detect_kernels as kernels
from signorini.collision.broad_phase import Candidates
from signorini.collision.surface import Surface
from signorini.contact.contact_set import ContactSet, empty_contacts

Positions = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Proximity:
    """What is near at one state."""

    contacts: ContactSet
    """Pairs closer than the detection distance."""
    min_distance: float
    """The least distance of any two primitives [m]; inf when no pair is within the detection distance."""


@dataclass(frozen=True, slots=True)
class Impacts:
    """What a linear motion would cause."""

    contacts: ContactSet
    first_time: float
    """Earliest time of impact, as a fraction of the motion; inf for none."""


class _Buffers:
    """Room for the contacts that a kernel finds; asked again with more room when it was too little."""

    def __init__(self, capacity: int) -> None:
        self.key = np.empty(capacity, np.int64)
        self.vertices = np.empty((capacity, 4), np.int32)
        self.weights = np.empty((capacity, 4))
        self.normal = np.empty((capacity, 3))
        self.distance = np.empty(capacity)

    def arrays(self) -> tuple[NDArray, ...]:
        return self.key, self.vertices, self.weights, self.normal, self.distance

    def contacts(self, surface: Surface, count: int) -> ContactSet:
        if count == 0:
            return empty_contacts()
        vertices = self.vertices[:count]
        key = self.key[:count]
        bodies = np.empty((count, 2), np.int32)
        kernels.bodies_of(key, vertices, self.weights[:count], surface.vertex_body, surface.plane_body, bodies)
        return ContactSet(
            key, vertices, self.weights[:count], self.normal[:count], self.distance[:count], bodies
        ).unique()


def detect_proximity(surface: Surface, candidates: Candidates, x: Positions, *, distance: float) -> Proximity:
    """All contacts closer than `distance` [m] at positions x (v, 3) and the least distance found."""
    capacity = 256 + len(candidates) // 2
    while True:
        buffers = _Buffers(capacity)
        count, least = kernels.proximity(
            candidates.vertex_triangle, candidates.edge_edge, candidates.vertex_plane, surface.triangles, surface.edges,
            surface.triangle_edges, surface.plane_normal, surface.plane_height, x, distance, *buffers.arrays(),
        )  # fmt: skip
        if count <= capacity:
            return Proximity(buffers.contacts(surface, count), float(least))
        capacity = count


def detect_continuous(
    surface: Surface, candidates: Candidates, x0: Positions, x1: Positions, *, separation: float
) -> Impacts:
    """Contacts whose distance falls below min(separation, half the start distance) on the way from x0 to x1.

    Weights and normal are those at the time of impact, `distance` is measured at x0 along that normal (decision 0003).
    """
    capacity = 1024
    while True:
        buffers = _Buffers(capacity)
        count, first = kernels.impacts(
            candidates.vertex_triangle, candidates.edge_edge, candidates.vertex_plane, surface.triangles, surface.edges,
            surface.triangle_edges, surface.plane_normal, surface.plane_height, x0, x1, separation, *buffers.arrays(),
        )  # fmt: skip
        if count <= capacity:
            return Impacts(buffers.contacts(surface, count), float(first))
        capacity = count

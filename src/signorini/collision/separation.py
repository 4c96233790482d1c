"""Separations of continuous detection: how near two primitives may come during a motion, by vertex and by plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.collision import separation_kernels as kernels
from signorini.collision.contact_set import ContactSet
from signorini.collision.surface import Surface

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Separation:
    """η of every vertex and plane [m].

    A primitive has the least of its vertices, and two primitives keep the larger one of theirs: only where both are in a tight
    place may they come as near as that place demands.
    """

    vertices: Floats
    """(v,) [m]"""
    planes: Floats
    """(p,) [m]"""

    @classmethod
    def uniform(cls, surface: Surface, value: float) -> Separation:
        """The same `value` [m] for all."""
        return cls(np.full(surface.vertex_count, value), np.full(surface.plane_count, value))

    @property
    def least(self) -> float:
        """Of all vertices [m]."""
        return float(self.vertices.min(initial=np.inf))

    @property
    def largest(self) -> float:
        """Of all vertices [m]: no two primitives keep more."""
        return float(self.vertices.max(initial=0.0))

    def lowered(self, surface: Surface, bodies: NDArray[np.int32], most: Floats) -> Separation:
        """At most `most` (k,) [m] for all vertices and planes of pairs of bodies (k, 2)."""
        if most.min(initial=np.inf) >= self.vertices.max(initial=0.0):
            return self
        limit = np.full(
            max(int(surface.vertex_body.max(initial=0)), int(surface.plane_body.max(initial=0))) + 1, np.inf
        )
        for side in range(2):
            np.minimum.at(limit, bodies[:, side], most)
        return Separation(
            np.minimum(self.vertices, limit[surface.vertex_body]), np.minimum(self.planes, limit[surface.plane_body])
        )

    def narrowed(self, contacts: ContactSet, part: float) -> Separation:
        """At most `part` of the distance of each contact for the vertices that take part in it.

        What is near already, and free to slide past, is no impact.
        """
        vertices = self.vertices.copy()
        kernels.narrow(contacts.vertices, contacts.weights, contacts.distance, part, vertices)
        return Separation(vertices, self.planes)

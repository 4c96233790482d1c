"""Angular springs about the edges that two triangles share: the bending element of a cloth.

Implements: the bending element of Bridson2003 with a stiffness per unit of curvature (decision 0002).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from signorini.elements import hinges_kernels as kernels
from signorini.elements.element import Elements, Floats, Ints, Linearisation, Weights


@dataclass(frozen=True, slots=True)
class Hinges(Elements):
    """h hinges. Energy of one: ½ k (θ − θ₀)², θ the signed angle between the normals, 0 when flat."""

    nodes: Ints
    """(h, 4) the edge x0, x1 and the two opposite vertices x2, x3; triangles (x0, x1, x2) and (x1, x0, x3)."""
    rest_angle: Floats
    """(h,) θ₀ [rad]."""
    angular_stiffness: Floats
    """(h,) k [N m]."""
    angular_damping: Floats
    """(h,) moment per angular rate [N m s]."""

    def group(self) -> Hashable:
        """All hinges form one set."""
        return Hinges

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all hinges (see `Elements.assemble`)."""
        kernels.assemble(
            self.nodes, self.rest_angle, self.angular_stiffness, self.angular_damping, entries, at.positions,
            at.offset_velocity, *weights, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ ½ k (θ − θ₀)² [J]."""
        return kernels.energy(self.nodes, self.rest_angle, self.angular_stiffness, positions)


def hinge_angles(nodes: Ints, q: Floats) -> Floats:
    """The signed dihedral angle of every hinge, (h,) [rad]."""
    angles = np.empty(len(nodes))
    kernels.angles(nodes, np.array(q), angles)  # a copy: read-only arrays would be compiled separately
    return angles

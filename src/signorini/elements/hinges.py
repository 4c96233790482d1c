"""Angular springs about the edges that two triangles share: the bending element of a cloth.

Implements: the bending element of Bridson2003 with a stiffness per unit of curvature (decision 0002).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from signorini.elements import hinges_kernels as kernels
from signorini.elements.element import NO_STATE, Elements, Floats, Ints, Linearisation, Weights
from signorini.elements.shared_rows import shares
from signorini.parallel.team import run_together

WORTH_SHARING = 3000
"""Hinges from which on threads share their assembly: 0.2 ms of one thread. Below, waking them takes longer."""


@dataclass(frozen=True, slots=True)
class Hinges(Elements):
    """h hinges. Energy of one: ½ k (θ − θ₀)², θ the signed angle between the normals, 0 when flat.

    Where there is friction, its internal state is θ_s, the angle at which each element has set.
    """

    nodes: Ints
    """(h, 4) the edge x0, x1 and the two opposite vertices x2, x3; triangles (x0, x1, x2) and (x1, x0, x3)."""
    rest_angle: Floats
    """(h,) θ₀ [rad]."""
    angular_stiffness: Floats
    """(h,) k [N m]."""
    angular_damping: Floats
    """(h,) moment per angular rate [N m s]."""
    sticking_stiffness: Floats = field(default_factory=lambda: NO_STATE)
    """(h,) of a friction element in parallel [N m] (`hinge_friction`); (0,) where nothing rubs."""
    limit: Floats = field(default_factory=lambda: NO_STATE)
    """(h,) its largest moment [N m], or (0,)."""

    def group(self) -> Hashable:
        """All hinges with friction form one set, and so do all without."""
        return Hinges, len(self.limit) > 0

    def initial_state(self, positions: Floats) -> Floats:
        """Set angles (h,) [rad] of the friction elements: those of the start, at which no friction acts."""
        return hinge_angles(self.nodes, positions) if len(self.limit) else NO_STATE

    def next_state(self, positions: Floats, internal: Floats) -> Floats:
        """The set angles (h,) [rad] after the nodes have moved: an element beyond its limit slips along."""
        if not len(self.limit):
            return internal
        after = internal.copy()
        kernels.slip(self.nodes, self.sticking_stiffness, self.limit, positions, after)
        return after

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all hinges (see `Elements.assemble`)."""
        run_together(
            shares(len(self), WORTH_SHARING), kernels.assemble,
            self.nodes, self.rest_angle, self.angular_stiffness, self.angular_damping, self.sticking_stiffness, self.limit,
            internal, entries, at.positions, at.offset_velocity, *weights, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ ½ k (θ − θ₀)², and what friction elements give back when they are released [J]."""
        return kernels.energy(
            self.nodes,
            self.rest_angle,
            self.angular_stiffness,
            self.sticking_stiffness,
            self.limit,
            internal,
            positions,
        )


def hinge_angles(nodes: Ints, q: Floats) -> Floats:
    """The signed dihedral angle of every hinge, (h,) [rad]."""
    angles = np.empty(len(nodes))
    kernels.angles(nodes, np.array(q), angles)  # a copy: read-only arrays would be compiled separately
    return angles

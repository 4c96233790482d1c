"""Dry friction in bending: what lets a crumpled fabric come to rest instead of creeping for ever.

Threads rub against each other when fabric bends, so its moment-curvature curve is a loop; fabric testing (KES-F) reports half
the height of that loop as HB. Each hinge gets a friction element in parallel to its spring: elastic until the moment HB · L is
reached, slipping beyond (a Prandtl element).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from signorini.elements import hinge_friction_kernels as kernels
from signorini.elements.element import Elements, Floats, Ints, Linearisation, Weights
from signorini.elements.hinges import hinge_angles

STIFFNESS_RATIO = 3.0
"""Stiffness of a sticking element over that of the hinge's spring: loops of fabric begin about that much steeper."""


@dataclass(frozen=True, slots=True)
class HingeFriction(Elements):
    """h friction elements. Moment −clamp(k (θ − θ_s), ±limit); the internal state is θ_s, the angle at which each has set."""

    nodes: Ints
    """(h, 4) as `Hinges.nodes`."""
    sticking_stiffness: Floats
    """(h,) k [N m]."""
    limit: Floats
    """(h,) largest moment [N m]."""

    def group(self) -> Hashable:
        """All friction elements form one set."""
        return HingeFriction

    def initial_state(self, positions: Floats) -> Floats:
        """Set angles (h,) [rad]: those of the start, at which no friction acts."""
        return hinge_angles(self.nodes, positions)

    def next_state(self, positions: Floats, internal: Floats) -> Floats:
        """The set angles (h,) [rad] after the nodes have moved: an element beyond its limit slips along."""
        after = internal.copy()
        kernels.slip(self.nodes, self.sticking_stiffness, self.limit, positions, after)
        return after

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all elements (see `Elements.assemble`); they have no viscous damping."""
        kernels.assemble(
            self.nodes, self.sticking_stiffness, self.limit, internal, entries, at.positions, at.offset_velocity,
            weights.force, weights.stiffness, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ ½ k (θ − θ_s)² within the limit [J]: what the elements give back when they are released."""
        return kernels.energy(self.nodes, self.sticking_stiffness, self.limit, internal, positions)


def build_hinge_friction(nodes: Ints, stiffness: Floats, hysteresis: float, length: Floats) -> HingeFriction:
    """Elements for hinges of angular stiffness (h,) [N m] about edges of given length (h,) [m], HB = `hysteresis` [N]."""
    return HingeFriction(nodes, STIFFNESS_RATIO * stiffness, hysteresis * length)

"""Axial springs with damping along the spring: the structural and shear elements of a cloth.

Implements: Provot1995; Otaduy2009 §3.1 (the mass-spring model of its examples).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from signorini.elements import springs_kernels as kernels
from signorini.elements.element import Elements, Floats, Ints, Linearisation, Weights
from signorini.elements.shared_rows import shares
from signorini.parallel.team import run_together

WORTH_SHARING = 5000
"""Springs from which on threads share their assembly: 0.2 ms of one thread. Below, waking them takes longer."""


@dataclass(frozen=True, slots=True)
class Springs(Elements):
    """s springs. Energy of one: ½ k (l − L)², k smaller in compression; damping force −c (v·d) d along its direction d."""

    nodes: Ints
    """(s, 2)"""
    rest_length: Floats
    """(s,) L [m]."""
    stiffness_in_tension: Floats
    """(s,) k [N/m] of a spring that is longer than L."""
    stiffness_in_compression: Floats
    """(s,) k [N/m] of a spring that is shorter than L."""
    damping_constant: Floats
    """(s,) c [N s/m]."""

    def group(self) -> Hashable:
        """All springs form one set."""
        return Springs

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all springs (see `Elements.assemble`); damping is of the velocity itself."""
        run_together(
            shares(len(self), WORTH_SHARING), kernels.assemble,
            self.nodes, self.rest_length, self.stiffness_in_tension, self.stiffness_in_compression,
            self.damping_constant, entries, at.positions, at.offset_velocity, *weights, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ ½ k (l − L)² [J]."""
        return kernels.energy(
            self.nodes, self.rest_length, self.stiffness_in_tension, self.stiffness_in_compression, positions
        )

"""Triangles of a fabric that resists stretching and shearing in its plane: the membrane of a cloth.

Implements: constant-strain triangles of the orthotropic law of St. Venant and Kirchhoff with the tension field of Pipkin1986
(decision 0017).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from signorini.elements import membrane_kernels as kernels
from signorini.elements.element import Elements, Floats, Ints, Linearisation, Weights
from signorini.elements.shared_rows import shares
from signorini.parallel.team import run_together

WORTH_SHARING = 1500
"""Triangles from which on threads share their assembly: 0.2 ms of one thread. Below, waking them takes longer."""


@dataclass(frozen=True, slots=True)
class Membrane(Elements):
    """t triangles. Energy of one: area times W(E), E Green's strain along warp and weft (see `tension_field_kernels`)."""

    nodes: Ints
    """(t, 3)"""
    gradients: Floats
    """(t, 2, 2) gradients of the shape functions of the nodes 1 and 2 in the directions warp and weft [1/m]."""
    area: Floats
    """(t,) at rest [m²]."""
    stretching: Floats
    """(t, 4) Q11, Q22, Q12, Q66 of the taut fabric [N/m]."""
    compliance: Floats
    """(t, 4) S11, S22, S12, S66, the inverse of them [m/N]."""
    compression_ratio: Floats
    """(t,) stiffness in compression over that in tension."""
    strain_limit: Floats
    """(t,) Green's strain along warp and weft beyond which the fabric locks; inf: never."""
    locked_stiffness: Floats
    """(t, 2) what warp and weft are stiffer by beyond it [N/m]."""
    damping_time: Floats
    """(t,) damping over material stiffness [s]."""

    def group(self) -> Hashable:
        """All membranes form one set."""
        return Membrane

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all triangles (see `Elements.assemble`); damping is of the velocity itself."""
        run_together(
            shares(len(self), WORTH_SHARING),
            kernels.assemble,
            self.nodes, self.gradients, self.area, self.stretching, self.compliance, self.compression_ratio,
            self.strain_limit, self.locked_stiffness, self.damping_time, entries, at.positions, at.offset_velocity,
            *weights, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ A W(E) [J]."""
        return kernels.energy(
            self.nodes, self.gradients, self.area, self.stretching, self.compliance, self.compression_ratio,
            self.strain_limit, self.locked_stiffness, positions,
        )  # fmt: skip

    def strain_and_stress(self, positions: Floats) -> tuple[Floats, Floats]:
        """Green's strain (E11, E22, 2 E12) (t, 3) and stress (S11, S22, S12) (t, 3) [N/m] in the directions warp and weft."""
        strain, stress = np.empty((len(self), 3)), np.empty((len(self), 3))
        kernels.stresses(
            self.nodes, self.gradients, self.stretching, self.compliance, self.compression_ratio, self.strain_limit,
            self.locked_stiffness, np.array(positions), strain, stress,
        )  # fmt: skip
        return strain, stress

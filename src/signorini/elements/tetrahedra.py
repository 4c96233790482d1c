"""Linear tetrahedra of a hyperelastic material: the elements of a soft solid.

Implements: MuellerGross2004 (co-rotational); Hong2004 §2 with BonetWood (nearly incompressible Neo-Hookean); Smith2018.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from signorini.elements.element import Elements, Floats, Ints, Linearisation, Weights
from signorini.elements.shared_rows import shares
from signorini.elements.solid_law import SolidLaw
from signorini.parallel.team import run_together

WORTH_SHARING = 400
"""Tetrahedra from which on threads share their assembly: 0.2 ms of one thread. Below, waking them takes longer."""


@dataclass(frozen=True, slots=True)
class Tetrahedra(Elements):
    """t elements. The deformation gradient of one is F = [x1 − x0, x2 − x0, x3 − x0] D⁻¹, D the same matrix at rest."""

    nodes: Ints
    """(t, 4)"""
    rest_inverse: Floats
    """(t, 3, 3) D⁻¹ [1/m]; its rows are the gradients of the shape functions of the nodes 1, 2 and 3."""
    volume: Floats
    """(t,) at rest [m³]."""
    lame_mu: Floats
    """(t,) shear modulus [Pa]."""
    lame_lambda: Floats
    """(t,) [Pa]"""
    shape: Floats
    """(t, p) numbers of the law's shape."""
    stiffness_damping: Floats
    """(t,) β of the damping matrix C = β K [s]."""
    law: SolidLaw
    """The constitutive law, the same for all elements of a set."""

    def group(self) -> Hashable:
        """All tetrahedra of one law form one set."""
        return Tetrahedra, self.law

    def assemble(
        self, at: Linearisation, weights: Weights, internal: Floats, entries: Ints, data: Floats, b: Floats
    ) -> None:
        """Add the matrices and forces of all tetrahedra (see `Elements.assemble`); only deformation is damped."""
        run_together(
            shares(len(self), WORTH_SHARING), self.law.assemble,
            self.nodes, self.rest_inverse, self.volume, self.lame_mu, self.lame_lambda, self.shape, self.stiffness_damping,
            entries, at.positions, at.offset_velocity, at.frame_velocity, *weights, data, b,
        )  # fmt: skip

    def energy(self, positions: Floats, internal: Floats) -> float:
        """Σ V Ψ(F) [J]."""
        return self.law.energy(
            self.nodes, self.rest_inverse, self.volume, self.lame_mu, self.lame_lambda, self.shape, positions
        )

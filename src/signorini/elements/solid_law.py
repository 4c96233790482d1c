"""Constitutive laws of solids: the protocol between a material and the loop over tetrahedra.

A law is two kernels. The loop over the elements is compiled once for each law, with the kernels inside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from signorini.compiled import specialised
from signorini.elements import tetrahedra_kernels as loops
from signorini.errors import InputError


@dataclass(frozen=True, slots=True, eq=False)
class SolidLaw:
    """A hyperelastic material of two constants, Lamé's μ and λ [Pa], which are those of its small strains.

    `element(F, G, volume, mu, lam, work, f, K)` fills f (3, 3) with the forces [N] on the nodes 1, 2, 3 of an element with the
    deformation gradient F (3, 3), and K (3, 3, 3, 3) with the stiffness blocks K[a, b], a ≤ b, of these nodes [N/m], projected
    to be positive semidefinite. The rows of G (3, 3) are the gradients of their shape functions [1/m]; `work` (12, 3, 3) is
    scratch space. `signorini.from_stress` makes f and K of a stress P and its derivative.

    `energy_density(F, mu, lam, work)` returns Ψ(F) [J/m³].

    Both are decorated with `signorini.kernel`: they take arrays, allocate nothing in a loop and raise nothing.
    """

    name: str
    element: Any
    energy_density: Any
    assemble: Any = field(init=False, repr=False)
    """The loop over all elements with this law."""
    energy: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("element", "energy_density"):
            if not hasattr(getattr(self, name), "py_func"):
                raise InputError(
                    f"{name} of the law {self.name!r} must be a function decorated with signorini.kernel, got "
                    f"{getattr(self, name)!r}"
                )
        label = "".join(c if c.isalnum() else "_" for c in self.name)
        object.__setattr__(self, "assemble", specialised(loops.assemble, label, element=self.element))
        object.__setattr__(self, "energy", specialised(loops.energy, label, energy_density=self.energy_density))

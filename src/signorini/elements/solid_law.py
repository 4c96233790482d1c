"""Constitutive laws of solids: the protocol between a material and the loops over elements.

A law is two kernels. The loops over the elements are compiled once for each law, with the kernels inside them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.compiled import specialised
from signorini.elements import patches_kernels as patch_loops
from signorini.elements import tetrahedra_kernels as loops
from signorini.errors import InputError

Floats = NDArray[np.float64]
LINEAR = 1e-9
"""Part of its energy by which a law may fail to be linear in μ and λ."""


@dataclass(frozen=True, slots=True, eq=False)
class SolidLaw:
    """A hyperelastic material of Lamé's μ and λ [Pa], which are those of its small strains, and numbers for its shape.

    `element(F, G, volume, mu, lam, shape, work, f, K)` fills f (3, 3) with the forces [N] on the nodes 1, 2, 3 of an element with
    the deformation gradient F (3, 3), and K (3, 3, 3, 3) with the stiffness blocks K[a, b], a ≤ b, of these nodes [N/m],
    projected to be positive semidefinite. The rows of G (3, 3) are the gradients of their shape functions [1/m]; `work`
    (12, 3, 3) is scratch space. `signorini.from_stress` makes f and K of a stress P and its derivative.

    `energy_density(F, mu, lam, shape, work)` returns Ψ(F) [J/m³].

    Both are decorated with `signorini.kernel`: they take arrays, allocate nothing in a loop and raise nothing. Ψ is linear in μ
    and λ, and with μ = 0 it resists nothing but a change of volume: locking-free elements take these parts one by one.
    """

    name: str
    element: Any
    energy_density: Any
    shape: tuple[str, ...] = ()
    """Names of the numbers (p,) without unit that the shape of the law has, beyond μ and λ."""
    assemble: Any = field(init=False, repr=False)
    """The loop over all elements with this law."""
    energy: Any = field(init=False, repr=False)
    assemble_patches: Any = field(init=False, repr=False)
    """The loops over all patches of elements with this law."""
    patches_energy: Any = field(init=False, repr=False)
    _stress: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("element", "energy_density"):
            if not hasattr(getattr(self, name), "py_func"):
                raise InputError(
                    f"{name} of the law {self.name!r} must be a function decorated with signorini.kernel, got "
                    f"{getattr(self, name)!r}"
                )
        label = "".join(c if c.isalnum() else "_" for c in self.name)
        made = {
            "assemble": specialised(loops.assemble, label, element=self.element),
            "energy": specialised(loops.energy, label, energy_density=self.energy_density),
            "assemble_patches": specialised(patch_loops.assemble_patches, label, element=self.element),
            "patches_energy": specialised(patch_loops.patches_energy, label, energy_density=self.energy_density),
            "_stress": specialised(loops.stress, label, element=self.element),
        }
        for key, loop in made.items():
            object.__setattr__(self, key, loop)

    def __repr__(self) -> str:
        return f"SolidLaw {self.name!r}"

    def stress(self, F: Floats, lame_mu: Floats, lame_lambda: Floats, shape: Floats) -> Floats:
        """First Piola-Kirchhoff stress ∂Ψ/∂F (t, 3, 3) [Pa] for gradients F (t, 3, 3), constants (t,) [Pa] and shapes (t, p).

        Cauchy's stress is P F' / det F.
        """
        P = np.empty(F.shape)
        self._stress(np.ascontiguousarray(F), lame_mu, lame_lambda, shape, P)
        return P

    def check_linear(self, shape: Floats) -> None:
        """Raise an `InputError` if the energy is not linear in μ and λ, which locking-free elements need."""
        F, work = np.array([[1.1, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, 0.0, 1.2]]), np.empty((12, 3, 3))
        whole, mu, lam = (self.energy_density(F, *pair, shape, work) for pair in ((2.0, 3.0), (2.0, 0.0), (0.0, 3.0)))
        if not abs(whole - mu - lam) <= LINEAR * (abs(mu) + abs(lam)):
            raise InputError(
                f"the energy of the law {self.name!r} must be linear in μ and λ for locking-free elements: use "
                f"element='tetrahedra', or another law"
            )

"""State of the material of a soft solid: stress, stretches, energy and volume of each tetrahedron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.tetrahedra import Tetrahedra
from signorini.methods.moment import World
from signorini.model.model import BodySlot
from signorini.model.state import State
from signorini.simulation.element_stress import element_energies, element_forces, mean_stress, parts_of_body
from signorini.simulation.strain import tetrahedron_gradients

Floats = NDArray[np.float64]
FLATTEST = 1e-9
"""Least det F by which forces are divided: a flat element has no finite stress per present area."""


@dataclass(frozen=True, slots=True, eq=False)
class SolidState:
    """Stress, stretches, energy and volume of the t tetrahedra of a soft solid, in the order of its mesh."""

    tetrahedra: NDArray[np.int32]
    """(t, 4) nodes, counted within the body: rows of `body.node_positions`."""
    gradient: Floats
    """(t, 3, 3) deformation gradient F."""
    stress: Floats
    """(t, 3, 3) Cauchy's stress of the material, without damping [Pa]; tension is positive."""
    energy: Floats
    """(t,) strain energy [J]."""
    rest_volume: Floats
    """(t,) [m³]"""

    def __len__(self) -> int:
        return len(self.tetrahedra)

    def __repr__(self) -> str:
        if not len(self):
            return "SolidState of no tetrahedra"
        largest, low, high = self.von_mises.max(), self.volume_ratio.min(), self.volume_ratio.max()
        return (
            f"SolidState of {len(self)} tetrahedra: von Mises up to {largest:.3g} Pa, volume ratio {low:.3g} to {high:.3g}, "
            f"strain energy {self.energy.sum():.3g} J"
        )

    @property
    def von_mises(self) -> Floats:
        """(t,) equivalent stress of von Mises [Pa]."""
        return von_mises(self.stress)

    @property
    def principal_stresses(self) -> Floats:
        """(t, 3) eigenvalues of the stress, the largest first [Pa]."""
        return np.linalg.eigvalsh(self.stress)[:, ::-1]

    @property
    def pressure(self) -> Floats:
        """(t,) hydrostatic pressure −tr σ / 3 [Pa]."""
        return -np.trace(self.stress, axis1=1, axis2=2) / 3.0

    @property
    def principal_stretches(self) -> Floats:
        """(t, 3) singular values of F, the largest first."""
        return np.linalg.svd(self.gradient, compute_uv=False)

    @property
    def volume_ratio(self) -> Floats:
        """(t,) det F: present volume over that at rest."""
        return np.linalg.det(self.gradient)

    @property
    def energy_density(self) -> Floats:
        """(t,) strain energy over the volume at rest [J/m³]."""
        return self.energy / self.rest_volume


def solid_state(world: World, state: State, slot: BodySlot) -> SolidState:
    """The state of the material of a soft solid, from the forces of its own elements."""
    sets = [(e, own) for e, own in parts_of_body(world, state, slot.number) if isinstance(e, Tetrahedra)]
    parts = [_one_set(elements, internal, state.q, slot.first_node) for elements, internal in sets]
    if not parts:
        none = np.zeros((0, 3, 3))
        return SolidState(np.zeros((0, 4), np.int32), none, none, np.zeros(0), np.zeros(0))
    return parts[0] if len(parts) == 1 else _joined(parts)


def _one_set(elements: Tetrahedra, internal: Floats, q: Floats, first_node: int) -> SolidState:
    F = tetrahedron_gradients(elements.nodes, elements.rest_inverse, q)
    ratio = np.linalg.det(F)
    ratio = np.where(np.abs(ratio) > FLATTEST, ratio, FLATTEST)
    corners = q[elements.nodes]
    stress = mean_stress(element_forces(elements, q, internal), corners, ratio * elements.volume)
    energy = element_energies(elements, q, internal)
    return SolidState((elements.nodes - first_node).astype(np.int32), F, stress, energy, elements.volume)


def _joined(parts: list[SolidState]) -> SolidState:
    names = ("tetrahedra", "gradient", "stress", "energy", "rest_volume")
    return SolidState(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def von_mises(stress: Floats) -> Floats:
    """(e,) equivalent stress √(3/2 s:s) of von Mises of stresses (e, 3, 3) [Pa], s their deviators."""
    deviator = stress - np.trace(stress, axis1=1, axis2=2)[:, None, None] / 3.0 * np.eye(3)
    return np.sqrt(1.5 * np.sum(deviator * deviator, axis=(1, 2)))

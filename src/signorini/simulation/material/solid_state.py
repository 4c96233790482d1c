"""State of the material of a soft solid: stress, stretches, energy and volume of each tetrahedron."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.patches import Patches
from signorini.elements.tetrahedra import Tetrahedra
from signorini.methods.moment import World
from signorini.model.model import BodySlot
from signorini.model.state import State
from signorini.scene.soft_solid import SoftSolid
from signorini.scene.solids.solid_elements import Membership
from signorini.simulation.material.element_stress import parts_of_body
from signorini.simulation.strain import tetrahedron_gradients

Floats = NDArray[np.float64]
FLATTEST = 1e-9
"""Least det F by which stress is divided: a flat element has no finite stress per present area."""


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
    """(t,) of the part of it that is filled [m³]."""

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
        return np.asarray(np.linalg.eigvalsh(self.stress)[:, ::-1], dtype=np.float64)

    @property
    def pressure(self) -> Floats:
        """(t,) hydrostatic pressure −tr σ / 3 [Pa]."""
        return -np.trace(self.stress, axis1=1, axis2=2) / 3.0

    @property
    def principal_stretches(self) -> Floats:
        """(t, 3) singular values of F, the largest first."""
        return np.asarray(np.linalg.svd(self.gradient, compute_uv=False), dtype=np.float64)

    @property
    def volume_ratio(self) -> Floats:
        """(t,) det F: present volume over that at rest."""
        return np.linalg.det(self.gradient)

    @property
    def energy_density(self) -> Floats:
        """(t,) strain energy over the volume at rest [J/m³]."""
        return self.energy / np.maximum(self.rest_volume, 1e-300)


def solid_state(
    world: World, state: State, slot: BodySlot, solid: SoftSolid, members: Mapping[int, Membership]
) -> SolidState:
    """The state of the material of a soft solid, from the deformation of its own elements.

    The stress of a tetrahedron is the mean of those of the elements that stand for it, weighted by the part of its volume that
    they stand for. In a locking-free solid these are the tetrahedron, the patches at its edges, and the group that has the
    pressure; `members` are those of `signorini.scene.solids.solid_elements.memberships`.
    """
    corners, volume = solid.tets.tetrahedra, solid.filled_volumes
    sides = np.swapaxes(solid.tets.vertices[corners[:, 1:]] - solid.tets.vertices[corners[:, :1]], 1, 2)
    inverse = np.asarray(np.linalg.inv(sides), dtype=np.float64)
    F = tetrahedron_gradients(corners, inverse, state.q[slot.nodes])
    stress, energy = np.zeros((len(corners), 3, 3)), np.zeros(len(corners))
    for elements, _ in parts_of_body(world, state, slot.number):
        if not isinstance(elements, (Tetrahedra, Patches)):
            continue
        element, tetrahedron, weight = members[elements.nodes.shape[1]]
        mean = F if isinstance(elements, Tetrahedra) else elements.mean_gradients(state.q)
        np.add.at(stress, tetrahedron, weight[:, None, None] * _cauchy(elements, mean)[element])
        np.add.at(energy, tetrahedron, weight * volume[tetrahedron] * _energy_density(elements, mean)[element])
    return SolidState(corners.astype(np.int32), F, stress, energy, volume)


def _cauchy(elements: Tetrahedra | Patches, F: Floats) -> Floats:
    """(e, 3, 3) P Fᵀ / det F [Pa] of elements with deformation gradients (e, 3, 3); symmetric but for rounding."""
    P = elements.law.stress(F, elements.lame_mu, elements.lame_lambda, elements.shape)
    size = np.linalg.det(F)
    size = np.where(np.abs(size) > FLATTEST, size, FLATTEST)
    sigma = P @ F.transpose(0, 2, 1) / size[:, None, None]
    return 0.5 * (sigma + sigma.transpose(0, 2, 1))


def _energy_density(elements: Tetrahedra | Patches, F: Floats) -> Floats:
    """(e,) Ψ(F) [J/m³]."""
    work, density = np.empty((12, 3, 3)), elements.law.energy_density
    constants = zip(F, elements.lame_mu, elements.lame_lambda, elements.shape, strict=True)
    return np.array([density(one, mu, lam, shape, work) for one, mu, lam, shape in constants])


def von_mises(stress: Floats) -> Floats:
    """(e,) equivalent stress √(3/2 s:s) of von Mises of stresses (e, 3, 3) [Pa], s their deviators."""
    deviator = stress - np.trace(stress, axis1=1, axis2=2)[:, None, None] / 3.0 * np.eye(3)
    return np.sqrt(1.5 * np.sum(deviator * deviator, axis=(1, 2)))

"""State of the material of a soft solid: stress, stretches, energy and volume of each tetrahedron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from signorini.geometry.tet_mesh import TetMesh
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
        return self.energy / np.maximum(self.rest_volume, 1e-300)


def solid_state(world: World, state: State, slot: BodySlot, tets: TetMesh) -> SolidState:
    """The state of the material of a soft solid with the mesh `tets`, from the forces of its own elements.

    Elements of four nodes are tetrahedra of the mesh. What an element of more nodes carries, which stands for several of them, is
    shared by them in proportion to their volumes.
    """
    corners = tets.tetrahedra
    sides = np.swapaxes(tets.vertices[corners[:, 1:]] - tets.vertices[corners[:, :1]], 1, 2)
    x = state.q[slot.nodes]
    F = tetrahedron_gradients(corners, np.linalg.inv(sides), x)
    virial, energy, volume = np.zeros((len(corners), 3, 3)), np.zeros(len(corners)), np.zeros(len(corners))
    for elements, internal in parts_of_body(world, state, slot.number):
        filled = getattr(elements, "volume", None)
        if filled is None or elements.nodes.shape[1] < 4:
            continue
        amounts = mean_stress(
            element_forces(elements, state.q, internal), state.q[elements.nodes], np.ones(len(elements))
        )
        energies = element_energies(elements, state.q, internal)
        rows, whose, share = _shares(elements.nodes - slot.first_node, corners, tets.volumes())
        np.add.at(virial, whose, amounts[rows] * share[:, None, None])
        np.add.at(energy, whose, energies[rows] * share)
        np.add.at(volume, whose, filled[rows] * share)
    ratio = np.linalg.det(F)
    present = np.where(np.abs(ratio) > FLATTEST, ratio, FLATTEST) * volume
    stress = np.zeros_like(virial)
    np.divide(virial, present[:, None, None], out=stress, where=(volume > 0.0)[:, None, None])
    return SolidState(corners.astype(np.int32), F, stress, energy, volume)


def _shares(
    nodes: NDArray[np.integer], tetrahedra: NDArray[np.integer], volumes: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Elements and tetrahedra that belong together, (m,) each, and which part of the element it is.

    A tetrahedron (t, 4) belongs to an element (e, k) if all its corners are nodes of it.
    """
    if np.array_equal(nodes, tetrahedra):
        return np.arange(len(nodes)), np.arange(len(nodes)), np.ones(len(nodes))
    count = int(max(nodes.max(), tetrahedra.max())) + 1
    of_element = _incidence(nodes, count)
    common = (of_element @ _incidence(tetrahedra, count).T).tocoo()
    inside = common.data == 4
    rows, whose = common.row[inside].astype(np.intp), common.col[inside].astype(np.intp)
    total = np.bincount(rows, weights=volumes[whose], minlength=len(nodes))
    return rows, whose, volumes[whose] / total[rows]


def _incidence(nodes: NDArray[np.integer], count: int) -> csr_matrix:
    """(e, count) 1 where an element (e, k) has a node; a node that is repeated counts once."""
    rows = np.repeat(np.arange(len(nodes)), nodes.shape[1])
    found = csr_matrix((np.ones(nodes.size, np.int32), (rows, nodes.ravel())), shape=(len(nodes), count))
    found.sum_duplicates()
    found.data[:] = 1
    return found


def von_mises(stress: Floats) -> Floats:
    """(e,) equivalent stress √(3/2 s:s) of von Mises of stresses (e, 3, 3) [Pa], s their deviators."""
    deviator = stress - np.trace(stress, axis1=1, axis2=2)[:, None, None] / 3.0 * np.eye(3)
    return np.sqrt(1.5 * np.sum(deviator * deviator, axis=(1, 2)))

"""State of the material of a cloth: stretches and tension of each triangle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements
from signorini.geometry.triangles import area_vectors, triangle_areas
from signorini.methods.moment import World
from signorini.model.model import BodySlot
from signorini.model.state import State
from signorini.simulation.material.element_stress import element_forces, mean_stress, parts_of_body
from signorini.simulation.strain import triangle_gradients

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class ClothState:
    """Stretches and tension of the t triangles of a cloth, in the order of its mesh. Bending is not part of it."""

    triangles: Ints
    """(t, 3)"""
    gradient: Floats
    """(t, 3, 2) deformation gradient, from a plane in which the triangle lies at rest."""
    tension: Floats
    """(t, 3, 3) force in the sheet per present length, without damping [N/m]; a tensor in the plane of the triangle."""
    normal: Floats
    """(t, 3) unit normals."""

    def __len__(self) -> int:
        return len(self.triangles)

    def __repr__(self) -> str:
        if not len(self):
            return "ClothState of no triangles"
        stretches, tension = self.principal_stretches, self.principal_tensions
        return (
            f"ClothState of {len(self)} triangles: stretches {stretches.min():.4g} to {stretches.max():.4g}, tension "
            f"{tension.min():.3g} to {tension.max():.3g} N/m"
        )

    @property
    def principal_stretches(self) -> Floats:
        """(t, 2) singular values of the gradient, the larger first."""
        return np.asarray(np.linalg.svd(self.gradient, compute_uv=False), dtype=np.float64)

    @property
    def strain(self) -> Floats:
        """(t, 2, 2) Green's strain ½ (FᵀF − I)."""
        return 0.5 * (np.einsum("tia,tib->tab", self.gradient, self.gradient) - np.eye(2))

    @property
    def principal_tensions(self) -> Floats:
        """(t, 2) eigenvalues of the tension, the larger first [N/m]; negative where the sheet is pressed together."""
        u = _some_tangent(self.normal)
        basis = np.stack([u, np.cross(self.normal, u)], axis=2)
        within = np.linalg.eigvalsh(np.einsum("tia,tij,tjb->tab", basis, self.tension, basis))
        return np.asarray(within[:, ::-1], dtype=np.float64)

    @property
    def area_ratio(self) -> Floats:
        """(t,) present area over that at rest."""
        return self.principal_stretches.prod(axis=1)


def cloth_state(world: World, state: State, slot: BodySlot) -> ClothState:
    """The state of the material of a cloth: elements of three nodes are its triangles, those of two are its springs.

    What a spring carries is shared by the triangles it lies in, or whose quad it crosses, in proportion to their areas. Elements
    of four nodes bend it, and are left out.
    """
    x, triangles = state.q[slot.nodes], slot.triangles
    areas = triangle_areas(x, triangles)
    virial = np.zeros((len(triangles), 3, 3))
    for elements, internal in parts_of_body(world, state, slot.number):
        if elements.nodes.shape[1] in (2, 3):
            forces = element_forces(elements, state.q, internal)
            amounts = mean_stress(forces, state.q[elements.nodes], np.ones(len(elements)))
            rows, whose, share = _shares(elements, slot)
            np.add.at(virial, whose, amounts[rows] * share[:, None, None])
    normals = area_vectors(x, triangles)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    tension = virial / np.maximum(areas, 1e-300)[:, None, None]
    return ClothState(triangles, triangle_gradients(slot.rest, x, triangles), tension, normals)


def _shares(elements: Elements, slot: BodySlot) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Elements and triangles that belong together, (m,) each, and which part of the element it is."""
    nodes, triangles = elements.nodes - slot.first_node, slot.triangles
    if nodes.shape[1] == 3:
        if np.array_equal(nodes, triangles):
            return np.arange(len(nodes)), np.arange(len(nodes)), np.ones(len(nodes))
        known = {tuple(sorted(corners)): t for t, corners in enumerate(triangles.tolist())}
        found = np.array([known.get(tuple(sorted(corners)), -1) for corners in nodes.tolist()], dtype=np.intp)
        rows = np.flatnonzero(found >= 0)
        return rows, found[rows], np.ones(len(rows))
    around = _triangles_of_pairs(triangles)
    rest = triangle_areas(slot.rest, triangles)
    rows, whose, share = [], [], []
    for row, (a, b) in enumerate(nodes.tolist()):
        near = around.get((min(a, b), max(a, b)), [])
        total = sum(rest[t] for t in near)
        rows += [row] * len(near)
        whose += near
        share += [rest[t] / total for t in near]
    return np.array(rows, dtype=np.intp), np.array(whose, dtype=np.intp), np.array(share, dtype=np.float64)


def _triangles_of_pairs(triangles: Ints) -> dict[tuple[int, int], list[int]]:
    """The triangles of each edge, and of each pair of vertices that lie opposite to one another across an edge."""
    of_edge: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for t, (a, b, c) in enumerate(triangles.tolist()):
        for start, end, opposite in ((a, b, c), (b, c, a), (c, a, b)):
            of_edge.setdefault((min(start, end), max(start, end)), []).append((t, opposite))
    found = {edge: [t for t, _ in sides] for edge, sides in of_edge.items()}
    for sides in of_edge.values():
        if len(sides) == 2:
            (left, a), (right, b) = sides
            found.setdefault((min(a, b), max(a, b)), [left, right])
    return found


def _some_tangent(normal: Floats) -> Floats:
    """(t, 3) unit vectors at right angles to unit vectors (t, 3)."""
    axis = np.eye(3)[np.abs(normal).argmin(axis=1)]
    across = np.cross(normal, axis)
    return across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)

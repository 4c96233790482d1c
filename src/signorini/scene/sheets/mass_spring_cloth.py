"""Elements of the mass-spring cloth of the papers: springs and hinges from a triangle mesh and a material.

Structural springs are the edges of the mesh, with the stiffness E·h (A1 + A2) / L² that makes a triangle mesh of springs
behave like an elastic sheet whatever its resolution (VanGelder1998). An edge that is the longest of both its triangles is
the diagonal of a quad: it and the quad's other diagonal are shear springs (Provot1995), of stiffness 2 G·h A / L².
Hinges about all inner edges carry bending.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements
from signorini.elements.hinge_friction import with_friction
from signorini.elements.hinges import Hinges, hinge_angles
from signorini.elements.springs import Springs
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import ClothMaterial

FLAT_COSINE = 0.966
"""Two triangles whose normals differ by less than 15° count as one flat quad."""


@dataclass(frozen=True, slots=True)
class InnerEdges:
    """Edges with two triangles, with what the elements need to know about them."""

    nodes: NDArray[np.int32]
    """(h, 4) edge and opposite vertices, ordered as `Hinges.nodes`."""
    area: NDArray[np.float64]
    """(h,) A1 + A2 [m²]."""
    triangles: NDArray[np.intp]
    """(h, 2) the triangles with the opposite vertices 2 and 3."""
    agree: NDArray[np.bool_]
    """(h,) whether both triangles are wound alike, as they are not in a Möbius strip."""

    def some(self, kept: NDArray[np.bool_]) -> InnerEdges:
        """Those that are `kept` (h,)."""
        return InnerEdges(self.nodes[kept], self.area[kept], self.triangles[kept], self.agree[kept])


def lumped_mass(mesh: TriangleMesh, area_density: float, name: str) -> NDArray[np.float64]:
    """Masses (n,) [kg] of the vertices of the cloth `name`: a third of each triangle's."""
    mass = np.zeros(len(mesh.vertices))
    np.add.at(mass, mesh.triangles.ravel(), np.repeat(mesh.areas * area_density / 3.0, 3))
    lonely = np.flatnonzero(mass == 0.0)
    if len(lonely):
        raise InputError(f"cloth {name!r}: vertex {lonely[0]} belongs to no triangle ({len(lonely)} such vertices)")
    return mass


def build_mass_spring(mesh: TriangleMesh, material: ClothMaterial, name: str) -> tuple[Elements, ...]:
    """The elements of the cloth `name` whose resting shape is the mesh: springs, hinges, their friction."""
    x = mesh.vertices
    edges, edge_area, inner = find_inner_edges(mesh, name)
    springs = _build_springs(x, edges, edge_area, inner, material)
    hinges = _build_hinges(x, inner, material)
    if material.bending_hysteresis == 0.0:
        return springs, hinges
    stiffness, length = hinges.angular_stiffness, edge_lengths(x, inner)
    return springs, with_friction(hinges, stiffness, material.bending_hysteresis, length)


def edge_lengths(x: NDArray[np.float64], inner: InnerEdges) -> NDArray[np.float64]:
    """(h,) [m]"""
    return np.linalg.norm(x[inner.nodes[:, 1]] - x[inner.nodes[:, 0]], axis=1)


def find_inner_edges(mesh: TriangleMesh, name: str) -> tuple[NDArray[np.int32], NDArray[np.float64], InnerEdges]:
    """All edges (e, 2), the area of the triangles at each, and the inner ones with their opposite vertices."""
    triangles, edges = mesh.triangles, mesh.edges.ends
    directed = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    opposite = triangles[:, [2, 0, 1]].ravel()
    owner = np.repeat(np.arange(len(triangles)), 3)
    inverse, count = mesh.edges.of_triangle.ravel(), mesh.edges.valence
    if (count > 2).any():
        bad = edges[np.argmax(count > 2)]
        raise InputError(
            f"cloth {name!r}: the edge {int(bad[0])}-{int(bad[1])} belongs to {count.max()} triangles; a cloth may have at "
            "most two at an edge"
        )
    edge_area = np.bincount(inverse, weights=mesh.areas[owner], minlength=len(edges)).astype(np.float64)
    order = np.argsort(inverse, kind="stable")
    first = np.cumsum(count) - count
    two = np.flatnonzero(count == 2)
    one, other = order[first[two]], order[first[two] + 1]
    # A hinge needs the direction of one triangle only: the other may be wound either way, as in a Möbius strip.
    nodes = np.column_stack([directed[one], opposite[one], opposite[other]]).astype(np.int32)
    agree = directed[one, 0] == directed[other, 1]
    return edges, edge_area, InnerEdges(nodes, edge_area[two], np.column_stack([owner[one], owner[other]]), agree)


def _build_springs(
    x: NDArray[np.float64],
    edges: NDArray[np.int32],
    edge_area: NDArray[np.float64],
    inner: InnerEdges,
    material: ClothMaterial,
) -> Springs:
    is_diagonal = _diagonals(x, inner)
    diagonal_keys = np.sort(inner.nodes[is_diagonal, :2], axis=1)
    n = np.int64(len(x))
    structural = ~np.isin(edges[:, 0] * n + edges[:, 1], diagonal_keys[:, 0] * n + diagonal_keys[:, 1])
    quad_area = inner.area[is_diagonal]
    cross = inner.nodes[is_diagonal, 2:]
    nodes = np.concatenate([edges[structural], diagonal_keys, cross]).astype(np.int32)
    length = np.linalg.norm(x[nodes[:, 1]] - x[nodes[:, 0]], axis=1)
    load = np.concatenate(
        [
            material.membrane_stiffness * edge_area[structural],
            2.0 * material.shear * quad_area,
            2.0 * material.shear * quad_area,
        ]
    )
    k = load / length**2
    return Springs(nodes, length, k, material.compression_ratio * k, material.damping_time * k)


def _diagonals(x: NDArray[np.float64], inner: InnerEdges) -> NDArray[np.bool_]:
    """Which inner edges are the diagonal of a flat quad: the longest edge of both their triangles."""
    e0, e1, p, r = (x[inner.nodes[:, c]] for c in range(4))
    longest_side = np.max(
        [np.linalg.norm(a - b, axis=1) for a, b in ((e0, p), (e1, p), (e0, r), (e1, r))], axis=0, initial=0.0
    )
    longest = np.linalg.norm(e1 - e0, axis=1) > 1.001 * longest_side
    n1, n2 = np.cross(e1 - e0, p - e0), np.cross(r - e0, e1 - e0)
    cosine = (n1 * n2).sum(axis=1) / (np.linalg.norm(n1, axis=1) * np.linalg.norm(n2, axis=1))
    return longest & (cosine > FLAT_COSINE)


def _build_hinges(x: NDArray[np.float64], inner: InnerEdges, material: ClothMaterial) -> Hinges:
    """Stiffness B L² / (A1 + A2), so that a grid rolled along its lines to radius R has the energy ½ B / R² per area."""
    k = material.bending_rigidity * edge_lengths(x, inner) ** 2 / inner.area
    return Hinges(inner.nodes, hinge_angles(inner.nodes, x), k, material.bending_damping_time * k)

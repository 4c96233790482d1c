"""Mass, centre and inertia of a closed triangle mesh, and the check that a mesh is closed.

The volume integrals of 1, x and x xᵀ are exact for a polyhedron: by the divergence theorem they are sums over the signed
tetrahedra between a fixed point and each triangle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from signorini.checks import check_positive
from signorini.errors import InputError
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.triangles import merged_corners, winding

FLAT = 1e-12
"""Volume over area times extent below which a part is flat: some thousand times the rounding of the sum."""


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass, centre of mass, inertia and volume of a filled mesh."""

    mass: float
    """[kg]"""
    centre: NDArray[np.float64]
    """(3,) centre of mass [m]."""
    inertia: NDArray[np.float64]
    """(3, 3) about the centre of mass, in the axes of the mesh [kg m²]."""
    volume: float
    """[m³]"""

    def __post_init__(self) -> None:
        self.centre.setflags(write=False)
        self.inertia.setflags(write=False)


def mass_properties(mesh: TriangleMesh, density: float, name: str = "mesh") -> MassProperties:
    """Mass, centre and inertia of the solid inside a closed mesh filled with `density` [kg/m³].

    `name` stands in the messages. Several closed parts count as one body; where parts overlap, they count twice.
    """
    rho = check_positive(f"density of {name}", density, unit="kg/m³")
    check_closed(mesh, name)
    reference = mesh.vertices[mesh.triangles].mean(axis=(0, 1))
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] - reference for k in range(3))
    volumes = np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0
    volume = float(volumes.sum())
    total = a + b + c
    offset = volumes @ total / (4.0 * volume)
    # ∫ x xᵀ over the tetrahedron (0, a, b, c) is V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) with s = a + b + c.
    second = np.zeros((3, 3))
    for p in (a, b, c, total):
        second += np.einsum("t,ti,tj->ij", volumes, p, p) / 20.0
    second -= volume * np.outer(offset, offset)
    inertia = rho * (np.trace(second) * np.eye(3) - second)
    return MassProperties(rho * volume, reference + offset, 0.5 * (inertia + inertia.T), volume)


def check_closed(mesh: TriangleMesh, name: str = "mesh") -> None:
    """Raise an `InputError` unless every part of the mesh is a closed surface with its triangles outward.

    Parts are what hangs together by vertices. A cavity is a part that is inside-out, and is refused as such.
    """
    if not isinstance(mesh, TriangleMesh):
        raise InputError(f"{name} must be a signorini.TriangleMesh, got {type(mesh).__name__}")
    edges, count = mesh.edges.ends, mesh.edges.valence
    crowded = np.flatnonzero(count > 2)
    if len(crowded):
        raise InputError(
            f"{name} must have two triangles at every edge, but {_edge(mesh, edges[crowded[0]])} has "
            f"{count[crowded[0]]} ({len(crowded)} such edges): take away inner walls and double triangles"
        )
    open_edges = np.flatnonzero(count == 1)
    if len(open_edges):
        raise InputError(
            f"{name} must be closed, but {len(open_edges)} of its {len(edges)} edges are open, the first is "
            f"{_edge(mesh, edges[open_edges[0]])}: {_remedy(mesh)}"
        )
    same = np.flatnonzero(mesh.edges.forward != 1)
    if len(same):
        if winding(mesh.triangles.astype(np.int64)).one_sided.any():
            raise InputError(
                f"{name} must have an inside, but its surface has only one side, as a Klein bottle: no winding of its triangles "
                "is consistent; use it as cloth or kinematic"
            )
        raise InputError(
            f"{name} must be wound consistently, but the two triangles at {len(same)} of its {len(edges)} edges run in "
            f"opposite directions, the first at {_edge(mesh, edges[same[0]])}: orient all triangles outward"
        )
    _check_outward(mesh, name)


def encloses_volume(mesh: TriangleMesh) -> bool:
    """Whether every part of the mesh is a closed surface with its triangles outward."""
    try:
        check_closed(mesh)
    except InputError:
        return False
    return True


def surface_parts(mesh: TriangleMesh) -> NDArray[np.int64]:
    """(t,) which part of the mesh each triangle belongs to: 0, 1, ... in the order of their first triangles."""
    t = mesh.triangles
    links = coo_array(
        (np.ones(2 * len(t), dtype=np.int8), (t[:, [0, 1]].ravel(), t[:, [1, 2]].ravel())),
        shape=(len(mesh.vertices),) * 2,
    )
    label = connected_components(links, directed=False)[1][t[:, 0]]
    _, first, part = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[part.ravel()]


def welded(mesh: TriangleMesh) -> TriangleMesh:
    """The mesh with vertices at exactly the same place made one; files such as STL repeat them for every triangle."""
    return TriangleMesh(*merged_corners(mesh.vertices, mesh.triangles))


def _check_outward(mesh: TriangleMesh, name: str) -> None:
    part = surface_parts(mesh)
    count = int(part.max()) + 1
    corners = mesh.vertices[mesh.triangles]
    size = np.bincount(part, minlength=count)
    centre = np.column_stack([np.bincount(part, weights=corners[:, :, k].mean(axis=1)) / size for k in range(3)])
    a, b, c = (corners - centre[part][:, None]).transpose(1, 0, 2)
    volume = np.bincount(part, weights=np.einsum("ti,ti->t", a, np.cross(b, c)) / 6.0)
    area = np.bincount(part, weights=mesh.areas)
    extent = float(np.ptp(mesh.vertices[mesh.triangles].reshape(-1, 3), axis=0).max())
    for k in range(count):
        which = name if count == 1 else f"part {k} of {name} (with triangle {int(np.argmax(part == k))})"
        if abs(volume[k]) <= FLAT * area[k] * extent:
            raise InputError(f"{which} must enclose a volume, got {volume[k]:.3g} m³: it is flat")
        if volume[k] < 0.0:
            raise InputError(
                f"{which} must have outward triangles, but it is inside-out (volume {volume[k]:.3g} m³): reverse its "
                "triangles, as in triangles[:, ::-1]; cavities are not supported"
            )


def _edge(mesh: TriangleMesh, edge: NDArray[np.integer]) -> str:
    i, j = int(edge[0]), int(edge[1])
    middle = ", ".join(f"{x:.4g}" for x in 0.5 * (mesh.vertices[i] + mesh.vertices[j]))
    return f"the edge {i}-{j} near ({middle})"


def _remedy(mesh: TriangleMesh) -> str:
    double = len(mesh.vertices) - len(np.unique(mesh.vertices, axis=0))
    if double:
        return f"{double} of its {len(mesh.vertices)} vertices repeat another, merge them"
    if winding(mesh.triangles.astype(np.int64)).one_sided.any():
        return "it has only one side, as a Möbius strip, and nothing is inside it: use it as cloth or kinematic"
    return "close the holes, or use it as cloth"

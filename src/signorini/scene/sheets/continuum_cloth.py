"""Elements of a cloth as a continuum: a membrane of triangles and a plate that bends, from a mesh and a material.

The numbers of the material are those of the sheet whatever its mesh (decision 0017): membrane stiffness in warp, weft and
shear, and the flexibility of the plate, which couples the angles of hinges about all inner edges.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from signorini.elements.element import Elements
from signorini.elements.hinge_friction import friction_alone
from signorini.elements.hinges import hinge_angles
from signorini.elements.membrane import Membrane
from signorini.elements.plate_bending import PlateBending
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.sheets.mass_spring_cloth import InnerEdges, edge_lengths, find_inner_edges

Floats = NDArray[np.float64]
NO_SHEAR = 1e-6
"""Least G·h over E·h: a fabric without any resistance to shear has no unique shape."""


def build_continuum(
    mesh: TriangleMesh, material: ClothMaterial, warp: Floats, clamped: NDArray[np.bool_], name: str
) -> tuple[Elements, ...]:
    """The elements of the cloth `name` whose resting shape is the mesh; warp (t, 3) are unit vectors in its triangles.

    Triangles that are `clamped` (t,) cannot bend: pins hold all their vertices for ever.
    """
    flat = _flattened(mesh, warp)
    membrane = build_membrane(mesh, flat, material)
    if material.bending_rigidity == 0.0:
        find_inner_edges(mesh, name)  # a mesh that is no sheet is refused
        return (membrane,)
    _, _, inner = find_inner_edges(mesh, name)
    inner = inner.some(np.asarray(~clamped[inner.triangles].all(axis=1)))
    length = edge_lengths(mesh.vertices, inner)
    bending = build_bending(mesh, flat, inner, length, material, clamped)
    if material.bending_hysteresis == 0.0:
        return membrane, bending
    stiffness = math.sqrt(material.bending_rigidity * material.weft_bending) * length**2 / inner.area
    return membrane, bending, friction_alone(inner.nodes, stiffness, material.bending_hysteresis, length)


def _flattened(mesh: TriangleMesh, warp: Floats) -> Floats:
    """(t, 3, 2) the corners of each triangle in the directions warp and weft, from the first corner on [m]."""
    corners = mesh.vertices[mesh.triangles]
    sides = corners - corners[:, :1]
    normal = np.cross(sides[:, 1], sides[:, 2])
    weft = np.cross(normal / np.linalg.norm(normal, axis=1, keepdims=True), warp)
    return np.stack([np.einsum("tai,ti->ta", sides, warp), np.einsum("tai,ti->ta", sides, weft)], axis=2)


def build_membrane(mesh: TriangleMesh, flat: Floats, material: ClothMaterial) -> Membrane:
    """Triangles whose corners at rest are `flat` (t, 3, 2) in the directions warp and weft [m]."""
    t = len(flat)
    warp, weft, nu = material.membrane_stiffness, material.weft, material.poisson_ratio
    shear = max(material.shear, NO_SHEAR * min(warp, weft))
    compliance = np.array([1.0 / warp, 1.0 / weft, -nu / warp, 1.0 / shear])
    determinant = compliance[0] * compliance[1] - compliance[2] ** 2
    stretching = np.array([compliance[1], compliance[0], -compliance[2], shear * determinant]) / determinant
    limit = math.inf if material.strain_limit is None else material.strain_limit * (1.0 + 0.5 * material.strain_limit)
    locked = (material.locked_ratio - 1.0) * np.array([warp, weft])
    return Membrane(
        nodes=np.array(mesh.triangles, dtype=np.int32),
        gradients=np.linalg.inv(flat[:, 1:].transpose(0, 2, 1)).astype(np.float64),
        area=mesh.areas,
        stretching=np.tile(stretching, (t, 1)),
        compliance=np.tile(compliance, (t, 1)),
        compression_ratio=np.full(t, material.compression_ratio),
        strain_limit=np.full(t, limit),
        locked_stiffness=np.tile(locked, (t, 1)),
        damping_time=np.full(t, material.damping_time),
    )


def build_bending(
    mesh: TriangleMesh, flat: Floats, inner: InnerEdges, length: Floats, material: ClothMaterial,
    clamped: NDArray[np.bool_],
) -> PlateBending:  # fmt: skip
    """Hinges about the inner edges, of given lengths (h,) [m], with the flexibility of the triangles beside them."""
    # hinge_of[t, k]: the hinge about the side opposite of corner k, -1 at a border; turned[t, k]: -1 if it counts the other way.
    t, h = len(flat), len(length)
    hinge_of, turned = np.full((t, 3), -1), np.ones((t, 3))
    for side, opposite in ((0, 2), (1, 3)):
        owner = inner.triangles[:, side]
        corner = (mesh.triangles[owner] == inner.nodes[:, opposite, None]).argmax(axis=1)
        hinge_of[owner, corner] = np.arange(h)
        turned[owner, corner] = 1.0 if side == 0 else np.where(inner.agree, 1.0, -1.0)
    local = _triangle_flexibility(flat, mesh.areas, material) * turned[:, :, None] * turned[:, None, :]
    # The part of the diagonal that is below the triangle's matrix: sums over both triangles stay below the whole.
    scale = 1.0 / np.sqrt(np.einsum("tkk->tk", local))
    least = np.linalg.eigvalsh(local * scale[:, :, None] * scale[:, None, :])[:, 0]
    local[clamped] = 0.0
    diagonal, below = np.zeros(h), np.zeros(h)
    coupling, offset = np.zeros((h, 4)), np.zeros((h, 4), dtype=np.int32)
    for side, opposite in ((0, 2), (1, 3)):
        owner = inner.triangles[:, side]
        corner = (mesh.triangles[owner] == inner.nodes[:, opposite, None]).argmax(axis=1)
        diagonal += local[owner, corner, corner]
        below += least[owner] * local[owner, corner, corner]
        for k in (1, 2):
            other = (corner + k) % 3
            neighbour = hinge_of[owner, other]
            place = 2 * side + k - 1
            coupling[:, place] = np.where(neighbour >= 0, local[owner, corner, other], 0.0)
            offset[:, place] = np.where(neighbour >= 0, neighbour - np.arange(h), 0)
    crease = math.inf
    if material.crease_curvature is not None:
        crease = material.crease_curvature * math.sqrt(material.bending_rigidity * material.weft_bending)
    return PlateBending(
        nodes=inner.nodes,
        rest_angle=hinge_angles(inner.nodes, mesh.vertices),
        flexibility=diagonal,
        coupling=coupling,
        offset=offset,
        bound=1.0 / below,
        damping_time=np.full(h, material.bending_damping_time),
        crease_moment=crease * length,
        creases=material.crease_curvature is not None,
    )


def _triangle_flexibility(flat: Floats, area: Floats, material: ClothMaterial) -> Floats:
    """(t, 3, 3) angles of the sides of each triangle by moments about them [1/(N m)]; side k is opposite of corner k.

    The moment tensor is constant in a triangle, σ = Σ m_k S_k, where S_k is the tensor whose moment is 1 about side k and 0 about
    the two others: the symmetric product of their directions. Its energy ½ A σ:C:σ gives the angles.
    """
    side = flat[:, [2, 0, 1]] - flat[:, [1, 2, 0]]
    length = np.linalg.norm(side, axis=2)
    tangent = side / length[:, :, None]
    normal = np.stack([tangent[:, :, 1], -tangent[:, :, 0]], axis=2)
    S = np.empty((len(flat), 3, 3))
    for k in range(3):
        u, w = tangent[:, (k + 1) % 3], tangent[:, (k + 2) % 3]
        size = (normal[:, k] * u).sum(axis=1) * (normal[:, k] * w).sum(axis=1) * length[:, k]
        voigt = np.stack([u[:, 0] * w[:, 0], u[:, 1] * w[:, 1], 0.5 * (u[:, 0] * w[:, 1] + u[:, 1] * w[:, 0])], axis=1)
        S[:, k] = voigt / size[:, None]
    warp, weft, nu = material.bending_rigidity, material.weft_bending, material.poisson_ratio
    # curvatures (κ11, κ22, 2 κ12) by moments (m11, m22, m12)
    C = np.array([[1.0 / warp, -nu / warp, 0.0], [-nu / warp, 1.0 / weft, 0.0], [0.0, 0.0, 2.0 / material.twisting]])
    return area[:, None, None] * np.einsum("tka,ab,tlb->tkl", S, C, S)

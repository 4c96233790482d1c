"""From a tetrahedral mesh and a material to masses, drag and finite elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signorini.elements.tetrahedra import Tetrahedra
from signorini.geometry.tet_mesh import TetMesh
from signorini.scene.solid_material import SolidMaterial
from signorini.settings import check_positive


@dataclass(frozen=True, slots=True)
class SolidElements:
    """What a soft solid contributes to the dynamics; nodes count from 0 within the solid."""

    mass: NDArray[np.float64]
    """(n,) lumped [kg]: a quarter of every tetrahedron to each of its nodes."""
    drag: NDArray[np.float64]
    """(n,) α of the damping matrix C = α M [1/s]."""
    tetrahedra: Tetrahedra


def build_solid_elements(mesh: TetMesh, material: SolidMaterial, density: float, name: str) -> SolidElements:
    """The elements of a solid whose resting shape is the mesh; `density` [kg/m³] overrides that of the material."""
    rho = check_positive(f"density of solid {name!r}", density, unit="kg/m³")
    nodes, count = mesh.tetrahedra, len(mesh.tetrahedra)
    volume = mesh.volumes()
    mass = np.zeros(len(mesh.vertices))
    np.add.at(mass, nodes.ravel(), np.repeat(0.25 * rho * volume, 4))
    corners = mesh.vertices[nodes]
    rest = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    tetrahedra = Tetrahedra(
        nodes,
        np.ascontiguousarray(np.linalg.inv(rest), dtype=np.float64),
        volume,
        np.full(count, material.lame_mu),
        np.full(count, material.lame_lambda),
        np.full(count, float(material.stiffness_damping)),
        np.full(count, material.model == "neo-hookean", dtype=np.uint8),
    )
    return SolidElements(mass, np.full(len(mesh.vertices), float(material.mass_damping)), tetrahedra)

"""Strips of cloth for experiments: clamped along a line of the mesh at one end, on any of the seven meshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.scene.cloth import Cloth
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.scene import Scene
from signorini.studies.validation.cases.sheets.meshes import seven_meshes

Floats = NDArray[np.float64]
MESHES = (
    "aligned",
    "uniform diagonals",
    "turned by 45°",
    "turned by 20°",
    "random",
    "staggered 0.99",
    "staggered 1.01",
)
FEW_MESHES = ("aligned", "random")
"""For a quick run."""
ROUNDING = 1e-9
"""Lengths below it are none [m]."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A strip along x from 0 to `length`, y from 0 to its width, with one more row of triangles behind the clamp at x = 0."""

    mesh: TriangleMesh
    length: float

    @property
    def clamp(self) -> NDArray[np.intp]:
        """The vertices that a clamp holds: the line x = 0 and the row behind it, so that the slope is held too."""
        return np.flatnonzero(self.mesh.vertices[:, 0] < ROUNDING)

    @property
    def tip(self) -> NDArray[np.intp]:
        """The vertices at the free end."""
        return np.flatnonzero(self.mesh.vertices[:, 0] > self.length - ROUNDING)


def clamped_strip(name: str, length: float, width: float, edges: int) -> Strip:
    """A strip on one of the seven meshes, `edges` edges long, and one more that the clamp holds."""
    mesh = seven_meshes(length, width, length / edges)[name]
    line = np.flatnonzero(mesh.vertices[:, 0] < ROUNDING)
    line = line[np.argsort(mesh.vertices[line, 1])]
    behind = mesh.vertices[line] - [length / edges, 0.0, 0.0]
    new = len(mesh.vertices) + np.arange(len(line))
    lower = np.column_stack([new[:-1], line[:-1], line[1:]])
    upper = np.column_stack([new[:-1], line[1:], new[1:]])
    triangles = np.concatenate([mesh.triangles, lower, upper]).astype(np.int32)
    return Strip(TriangleMesh(np.concatenate([mesh.vertices, behind]), triangles), length)


def plate_material(
    bending_rigidity: float, *, stretching: float, poisson_ratio: float = 0.0, bending_damping_time: float = 0.02
) -> ClothMaterial:
    """An isotropic elastic sheet that carries compression as well as tension."""
    return ClothMaterial(
        membrane_stiffness=stretching,
        poisson_ratio=poisson_ratio,
        bending_rigidity=bending_rigidity,
        compression_ratio=1.0,
        damping_time=1e-3,
        bending_damping_time=bending_damping_time,
    )


def add_strip(scene: Scene, strip: Strip, axes: tuple[int, int], material: ClothMaterial, **options: Any) -> Cloth:
    """Add the strip with its length along the first axis and its width along the second one (0, 1, 2: x, y, z)."""
    along, across = axes
    vertices = np.zeros_like(strip.mesh.vertices)
    vertices[:, along], vertices[:, across] = strip.mesh.vertices[:, 0], strip.mesh.vertices[:, 1]
    warp = [0.0, 0.0, 0.0]
    warp[along] = 1.0
    return scene.add_cloth(
        TriangleMesh(vertices, strip.mesh.triangles), material=material, warp=tuple(warp), name="strip", **options
    )

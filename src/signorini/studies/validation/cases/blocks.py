"""Blocks of every kind of body, for cases that ask the same of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from signorini.geometry import shapes
from signorini.geometry.lattice import lattice
from signorini.geometry.tet_shapes import box_tets
from signorini.scene.scene import Scene

BLOCK_KINDS = ("rigid", "corotational", "neo-hookean", "embedded")
"""A rigid body, soft solids of two laws, and a surface embedded in coarser tetrahedra."""
KINDS = (*BLOCK_KINDS, "cloth", "rod")
"""All kinds of bodies that move by themselves."""
SOFT: dict[str, Any] = {"young": 1e6, "poisson": 0.3, "stiffness_damping": 0.01, "mass_damping": 0.0}
"""Of the soft blocks: as stiff as rubber, without friction with air."""
AREA_DENSITY, LINEAR_DENSITY = 0.2, 0.05
"""Of the sheet [kg/m²] and of the rod [kg/m]."""


def add_block(
    scene: Scene,
    kind: str,
    size: tuple[float, float, float],
    *,
    density: float = 1000.0,
    cells: tuple[int, int, int] = (3, 3, 1),
    **where: Any,
) -> float:
    """Add a box of this kind, or of its width and depth a sheet, or of its width a rod; its mass [kg]."""
    if kind == "rigid":
        scene.add_rigid(shapes.box(*size), density=density, **where)
    elif kind == "embedded":
        surface = shapes.box(*size, cells=(4, 4, 1))
        scene.add_soft_solid(lattice(surface, cell=0.35 * max(size)), surface=surface, density=density, **SOFT, **where)
    elif kind == "cloth":
        scene.add_cloth(shapes.grid(size[0], size[1], cells=6), area_density=AREA_DENSITY, **where)
        return AREA_DENSITY * size[0] * size[1]
    elif kind == "rod":
        points = np.linspace((-0.5 * size[0], 0.0, 0.0), (0.5 * size[0], 0.0, 0.0), 9)
        rod: dict[str, Any] = {"linear_density": LINEAR_DENSITY, "stretching_stiffness": 1e4, "bending_rigidity": 1e-3}
        scene.add_rod(points, **rod, **where)
        return LINEAR_DENSITY * size[0]
    else:
        scene.add_soft_solid(box_tets(*size, cells=cells), density=density, model=kind, **SOFT, **where)
    return density * size[0] * size[1] * size[2]


def thickness_of(kind: str, size: tuple[float, float, float]) -> float:
    """Height of a block of this kind [m]; sheets and rods have none."""
    return 0.0 if kind in ("cloth", "rod") else size[2]

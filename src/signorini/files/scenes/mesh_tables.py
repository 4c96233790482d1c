"""The shapes that a scene file can name for its meshes, and the table of a mesh file."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field

from signorini.files.scenes.scene_table import Table
from signorini.geometry import shapes
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh

SURFACES: dict[str, Callable[..., TriangleMesh]] = {
    "grid": shapes.grid,
    "box": shapes.box,
    "sphere": shapes.sphere,
    "cylinder": shapes.cylinder,
    "capsule": shapes.capsule,
    "torus": shapes.torus,
    "text": shapes.text,
}
VOLUMES: dict[str, Callable[..., TetMesh]] = {
    "box_tets": shapes.box_tets,
    "sphere_tets": shapes.sphere_tets,
    "cylinder_tets": shapes.cylinder_tets,
    "lattice": shapes.lattice,
}


class MeshFileTable(Table):
    """A mesh from a file."""

    file: str = Field(description="Path of the file, relative to the scene file.")
    scale: float = Field(default=1.0, description="Factor of all coordinates: 0.001 for a file in millimetres.")

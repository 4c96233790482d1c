"""The shapes that a scene file can name for its meshes, and the table of a mesh file."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import Field

from signorini.files.meshes.surface_meshes import load_mesh
from signorini.files.scenes.scene_table import Table
from signorini.files.scenes.table_builder import call_table, table_from
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

_FILE = (str, Field(description="Path of the file, relative to the scene file."))
_LOADER = call_table("Loader", load_mesh, left_out=("path",))
MeshFileTable: type[Table] = table_from(
    "MeshFileTable",
    load_mesh,
    {"file": _FILE, **{key: (field.annotation, field) for key, field in _LOADER.model_fields.items()}},
    text="A mesh from a file.",
)
"""The table of a mesh file: the file, and the options of `load_mesh` and `load_tets`."""

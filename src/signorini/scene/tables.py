"""Reading and writing of bodies as tables of a scene file: what a kind of body may ask of the file's side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from signorini.errors import InputError
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh
from signorini.geometry.vertex_groups import group_arrays
from signorini.model.contribution import Motion

Table = dict[str, Any]
Start = dict[str, NDArray[np.float64]]
"""Arrays `positions` and `velocities` of a body that was saved in the middle of its motion; a shape has none."""


class TableWriter(Protocol):
    """Writer of the arrays and motions of a body."""

    def save_arrays(self, name: str, arrays: Mapping[str, Any]) -> Table:
        """Write arrays to a file beside the scene and return the table that names it."""
        ...

    def motion(self, motion: Motion | None, name: str) -> Table | None:
        """The table of a scripted motion."""
        ...

    def python_code(self, what: str, name: str) -> None:
        """Note that a part of the scene is Python code, which no file can hold: the file cannot be read again."""
        ...


class TableReader(Protocol):
    """Reader of the meshes, materials and motions of a body."""

    def surface(self, table: Table, key: str) -> tuple[TriangleMesh, Start]:
        """The mesh of `{shape = ...}` or `{file = ...}` under a key, and what the file says of the start."""
        ...

    def volume(self, table: Table, surface: TriangleMesh | None, key: str) -> tuple[TetMesh, Start]:
        """The same for tetrahedra; a lattice is made around `surface`."""
        ...

    def material(self, given: str | Table, kind: type) -> Any:
        """The name of a preset as it is, or a material of the class `kind` from a table."""
        ...

    def motion(self, table: Any) -> Motion | None:
        """A scripted motion from its table."""
        ...


def check_rows(start: Start, count: int, what: str = "vertex") -> None:
    """Refuse arrays of a start that do not have one row per vertex, or per `what` else."""
    many = "vertices" if what == "vertex" else f"{what}s"
    for name, points in start.items():
        if len(points) != count:
            raise InputError(f"{name} must have one row per {what}, got {len(points)} for {count} {many}")


def is_unplaced(values: Mapping[str, Sequence[float]]) -> bool:
    """Whether a table leaves a body where its file has it."""
    return not any(values["position"]) and not any(values["rotation"])


def mesh_arrays(mesh: TriangleMesh) -> dict[str, NDArray[Any]]:
    """A triangle mesh as arrays of a file."""
    faces = {} if mesh.faces is None else mesh.faces.to_arrays()
    return {"vertices": mesh.vertices, "triangles": mesh.triangles, **faces, **group_arrays(mesh.groups)}

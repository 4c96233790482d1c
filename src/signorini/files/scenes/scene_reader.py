"""Bodies of a scene from the tables of its file: meshes, materials, pins, attachments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from signorini.errors import InputError, short
from signorini.files.meshes.surface_meshes import load_mesh, read_arrays
from signorini.files.meshes.units import conversion
from signorini.files.meshes.volume_meshes import load_tets
from signorini.files.scenes.mesh_tables import SURFACES, VOLUMES, MeshFileTable
from signorini.files.scenes.motion_reader import read_motion
from signorini.files.scenes.scene_table import Table, checked, key_path, unknown_key
from signorini.files.scenes.table_builder import dataclass_table
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh, as_points
from signorini.model.contribution import Motion
from signorini.scene.body import Body
from signorini.scene.scene import Scene
from signorini.scene.tables import Start

Place = tuple[str | int, ...]


class SceneReader:
    """Builds bodies from tables; remembers where in the file it is, for errors."""

    def __init__(self, file: Path):
        self.file = file
        self._path: tuple[str | int, ...] = ()

    def at(self, *path: str | int) -> SceneReader:
        self._path = path
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, InputError) and not str(error).startswith(f"{self.file}: "):
            raise InputError(f"{self.file}: {key_path(self._path)}: {error}") from None

    def add(self, scene: Scene, kind: type[Body], table: Table) -> None:
        """Make the call that a table stands for."""
        values = {name: _plain(getattr(table, name)) for name in type(table).model_fields}
        kind.from_table(scene, values, self)

    def attach(self, scene: Scene, table: Any) -> None:
        """Make the call `Scene.attach` that a table stands for."""
        scene.attach(table.body, table.vertices, to=table.to)

    def motion(self, table: Any) -> Motion | None:
        """A scripted motion from its table."""
        return read_motion(table, self.file.parent)

    def material(self, given: str | dict[str, Any], kind: type) -> Any:
        """The name of a preset as it is, or a material of the class `kind` from a table."""
        if isinstance(given, str):
            return given
        table = dataclass_table(kind)
        return kind(**checked(table, given, where=str(self.file), path=(*self._path, "material")).model_dump())

    def surface(self, table: dict[str, Any], key: str) -> tuple[TriangleMesh, Start]:
        """The mesh of `{shape = ..}` or `{file = ..}`, and what the file says of the start."""
        return self._surface(table, (*self._path, key))

    def volume(self, table: dict[str, Any], surface: TriangleMesh | None, key: str) -> tuple[TetMesh, Start]:
        """The same for tetrahedra; a lattice is made around the surface of the same solid."""
        return self._volume(table, surface, (*self._path, key))

    def _surface(self, table: dict[str, Any], path: Place) -> tuple[TriangleMesh, Start]:
        """The mesh of `{shape = ..}` or `{file = ..}`, and what the file says of the start."""
        source = self._file(table, SURFACES, path)
        if source is None:
            return self._shape(table, SURFACES, path), {}
        return load_mesh(source, **_options(table)), _start(source, table)

    def _volume(self, table: dict[str, Any], surface: TriangleMesh | None, path: Place) -> tuple[TetMesh, Start]:
        """The same for tetrahedra; a lattice is made around the surface of the same solid."""
        source = self._file(table, VOLUMES, path)
        if source is not None:
            return load_tets(source, **_options(table)), _start(source, table)
        if table["shape"] == "lattice" and "surface" not in table:
            if surface is None:
                raise InputError(f"{self.file}: {key_path(path)}: a lattice needs the key 'surface' beside 'tets'")
            return self._shape({**table, "surface": surface}, VOLUMES, path), {}
        return self._shape(table, VOLUMES, path), {}

    def _file(self, table: dict[str, Any], known: Mapping[str, Any], path: Place) -> Path | None:
        """The file that a table names, or None if it names a shape."""
        at = f"{self.file}: {key_path(path)}"
        if ("shape" in table) == ("file" in table):
            raise InputError(f"{at}: needs either 'shape' (one of {', '.join(known)}) or 'file'")
        if "shape" in table:
            return None
        for key in table:
            if key not in MeshFileTable.model_fields:
                raise InputError(f"{at}: {unknown_key(key, MeshFileTable.model_fields)}")
        if not isinstance(table["file"], str):
            raise InputError(f"{at}.file = {short(table['file'])}: expected a path")
        return self.file.parent / table["file"]

    def _shape(self, table: dict[str, Any], known: Mapping[str, Callable[..., Any]], path: Place) -> Any:
        at, name = f"{self.file}: {key_path(path)}", table["shape"]
        if not isinstance(name, str) or name not in known:
            given = name if isinstance(name, str) else short(name)
            raise InputError(f"{at}.shape: {unknown_key(given, known).replace('key', 'shape', 1)}")
        parameters = inspect.signature(known[name]).parameters
        given = {key: value for key, value in table.items() if key != "shape"}
        for key in given:
            if key not in parameters:
                raise InputError(f"{at}: {unknown_key(key, parameters)}")
        for key, parameter in parameters.items():
            if parameter.default is parameter.empty and key not in given:
                raise InputError(f"{at}: a {name} needs the key {key!r}")
        try:
            return known[name](**given)
        except InputError as error:
            raise InputError(f"{at}: {error}") from None


_OPTIONS: dict[str, Any] = {"up": None, "scale": 1.0, "unit": None}


def _options(table: dict[str, Any]) -> dict[str, Any]:
    """The options of a loader that a table gives."""
    return {key: value for key, value in table.items() if key != "file"}


def _start(source: Path, table: dict[str, Any]) -> Start:
    """Start of a body in an npz file."""
    if source.suffix.lower() != ".npz" or not conversion("a mesh", **_OPTIONS | _options(table)).is_none:
        return {}
    arrays = read_arrays(source)
    return {name: as_points(name, arrays[name]) for name in ("positions", "velocities", "warp") if name in arrays}


def _plain(value: Any) -> Any:
    """A list of tables as plain dictionaries; tables of motions stay as they are, for `read_motion`."""
    if isinstance(value, list) and value and isinstance(value[0], Table):
        return [{name: getattr(entry, name) for name in type(entry).model_fields} for entry in value]
    return value

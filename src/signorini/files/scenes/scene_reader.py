"""Bodies of a scene from the tables of its file: meshes, materials, pins, attachments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from signorini.errors import InputError
from signorini.files.meshes.surface_meshes import load_mesh, read_arrays
from signorini.files.meshes.volume_meshes import load_tets
from signorini.files.scenes.motion_reader import read_motion
from signorini.files.scenes.scene_schema import (
    AttachmentTable,
    ClothTable,
    GroundTable,
    KinematicTable,
    MaterialTable,
    PinTable,
    RigidTable,
    SoftSolidTable,
    SolidMaterialTable,
    Table,
    checked,
    key_path,
    unknown_key,
)
from signorini.geometry import shapes, tet_shapes, text_shapes
from signorini.geometry.lattice import lattice
from signorini.geometry.tet_mesh import TetMesh
from signorini.geometry.triangle_mesh import TriangleMesh, as_points
from signorini.scene.cloth_material import ClothMaterial
from signorini.scene.scene import Cloth, Scene, SoftSolid
from signorini.scene.solid_material import SolidMaterial

SURFACES: dict[str, Callable[..., TriangleMesh]] = {
    "grid": shapes.grid,
    "box": shapes.box,
    "sphere": shapes.sphere,
    "cylinder": shapes.cylinder,
    "capsule": shapes.capsule,
    "torus": shapes.torus,
    "text": text_shapes.text,
}
VOLUMES: dict[str, Callable[..., TetMesh]] = {
    "box_tets": tet_shapes.box_tets,
    "sphere_tets": tet_shapes.sphere_tets,
    "cylinder_tets": tet_shapes.cylinder_tets,
    "lattice": lattice,
}
Place = tuple[str | int, ...]
Start = dict[str, Any]


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

    def add(self, scene: Scene, kind: str, index: int, table: Any) -> None:
        """Make the call that a table stands for."""
        path = (kind, index)
        match table:
            case ClothTable():
                self._add_cloth(scene, table, path)
            case SoftSolidTable():
                self._add_soft_solid(scene, table, path)
            case RigidTable():
                mesh, _ = self._surface(table.mesh, (*path, "mesh"))
                scene.add_rigid(mesh, **table.model_dump(exclude={"mesh"}))
            case KinematicTable():
                self._add_kinematic(scene, table, path)
            case GroundTable():
                scene.add_ground(**table.model_dump())
            case AttachmentTable():
                scene.attach(table.body, np.array(table.vertices, dtype=np.int64), to=table.to)

    def _add_kinematic(self, scene: Scene, table: KinematicTable, path: Place) -> None:
        mesh, start = self._surface(table.mesh, (*path, "mesh"))
        common = table.model_dump(include={"name", "position", "rotation", "friction"})
        motion = read_motion(table.motion, self.file.parent)
        if "positions" not in start:
            scene.add_kinematic(mesh, motion=motion, **common)
            return
        _check_rows(start, len(mesh.vertices))
        body = scene.add_kinematic(TriangleMesh(start["positions"], mesh.triangles), motion=motion, **common)
        body.mesh = mesh
        if not any(table.position) and not any(table.rotation):
            body.positions = start["positions"]

    def _add_cloth(self, scene: Scene, table: ClothTable, path: Place) -> None:
        mesh, start = self._surface(table.mesh, (*path, "mesh"))
        _check_rows(start, len(mesh.vertices))
        material = self._material(table.material, MaterialTable, ClothMaterial, path)
        common = table.model_dump(include={"name", "area_density", "position", "rotation", "velocity", "friction"})
        cloth = scene.add_cloth(mesh, material=material, initial_vertices=start.get("positions"), **common)
        if "positions" in start and not any(table.position) and not any(table.rotation):
            cloth.positions = start["positions"]
        if "velocities" in start:
            cloth.velocities = start["velocities"] + cloth.velocities
        self._pin(cloth, table.pins)

    def _add_soft_solid(self, scene: Scene, table: SoftSolidTable, path: Place) -> None:
        surface = None if table.surface is None else self._surface(table.surface, (*path, "surface"))[0]
        tets, start = self._volume(table.tets, surface, (*path, "tets"))
        _check_rows(start, len(tets.vertices))
        material = self._material(table.material, SolidMaterialTable, SolidMaterial, path)
        common = table.model_dump(exclude={"tets", "surface", "material", "pins"})
        first = start.get("positions")
        solid = scene.add_soft_solid(tets, surface=surface, material=material, initial_vertices=first, **common)
        if "positions" in start and not any(table.position) and not any(table.rotation):
            solid.node_positions = start["positions"]
        if "velocities" in start:
            solid.node_velocities = start["velocities"] + solid.node_velocities
        self._pin(solid, table.pins)

    def _pin(self, body: Cloth | SoftSolid, pins: list[PinTable]) -> None:
        for pin in pins:
            vertices = np.array(pin.vertices, dtype=np.int64)
            body.pin(vertices, motion=read_motion(pin.motion, self.file.parent), release_time=pin.release_time)

    def _material(self, given: str | dict[str, Any], table: type[Table], kind: type, path: Place) -> Any:
        if isinstance(given, str):
            return given
        return kind(**checked(table, given, where=str(self.file), path=(*path, "material")).model_dump())

    def _surface(self, table: dict[str, Any], path: Place) -> tuple[TriangleMesh, Start]:
        """The mesh of `{shape = ..}` or `{file = ..}`, and what the file says of the start."""
        source = self._file(table, SURFACES, path)
        if source is None:
            return self._shape(table, SURFACES, path), {}
        return load_mesh(source, scale=table.get("scale", 1.0)), _start(source, table)

    def _volume(self, table: dict[str, Any], surface: TriangleMesh | None, path: Place) -> tuple[TetMesh, Start]:
        """The same for tetrahedra; a lattice is made around the surface of the same solid."""
        source = self._file(table, VOLUMES, path)
        if source is not None:
            return load_tets(source, scale=table.get("scale", 1.0)), _start(source, table)
        if table["shape"] == "lattice":
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
            if key not in ("file", "scale"):
                raise InputError(f"{at}: {unknown_key(key, ('file', 'scale'))}")
        if not isinstance(table["file"], str):
            raise InputError(f"{at}.file = {table['file']!r}: expected a path")
        return self.file.parent / table["file"]

    def _shape(self, table: dict[str, Any], known: Mapping[str, Callable[..., Any]], path: Place) -> Any:
        at, name = f"{self.file}: {key_path(path)}", table["shape"]
        if name not in known:
            raise InputError(f"{at}.shape: {unknown_key(str(name), known).replace('key', 'shape', 1)}")
        parameters = inspect.signature(known[name]).parameters
        given = {key: value for key, value in table.items() if key != "shape"}
        for key in given:
            if key not in parameters:
                raise InputError(f"{at}: {unknown_key(key, parameters)}")
        for key, parameter in parameters.items():
            if parameter.default is parameter.empty and key not in given:
                raise InputError(f"{at}: a {name} needs the key {key!r}")
        return known[name](**given)


def _start(source: Path, table: dict[str, Any]) -> Start:
    """What an npz file says of the start of a body."""
    if source.suffix.lower() != ".npz" or table.get("scale", 1.0) != 1.0:
        return {}
    arrays = read_arrays(source)
    return {name: as_points(name, arrays[name]) for name in ("positions", "velocities") if name in arrays}


def _check_rows(start: Start, count: int) -> None:
    for name, points in start.items():
        if len(points) != count:
            raise InputError(f"{name} must have one row per vertex, got {len(points)} for {count} vertices")

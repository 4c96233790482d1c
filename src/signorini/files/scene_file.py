"""Scenes as TOML files: `load_scene` and `save_scene`, one to one with the calls of the Python interface.

A saved scene is complete: its meshes, starting positions and velocities are npz files beside it, and running it again
gives bit-identical results. Only a motion that is a Python function cannot be saved; the file then says so.
"""

from __future__ import annotations

import inspect
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from signorini import motions, shapes
from signorini.bodies.materials import ClothMaterial
from signorini.errors import InputError
from signorini.files.meshes import load_mesh, read_arrays
from signorini.files.scene_schema import (
    ClothTable,
    Document,
    GroundTable,
    KinematicTable,
    MaterialTable,
    checked,
    key_path,
    unknown_key,
)
from signorini.files.scene_writer import save_scene
from signorini.mesh import TriangleMesh, as_points
from signorini.scene import Scene
from signorini.settings import Settings, SolverSettings

__all__ = ["SceneFile", "load_scene", "save_scene"]

SHAPES = ("grid", "box", "sphere", "cylinder", "capsule", "torus")
_START_ARRAYS = ("positions", "velocities")


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneFile:
    """A loaded scene file: the scene and how to run it."""

    scene: Scene
    dt: float = 4e-3
    seconds: float = 4.0
    fps: float = 30.0
    settings: Settings = field(default_factory=Settings)


def load_scene(path: str | Path) -> SceneFile:
    """Read a scene file. An error names the file, the key path, the value and what was expected."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"scene file {str(file)!r} does not exist")
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: not a valid TOML file: {error}") from None
    document: Document = checked(Document, data, where=str(file))
    reader = _Reader(file)
    with reader.at("scene"):
        scene = Scene(**document.scene.model_dump(exclude={"order"}))
    for kind, index, table in _in_order(document, file):
        with reader.at(kind, index):
            reader.add(scene, kind, index, table)
    simulation = document.simulation
    for name in ("dt", "seconds", "fps"):
        value = getattr(simulation, name)
        if not 0.0 < value < float("inf"):
            raise InputError(f"{file}: simulation.{name} = {value:g}: must be positive and finite")
    with reader.at("settings"):
        settings = settings_from(document.settings)
    return SceneFile(scene=scene, dt=simulation.dt, seconds=simulation.seconds, fps=simulation.fps, settings=settings)


def settings_from(table: Any) -> Settings:
    """The settings of a checked `[settings]` table."""
    values = table.model_dump()
    return Settings(**{**values, "solver": SolverSettings(**values["solver"])})


class _Reader:
    """Builds bodies from tables; remembers where in the file it is, for errors."""

    def __init__(self, file: Path):
        self.file = file
        self._path: tuple[str | int, ...] = ()

    def at(self, *path: str | int) -> _Reader:
        self._path = path
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, InputError) and not str(error).startswith(f"{self.file}: "):
            raise InputError(f"{self.file}: {key_path(self._path)}: {error}") from None

    def add(self, scene: Scene, kind: str, index: int, table: Any) -> None:
        match table:
            case ClothTable():
                self._add_cloth(scene, table, (kind, index))
            case KinematicTable():
                self._add_kinematic(scene, table, (kind, index))
            case GroundTable():
                scene.add_ground(**table.model_dump())

    def _add_kinematic(self, scene: Scene, table: KinematicTable, path: tuple[str | int, ...]) -> None:
        mesh, start = self._mesh(table.mesh, (*path, "mesh"))
        common = table.model_dump(include={"name", "position", "rotation", "friction"})
        motion = self._motion(table.motion)
        if "positions" not in start:
            scene.add_kinematic(mesh, motion=motion, **common)
            return
        _check_rows("positions", start["positions"], mesh)
        body = scene.add_kinematic(TriangleMesh(start["positions"], mesh.triangles), motion=motion, **common)
        body.mesh = mesh
        if not any(table.position) and not any(table.rotation):
            body.positions = start["positions"]

    def _add_cloth(self, scene: Scene, table: ClothTable, path: tuple[str | int, ...]) -> None:
        mesh, start = self._mesh(table.mesh, (*path, "mesh"))
        for name in start:
            _check_rows(name, start[name], mesh)
        material: str | ClothMaterial
        if isinstance(table.material, str):
            material = table.material
        else:
            values = checked(MaterialTable, table.material, where=str(self.file), path=(*path, "material"))
            material = ClothMaterial(**values.model_dump())
        common = table.model_dump(include={"name", "area_density", "position", "rotation", "velocity", "friction"})
        cloth = scene.add_cloth(mesh, material=material, initial_vertices=start.get("positions"), **common)
        if "positions" in start and not any(table.position) and not any(table.rotation):
            cloth.positions = start["positions"]
        if "velocities" in start:
            cloth.velocities = start["velocities"] + cloth.velocities
        for pin in table.pins:
            cloth.pin(
                np.array(pin.vertices, dtype=np.int64),
                motion=self._motion(pin.motion),
                release_time=pin.release_time,
            )

    def _mesh(self, table: dict[str, Any], path: tuple[str | int, ...]) -> tuple[TriangleMesh, dict[str, Any]]:
        """The mesh of `{shape = ..}` or `{file = ..}`, and what the file says of the start."""
        at = f"{self.file}: {key_path(path)}"
        if ("shape" in table) == ("file" in table):
            raise InputError(f"{at}: needs either 'shape' (one of {', '.join(SHAPES)}) or 'file'")
        if "file" in table:
            for key in table:
                if key not in ("file", "scale"):
                    raise InputError(f"{at}: {unknown_key(key, ('file', 'scale'))}")
            if not isinstance(table["file"], str):
                raise InputError(f"{at}.file = {table['file']!r}: expected a path")
            source = self.file.parent / table["file"]
            mesh = load_mesh(source, scale=table.get("scale", 1.0))
            arrays = read_arrays(source) if source.suffix.lower() == ".npz" and table.get("scale", 1.0) == 1.0 else {}
            return mesh, {name: as_points(name, arrays[name]) for name in _START_ARRAYS if name in arrays}
        name = table["shape"]
        if name not in SHAPES:
            raise InputError(f"{at}.shape: {unknown_key(str(name), SHAPES).replace('key', 'shape', 1)}")
        shape = getattr(shapes, name)
        known = list(inspect.signature(shape).parameters)
        given = {key: value for key, value in table.items() if key != "shape"}
        for key in given:
            if key not in known:
                raise InputError(f"{at}: {unknown_key(key, known)}")
        for key, parameter in inspect.signature(shape).parameters.items():
            if parameter.default is parameter.empty and key not in given:
                raise InputError(f"{at}: a {name} needs the key {key!r}")
        return shape(**given), {}

    def _motion(self, table: Any) -> motions.Motion | None:
        if table is None:
            return None
        match table.kind:
            case "translate":
                return motions.Translate(**{**table.model_dump(exclude={"kind"}), "velocity": tuple(table.velocity)})
            case "rotate":
                values = table.model_dump(exclude={"kind"})
                return motions.Rotate(**{**values, "axis": tuple(table.axis), "center": tuple(table.center)})
            case "frames":
                source = self.file.parent / table.file
                arrays = read_arrays(source)
                for name in ("times", "frames"):
                    if name not in arrays:
                        raise InputError(f"file {str(source)!r} has no array {name!r}")
                return motions.Frames(times=arrays["times"].tolist(), frames=arrays["frames"])
            case "chain":
                return motions.Chain(tuple(m for m in map(self._motion, table.motions) if m is not None))
        raise InputError(
            "this motion was a Python function, which a file cannot hold: run the script that made the scene instead, "
            f"or replace it by a frames motion{f' ({table.note})' if table.note else ''}"
        )


def _check_rows(name: str, points: Any, mesh: TriangleMesh) -> None:
    if len(points) != len(mesh.vertices):
        raise InputError(f"{name} must have one row per vertex, got {len(points)} for {len(mesh.vertices)} vertices")


def _in_order(document: Document, file: Path) -> list[tuple[str, int, Any]]:
    bodies: list[tuple[str, int, Any]] = []
    for kind in ("cloth", "kinematic", "ground"):
        bodies += [(kind, k, table) for k, table in enumerate(getattr(document, kind))]
    order = document.scene.order
    if order is None:
        return bodies
    names = [table.name for _, _, table in bodies]
    if sorted(order) != sorted(str(name) for name in names):
        raise InputError(f"{file}: scene.order must list the names of all bodies once: {', '.join(map(str, names))}")
    return sorted(bodies, key=lambda body: order.index(body[2].name))

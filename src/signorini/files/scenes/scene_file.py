"""Scenes as TOML files: `load_scene` and `save_scene`, one to one with the calls of the Python interface.

A saved scene is complete: its meshes, starting positions and velocities are npz files beside it, and running it again
gives bit-identical results. Only motions and contact solvers that are Python functions cannot be saved; the file then says so.
"""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

from signorini.checks import LARGEST_NUMBER, check_path
from signorini.errors import InputError
from signorini.files.scenes.loaded_scene import SceneFile
from signorini.files.scenes.scene_reader import SceneReader
from signorini.files.scenes.scene_schema import LOAD_TABLES, Document
from signorini.files.scenes.scene_table import PYTHON_CODE, PYTHON_SOLVER, checked
from signorini.files.scenes.scene_writer import save_scene
from signorini.files.scenes.table_builder import nested_dataclass
from signorini.scene.body import Body
from signorini.scene.kinds import KINDS
from signorini.scene.scene import Scene
from signorini.settings import Settings
from signorini.simulation.auto_step import AUTO, chosen_step

__all__ = ["SceneFile", "load_scene", "save_scene"]


def load_scene(path: str | Path) -> SceneFile:
    """Read a scene file. An error names the file, the key path, the value and what was expected."""
    file = check_path("scene file", path)
    return scene_from_tables(read_tables(file), file)


def read_tables(file: Path) -> dict[str, Any]:
    """The tables of a scene file as they stand there, not yet checked."""
    if file.is_dir():
        raise InputError(f"scene file {str(file)!r} is a directory")
    if not file.is_file():
        raise InputError(f"scene file {str(file)!r} does not exist")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"scene file {str(file)!r} cannot be read: {error.strerror}") from None
    except RecursionError:
        raise InputError(f"{file}: not a valid TOML file: tables and lists are nested too deeply") from None
    except ValueError as error:  # of TOML, of UTF-8, or an integer of thousands of digits
        raise InputError(f"{file}: not a valid TOML file: {error}") from None


def scene_from_tables(data: dict[str, Any], file: Path) -> SceneFile:
    """The scene of the tables of a file; meshes are read from beside `file`."""
    _refuse_python_code(data, file)
    document: Any = checked(Document, data, where=str(file))
    reader = SceneReader(file)
    with reader.at("scene"):
        scene = Scene(**document.scene.model_dump(exclude={"order"}))
    for kind, index, table in _in_order(document, file):
        with reader.at(kind.kind, index):
            reader.add(scene, kind, table)
    for index, table in enumerate(document.attachment):
        with reader.at("attachment", index):
            reader.attach(scene, table)
    for index, table in enumerate(document.contact):
        with reader.at("contact", index):
            scene.set_contact(**table.model_dump())
    for kind in LOAD_TABLES:
        for index, table in enumerate(getattr(document, kind)):
            with reader.at(kind, index):
                getattr(scene, f"add_{kind}")(**table.model_dump())
    for key, call in (("joint", scene.add_joint), ("lock", scene.lock), ("drive", scene.add_drive)):
        for index, table in enumerate(getattr(document, key)):
            with reader.at(key, index):
                call(**table.model_dump())
    simulation = document.simulation
    for name in ("dt", "seconds", "fps"):
        value = getattr(simulation, name)
        if not isinstance(value, str) and not 0.0 < value <= LARGEST_NUMBER:
            raise InputError(
                f"{file}: simulation.{name} = {value:g}: must be positive and finite, at most {LARGEST_NUMBER:g}"
            )
    with reader.at("settings"):
        settings = settings_from(document.settings)
    dt = simulation.dt
    if dt == AUTO:
        dt, settings = chosen_step(dt, settings, fps=simulation.fps)
    return SceneFile(scene=scene, dt=dt, seconds=simulation.seconds, fps=simulation.fps, settings=settings)


def _refuse_python_code(data: dict[str, Any], file: Path) -> None:
    """Raise an `InputError` if the saved scene had parts that were Python code."""
    code = data.get(PYTHON_CODE)
    if isinstance(code, dict) and code:
        what, names = next(iter(code.items()))
        raise InputError(
            f"{file}: {PYTHON_CODE}.{what} = {names!r}: this part of the scene was Python code, which a file cannot hold: run "
            "the script that made the scene instead"
        )
    settings = data.get("settings")
    solver = settings.get("solver") if isinstance(settings, dict) else None
    if isinstance(solver, dict) and PYTHON_SOLVER in solver:
        raise InputError(
            f"{file}: settings.solver.{PYTHON_SOLVER} = {solver[PYTHON_SOLVER]!r}: this contact solver was Python code, which a "
            "file cannot hold: run the script that made the scene instead, or choose a solver by its name"
        )


def settings_from(table: Any) -> Settings:
    """The settings of a checked `[settings]` table."""
    values = table.model_dump()
    nested = {f.name: nested_dataclass(f) for f in fields(Settings)}
    parts = {name: kind(**values[name]) for name, kind in nested.items() if kind is not None}
    return Settings(**{**values, **parts})


def _in_order(document: Any, file: Path) -> list[tuple[type[Body], int, Any]]:
    bodies: list[tuple[type[Body], int, Any]] = []
    for kind in KINDS:
        bodies += [(kind, k, table) for k, table in enumerate(getattr(document, kind.kind))]
    order = document.scene.order
    if order is None:
        return bodies
    names = [table.name for _, _, table in bodies]
    if sorted(order) != sorted(str(name) for name in names):
        raise InputError(f"{file}: scene.order must list the names of all bodies once: {', '.join(map(str, names))}")
    return sorted(bodies, key=lambda body: order.index(body[2].name))

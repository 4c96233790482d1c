"""Write a scene to a TOML file and its arrays to npz files beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from signorini.characters.articulation import BoneMotion
from signorini.checks import check_path, check_positive
from signorini.errors import InputError
from signorini.files.scenes.scene_table import PYTHON_CODE, PYTHON_SOLVER
from signorini.files.scenes.toml_writer import toml_text
from signorini.scene import motions
from signorini.scene.joints import joint_table
from signorini.scene.kinds import KINDS
from signorini.scene.scene import Scene
from signorini.settings import Settings, SolverSettings, check_settings, solver_name


def save_scene(
    path: str | Path,
    scene: Scene,
    *,
    dt: float = 4e-3,
    seconds: float = 4.0,
    fps: float = 30.0,
    settings: Settings | None = None,
) -> Path:
    """Write the scene to the file `path` (.toml) and its meshes beside it; `load_scene` gives exactly the same scene.

    The meshes of NAME.toml go to `meshes/NAME/`, those of scene.toml to `meshes/`. An earlier scene file is replaced.
    """
    file = check_path("scene file", path)
    if file.suffix.lower() != ".toml":
        raise InputError(f"scene file {str(file)!r} must end in .toml")
    _check_scene(scene, settings, dt=dt, seconds=seconds, fps=fps)
    writer = _Writer(file.parent, mesh_folder(file))
    try:
        text = _scene_text(writer, scene, dt=dt, seconds=seconds, fps=fps, settings=settings)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"scene file {str(file)!r} cannot be written: {error.strerror}") from None
    return file


def _check_scene(scene: Scene, settings: Settings | None, **simulation: float) -> None:
    """Raise an `InputError` unless this is a scene, and how to run it."""
    if not isinstance(scene, Scene):
        raise InputError(f"scene must be a signorini.Scene, got {type(scene).__name__}")
    check_settings(settings)
    for name, value in simulation.items():
        check_positive(name, value)


def scene_digest(scene: Scene, *, dt: float, seconds: float, fps: float, settings: Settings | None = None) -> str:
    """SHA-256 of what `save_scene` would write, meshes included: equal for equal scenes, whatever they were made by."""
    writer = _DigestWriter()
    text = _scene_text(writer, scene, dt=dt, seconds=seconds, fps=fps, settings=settings)
    writer.digest.update(text.encode())
    return writer.digest.hexdigest()


def _scene_text(
    writer: _Writer, scene: Scene, *, dt: float, seconds: float, fps: float, settings: Settings | None
) -> str:
    """The text of a scene file; its arrays go to the writer."""
    tables: dict[str, list[dict[str, Any]]] = {kind.kind: [] for kind in KINDS}
    for body in scene.bodies.values():
        tables[body.kind].append(body.to_table(writer))
    for elements, _ in scene.elements:
        writer.python_code("elements", type(elements).__qualname__)
    tables["attachment"] = [{"body": a.body, "vertices": a.vertices.tolist(), "to": a.to} for a in scene.attachments]
    tables["contact"] = [rule.to_table() for rule in scene.pair_rules]
    for load in scene.loads:
        if load.table is None:
            writer.python_code("loads", f"{load.kind} on {load.body}")
        else:
            tables.setdefault(load.kind, []).append(load.table)
    for key, entries in (("joint", scene.joints), ("lock", scene.locks), ("drive", scene.drives)):
        tables[key] = [joint_table(entry) for entry in entries.values()]
    document: dict[str, Any] = {
        "scene": {
            "name": scene.name,
            "gravity": scene.gravity.tolist(),
            "friction": scene.friction,
            "air_drag": scene.air_drag,
            "order": list(scene.bodies),
        },
        "simulation": {"dt": float(dt), "seconds": float(seconds), "fps": float(fps)},
        "settings": writer.settings(settings or Settings()),
        **{kind: entries for kind, entries in tables.items() if entries},
    }
    if writer.code:
        document[PYTHON_CODE] = writer.code
    header = ["# A Signorini scene: everything that is needed to run it again. SI units, z is up."]
    header += [f"# NOT COMPLETE: {note}" for note in writer.notes]
    return "\n".join(header) + "\n\n" + toml_text(document)


def mesh_folder(file: Path) -> str:
    """Folder of the meshes of a scene file, relative to it: each file in a directory has its own."""
    return "meshes" if file.stem == "scene" else f"meshes/{file.stem}"


class _Writer:
    """The files of a scene that is being written, and notes on what they lack."""

    def __init__(self, directory: Path, meshes: str):
        self.directory = directory
        self.meshes = meshes
        """Folder of the arrays, relative to the directory."""
        self.notes: list[str] = []
        self.code: dict[str, list[str]] = {}
        """What the scene has of Python code, by the name of its kind."""

    def python_code(self, what: str, name: str) -> None:
        """Note that a part of the scene is Python code, which no file can hold: the file cannot be read again."""
        self.code.setdefault(what.replace(" ", "_"), []).append(name)
        self.notes.append(
            f"the {what} {name!r} of this scene are Python code, which cannot be written to a file; this file cannot be run "
            "again by itself."
        )

    def settings(self, settings: Settings) -> dict[str, Any]:
        """The table of the settings; a solver from outside is only named."""
        if isinstance(settings.solver, SolverSettings):
            return asdict(settings)
        solver = solver_name(settings.solver)
        note = f"the contact solver is the Python code {solver!r}"
        self.notes.append(f"{note}, which cannot be written to a file; this file cannot be run again by itself.")
        return {**asdict(replace(settings, solver=SolverSettings())), "solver": {PYTHON_SOLVER: solver}}

    def save_arrays(self, name: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """Write arrays to a file beside the scene and return the table that names it."""
        file = f"{self.meshes}/{quote(name, safe=' ')}.npz"
        (self.directory / self.meshes).mkdir(parents=True, exist_ok=True)
        np.savez_compressed(self.directory / file, **arrays)
        return {"file": file}

    def motion(self, motion: motions.Motion | None, name: str) -> dict[str, Any] | None:
        """The table of a scripted motion."""
        match motion:
            case None:
                return None
            case motions.Translate() | motions.Rotate() | motions.Turn():
                values = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(motion).items()}
                return {"kind": type(motion).__name__.lower(), **values}
            case motions.Keyframes():
                rows = {name: getattr(motion, name) for name in ("translations", "rotations")}
                return {
                    "kind": "keyframes",
                    "times": list(motion.times),
                    **{name: None if value is None else np.asarray(value).tolist() for name, value in rows.items()},
                    "center": list(motion.center),
                    "interpolation": motion.interpolation,
                }
            case motions.Frames():
                arrays = {"times": np.array(motion.times), "frames": motion.frames}
                return {"kind": "frames", **self.save_arrays(f"{name}-motion", arrays)}
            case BoneMotion():
                return {"kind": "bones", **self.save_arrays(f"{name}-motion", motion.to_arrays())}
            case motions.Chain():
                parts = [self.motion(part, f"{name}-{k}") for k, part in enumerate(motion.motions)]
                return {"kind": "chain", "motions": parts}
        what = motion.function if isinstance(motion, motions.Script) else type(motion)
        note = f"the motion of {name!r} is the Python code {getattr(what, '__qualname__', repr(what))!r}"
        self.notes.append(f"{note}, which cannot be written to a file; this file cannot be run again by itself.")
        return {"kind": "script", "note": note}


class _DigestWriter(_Writer):
    """A writer that adds the arrays to a digest instead of writing files."""

    def __init__(self) -> None:
        super().__init__(Path(), "meshes")
        self.digest = hashlib.sha256()

    def save_arrays(self, name: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
        for key, value in sorted(arrays.items()):
            array = np.ascontiguousarray(value)
            self.digest.update(f"{name}|{key}|{array.dtype.str}|{array.shape}|".encode() + array.tobytes())
        return {"file": name}
